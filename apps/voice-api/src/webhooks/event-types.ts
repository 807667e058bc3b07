// The event types of the seed (Events), for the files of this folder and for the intake. Pure.
import { CONVERSATION_EVENT_TYPES } from '@parley/queues';

export const EVENT_TYPES = CONVERSATION_EVENT_TYPES;
export type EventType = (typeof CONVERSATION_EVENT_TYPES)[number];
