// Every attack. What works on for long after it was answered stands last in its list; what kills processes is made after all others.
import { SERVICES } from '@parley/dev/stack';
import type { Attack } from './attack.ts';
import { derivedAttacks } from './derived/derived.ts';
import { consoleAttacks } from './console.ts';
import { flowBuilderAttacks } from './flow-builder.ts';
import { floods } from './floods.ts';
import { notificationsAttacks } from './notifications.ts';
import { voiceApiAttacks } from './voice-api.ts';

export const attacks: readonly Attack[] = [
  // First: the siege of a service ends the one that the console passes requests on to.
  ...consoleAttacks,
  ...flowBuilderAttacks,
  ...floods,
  ...voiceApiAttacks,
  ...notificationsAttacks,
  ...SERVICES.flatMap(derivedAttacks),
];
