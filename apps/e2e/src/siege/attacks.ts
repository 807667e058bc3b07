// Every attack. What works on for long after it was answered stands last in its list; what kills processes is made after all others.
import type { Attack } from './attack.ts';
import { flowBuilderAttacks } from './flow-builder.ts';
import { floods } from './floods.ts';
import { notificationsAttacks } from './notifications.ts';
import { voiceApiAttacks } from './voice-api.ts';

export const attacks: readonly Attack[] = [
  ...flowBuilderAttacks,
  ...floods,
  ...voiceApiAttacks,
  ...notificationsAttacks,
];
