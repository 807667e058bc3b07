// The event types that webhooks are told and runtimes report (docs/voice-api.md#webhooks).
import { CONVERSATION_EVENT_TYPES } from '@parley/queues';

export const EVENT_TYPES = CONVERSATION_EVENT_TYPES;
export type EventType = (typeof CONVERSATION_EVENT_TYPES)[number];
