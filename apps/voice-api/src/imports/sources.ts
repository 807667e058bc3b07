// The vendors whose reports become conversations (docs/voice-api.md#imports).

export const SOURCES = ['vapi', 'retell'] as const;
export type Source = (typeof SOURCES)[number];
