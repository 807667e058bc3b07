// The types of a conversation, its events and the result of applying them. conversation.rules.ts
// decides with them; the rest of this folder reads, writes and sends them.
import type { Trace } from '@parley/jobs';
import type { EventType } from './event-types.ts';
import type { Role, TurnEventType } from './turn-roles.rules.ts';
import type { RecordedTurn } from './recorded.ts';
import type { Cost } from './after-call-schemas.ts';
import type { CallDetails, End, Ender, EndReason, Facts, Status } from './states.rules.ts';

export interface Utterance {
  readonly turnIndex: number;
  readonly text: string;
  readonly startMs: number | null;
  readonly endMs: number | null;
  readonly confidence: number | null;
  readonly interrupted: boolean;
  readonly language: string | null;
  readonly words: readonly unknown[] | null;
  readonly metrics: TurnMetrics | null;
  readonly flow: FlowPlace;
  /** As JSON. */
  readonly bytes: number;
}

/** The place in a flow, as far as the runtime reported it. */
export interface FlowPlace {
  readonly flowId: string | null;
  readonly flowVersion: number | null;
  readonly turn: number | null;
  readonly nodeId: string | null;
}

/** Milliseconds. */
export type TurnMetrics = Readonly<Partial<Record<'e2e_ms' | 'asr_ms' | 'llm_ms' | 'tts_ms', number>>>;

/** The description of a conversation in conversation.started. */
export interface Description {
  readonly channel: string | null;
  readonly direction: string | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly language: string | null;
  readonly flowId: string | null;
  readonly flowVersion: number | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A parsed event (event-schemas.ts). */
export type ReportedEvent = {
  readonly id: string;
  readonly conversationId: string;
  readonly botId: string | null;
  /** Epoch milliseconds. */
  readonly at: number;
  /** The request or message that reported it. */
  readonly trace?: Trace | undefined;
  /** The flow turn that it closes. */
  readonly recorded?: RecordedTurn;
} & (
  | { readonly type: 'conversation.started'; readonly description: Description }
  | { readonly type: 'speech.interim'; readonly utterance: Utterance }
  | { readonly type: TurnEventType; readonly utterance: Utterance }
  | { readonly type: 'conversation.ended'; readonly end: Omit<End, 'at' | 'id' | 'trace'> }
  | {
      readonly type: 'conversation.error';
      readonly fatal: boolean;
      readonly code: string;
      readonly message: string;
    }
  | { readonly type: 'transcript.ready'; readonly details: CallDetails }
  | { readonly type: 'turn.recorded' }
);

/** A stored conversation. Times are epoch milliseconds. */
export interface Conversation extends Description {
  readonly organizationId: string;
  readonly id: string;
  readonly botId: string | null;
  readonly status: Status;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly durationSeconds: number | null;
  readonly endReason: EndReason | null;
  readonly endDetail: string | null;
  readonly endedBy: Ender | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly cost: Cost | null;
  readonly recordingUrl: string | null;
  /** Turns of the transcript, maintained by the statement that writes turns. */
  readonly turnCount: number;
  /** Accepted turn events. Each makes a new revision in any order. */
  readonly revision: number;
  /** Bytes of the accepted turn events. */
  readonly bytes: number;
  /** Maximum of `bytes`, from the plan of the organisation. */
  readonly bytesMax: number;
  /** Turn events were rejected because the conversation is full. */
  readonly truncated: boolean;
  readonly transcriptReady: boolean;
  readonly announcedRevision: number | null;
  readonly facts: Facts;
  readonly sequence: number;
  readonly startSent: boolean;
  readonly endSent: boolean;
  readonly counted: boolean;
  readonly settledAt: number | null;
  readonly dueAt: number | null;
  readonly createdAt: number;
  /** Parts that retention removed: later events do not bring them back. */
  readonly removed: readonly string[];
}

/** A webhook event to emit. write-conversations.ts adds to `data` what the transaction yields. */
export interface Emission {
  readonly type: EventType;
  readonly at: number;
  readonly sequence: number;
  readonly turnIndex: number | null;
  /** What tells it from other events of its type: a reported event, or a revision. */
  readonly cause: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Of the event that caused it; undefined when time caused it. */
  readonly trace: Trace | undefined;
}

export interface Turn extends Utterance {
  readonly role: Role;
  readonly at: number;
  readonly eventId: string;
}

export interface TimedRecordedTurn extends RecordedTurn {
  readonly at: number;
}

export interface FoldResult {
  readonly conversation: Conversation;
  /** The newest event of each turn, in no order. */
  readonly turns: readonly Turn[];
  readonly recorded: readonly TimedRecordedTurn[];
  /** Ids of events that changed nothing. */
  readonly ignored: readonly string[];
  /** The ignored events that exceeded a limit; their reporters get an error. */
  readonly rejected: readonly string[];
  readonly emissions: readonly Emission[];
  /** The analytics must count it now. */
  readonly count: boolean;
  /** It has just become final as failed, so its organisation gets an alert. */
  readonly failedNow: boolean;
}
