export type Role = 'user' | 'bot' | 'tool' | 'system';

/** Events that are turns of the transcript, with their role. */
export const TURN_ROLES = {
  'speech.final': 'user',
  'bot.message': 'bot',
  'tool.called': 'tool',
  'tool.returned': 'tool',
  'system.message': 'system',
} as const satisfies Record<string, Role>;
export type TurnEventType = keyof typeof TURN_ROLES;
