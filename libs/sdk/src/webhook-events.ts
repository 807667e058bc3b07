// What the voice API tells webhooks (docs/voice-api.md#delivery-body), as it describes it itself. Types only; a test looks at an event of
// each from the service.
import type { components } from './generated/voice-api.ts';

/** Told apart by `event`. */
export type WebhookEvent = components['schemas']['WebhookEvent'];
type Told<Name extends WebhookEvent['event']> = Extract<WebhookEvent, { event: Name }>;

export type ConversationStarted = Told<'conversation.started'>;
export type ConversationEnded = Told<'conversation.ended'>;
export type ConversationFailed = Told<'conversation.error'>;
export type TranscriptReady = Told<'transcript.ready'>;
export type SpeechInterim = Told<'speech.interim'>;
export type SpeechFinal = Told<'speech.final'>;
export type BotMessage = Told<'bot.message'>;
/** It was erased: whoever has a copy erases it too. */
export type ConversationDeleted = Told<'conversation.deleted'>;
