// What the voice API tells webhooks (docs/voice-api.md#delivery-body). Types only; a test looks at an event of each from the service.

/** In every event. `sequence` grows by one with each event of a conversation: deliveries may overtake each other. */
interface AboutConversation {
  readonly conversation_id: string;
  readonly bot_id: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly sequence: number;
}

interface EventOf<Name extends string, Data> {
  /** The same in every attempt: drop what you have seen. */
  readonly id: string;
  readonly event: Name;
  readonly timestamp: string;
  readonly data: AboutConversation & Data;
}

interface Said {
  readonly turn_index: number;
  readonly text: string;
  readonly confidence?: number | null;
  readonly start_ms?: number | null;
  readonly end_ms?: number | null;
}

export type ConversationStarted = EventOf<
  'conversation.started',
  {
    readonly channel?: string | null;
    readonly direction?: string | null;
    readonly from?: string | null;
    readonly to?: string | null;
    readonly language?: string | null;
  }
>;
export type ConversationEnded = EventOf<
  'conversation.ended',
  {
    readonly duration_seconds: number | null;
    readonly end_reason: string | null;
    readonly transcript: readonly { readonly role: string; readonly text: string }[];
    /** There is more at `transcript_url`. */
    readonly truncated?: true;
    readonly transcript_url?: string;
  }
>;
export type ConversationFailed = EventOf<
  'conversation.error',
  { readonly error: { readonly code: string; readonly message: string; readonly fatal: boolean } }
>;
export type TranscriptReady = EventOf<
  'transcript.ready',
  { readonly revision: number; readonly sha256: string; readonly turn_count: number }
>;
export type SpeechInterim = EventOf<'speech.interim', Said>;
export type SpeechFinal = EventOf<'speech.final', Said>;
export type BotMessage = EventOf<'bot.message', Pick<Said, 'turn_index' | 'text'>>;
/** It was erased: whoever has a copy erases it too. */
export type ConversationDeleted = EventOf<'conversation.deleted', unknown>;

/** Told apart by `event`. */
export type WebhookEvent =
  | ConversationStarted
  | ConversationEnded
  | ConversationFailed
  | TranscriptReady
  | SpeechInterim
  | SpeechFinal
  | BotMessage
  | ConversationDeleted;
