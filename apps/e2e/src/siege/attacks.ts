// Every attack. What works on for long after it was answered stands last in its list; what kills processes is made after all others.
import { SERVICES } from '@parley/local-stack';
import type { Attack } from './attack.ts';
import { derivedAttacks } from './derived/derived.ts';
import { flowBuilderAttacks } from './flow-builder.ts';
import { floods } from './floods.ts';
import { notificationsAttacks } from './notifications.ts';
import { voiceApiAttacks } from './voice-api.ts';

export const attacks: readonly Attack[] = [
  ...flowBuilderAttacks,
  ...floods,
  ...voiceApiAttacks,
  ...notificationsAttacks,
  ...SERVICES.flatMap(derivedAttacks),
];
