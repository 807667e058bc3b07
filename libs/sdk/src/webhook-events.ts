// Types of webhook events (docs/voice-api.md#delivery-body), from the service's own document. A
// test compares them with real events.
import type { components } from './generated/voice-api.ts';

/** Discriminated by `event`. */
export type WebhookEvent = components['schemas']['WebhookEvent'];
type EventOf<Name extends WebhookEvent['event']> = Extract<WebhookEvent, { event: Name }>;

export type ConversationStarted = EventOf<'conversation.started'>;
export type ConversationEnded = EventOf<'conversation.ended'>;
export type ConversationFailed = EventOf<'conversation.error'>;
export type TranscriptReady = EventOf<'transcript.ready'>;
export type SpeechInterim = EventOf<'speech.interim'>;
export type SpeechFinal = EventOf<'speech.final'>;
export type BotMessage = EventOf<'bot.message'>;
/** The conversation was erased: erase your copies too. */
export type ConversationDeleted = EventOf<'conversation.deleted'>;
