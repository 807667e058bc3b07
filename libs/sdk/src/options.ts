// Types of options, and of a row of the table of operations.
import type { components } from './generated/flow-builder.ts';

type Credential = string | (() => string | Promise<string>);

/** URL and credential of a service. */
export interface ServiceOptions {
  /** As `npm start` prints it; a path before `/v1` is used. */
  readonly url: string;
  /**
   * An API key or an identity token. A function is called for every attempt, so that a token can be
   * renewed. Without a key nothing is sent: a proxy or a cookie authenticates.
   */
  readonly key?: Credential;
}

/** Defaults for every call. */
export interface Defaults {
  /** Time-out of one attempt. Default 30 s. */
  readonly timeoutMs?: number;
  /** Maximum number of repeats. Default 3. */
  readonly retries?: number;
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch;
}

/** Options of one call. */
export interface CallOptions extends Omit<Defaults, 'fetch'> {
  /** Aborts the call, which throws the reason of the signal. */
  readonly signal?: AbortSignal;
  /** For creating calls. Random by default; set it to recognise a repeat after a restart. */
  readonly idempotencyKey?: string;
}

/** Name only the services that you use. */
export interface ParleyOptions extends Defaults {
  readonly flowBuilder?: ServiceOptions;
  readonly voiceApi?: ServiceOptions;
  readonly notifications?: ServiceOptions;
}

export type Turn = components['schemas']['TurnResult'];
/** An action for the caller. A tool has `tool`, `args` and `output_var`. */
export type Action = Turn['actions'][number];
/** Runs a tool. Its result goes into the variable that the flow names. */
export type Tool = (args: never, action: Action) => unknown;

export interface ConversationState {
  readonly session_id: string;
  /** The version of the first turn stays until the end, also when another one is published. */
  readonly version?: number;
  /** The node that waits; null before the first turn and after the end. */
  readonly node: string | null;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly status: Turn['status'] | 'new';
}

export interface ConversationOptions {
  /** Random by default. With `botId` it is the id of the conversation in the voice API. */
  readonly sessionId?: string;
  /** Reports the turns to the voice API for this bot. */
  readonly botId?: string;
  /** Default: the version that is published at the first turn. */
  readonly version?: number;
  /** Initial variables. */
  readonly variables?: Readonly<Record<string, unknown>>;
  /** By the names of tool nodes. Call `answer` for a tool that is missing here. */
  readonly tools?: Readonly<Record<string, Tool>>;
  /**
   * Continues from the `state` of an earlier conversation, which contains `sessionId`, `version`
   * and `variables`.
   */
  readonly state?: ConversationState;
}

/** Headers in the form of any server; names in any case. */
export type ReceivedHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /**
   * The signature to verify. `standard` is the header `webhook-signature`, the only one with a
   * time. For receivers that get only some headers: `header` is `X-Signature-256`, `body` the
   * member `signature`.
   */
  readonly scheme?: 'standard' | 'header' | 'body';
  /** Tolerance of clocks. Default five minutes. */
  readonly toleranceSeconds?: number;
}

/** A row of the table of operations. */
export interface Operation {
  readonly method: string;
  /** Path after the service's origin: `/v1/flows/{flow_id}`. */
  readonly path: string;
  /** A creating call: the service recognises repeats by the Idempotency-Key. */
  readonly creates?: true;
  /** A list: the member with the items of a page. */
  readonly pages?: string;
  /** An event stream. */
  readonly stream?: true;
}

export type Input = Readonly<Record<string, unknown>>;
export type Sender = (operation: Operation, input: Input, options: CallOptions) => Promise<Response>;
