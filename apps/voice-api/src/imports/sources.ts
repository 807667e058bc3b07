// The vendors whose reports become conversations (docs/voice-api.md#imports).

export const SOURCES = ['vapi', 'retell', 'elevenlabs', 'livekit'] as const;
export type Source = (typeof SOURCES)[number];
