// The event types that webhooks are told (docs/voice-api.md#webhooks): those that runtimes report, and what is done here.
import { CONVERSATION_EVENT_TYPES } from '@parley/queues';

export const EVENT_TYPES = [...CONVERSATION_EVENT_TYPES, 'conversation.deleted'] as const;
export type EventType = (typeof EVENT_TYPES)[number];
