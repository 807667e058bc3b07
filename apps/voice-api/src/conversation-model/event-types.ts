// The event types of webhooks (docs/voice-api.md#webhooks): those that media runtimes report, and
// deletions.
import { CONVERSATION_EVENT_TYPES } from '@parley/jobs';

export const EVENT_TYPES = [...CONVERSATION_EVENT_TYPES, 'conversation.deleted'] as const;
export type EventType = (typeof EVENT_TYPES)[number];
