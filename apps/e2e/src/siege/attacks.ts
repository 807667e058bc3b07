// Lists every attack. Attacks with lasting effects come last in their list; those that kill
// processes run after all others.
import { SERVICES } from '@parley/dev/stack';
import type { Attack } from './attack.ts';
import { derivedAttacks } from './derived/derived.ts';
import { consoleAttacks } from './console.ts';
import { flowBuilderAttacks } from './flow-builder.ts';
import { floods } from './floods.ts';
import { notificationsAttacks } from './notifications.ts';
import { voiceApiAttacks } from './voice-api.ts';

export const attacks: readonly Attack[] = [
  // First, because the siege of a service stops the instance that the console forwards to.
  ...consoleAttacks,
  ...flowBuilderAttacks,
  ...floods,
  ...voiceApiAttacks,
  ...notificationsAttacks,
  ...SERVICES.flatMap(derivedAttacks),
];
