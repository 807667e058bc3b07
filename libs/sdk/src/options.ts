// What callers may say, and a row of the table of operations. Types only.
import type { components } from './generated/flow-builder.ts';

type Credential = string | (() => string | Promise<string>);

/** Where a service is, and who asks. */
export interface ServiceOptions {
  /** As `npm start` prints it; a path before `/v1` is kept. */
  readonly url: string;
  /**
   * A product API key, or an identity token. As a function it is called for every attempt, so that a token may be renewed. Without it
   * nothing is sent: a proxy, or a cookie, stands for the caller.
   */
  readonly key?: Credential;
}

/** How every call is made, unless it says otherwise. */
export interface Defaults {
  /** Of one attempt. Default 30 s. */
  readonly timeoutMs?: number;
  /** How often a call is repeated at most. Default 3. */
  readonly retries?: number;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of the global one. */
  readonly fetch?: typeof fetch;
}

/** How one call is made. */
export interface CallOptions extends Omit<Defaults, 'fetch'> {
  /** Ends it: the call throws the reason of the signal. */
  readonly signal?: AbortSignal;
  /** Of a creating call. Made for you otherwise; give your own to recognise a repeat after a restart. */
  readonly idempotencyKey?: string;
}

/** Only the services that are used need be there. */
export interface ParleyOptions extends Defaults {
  readonly flowBuilder?: ServiceOptions;
  readonly voiceApi?: ServiceOptions;
  readonly notifications?: ServiceOptions;
}

export type Turn = components['schemas']['TurnResult'];
/** What a turn asks its caller to do. A tool has `tool`, `args` and `output_var`. */
export type Action = Turn['actions'][number];
/** Does what a tool stands for; what it gives back goes into the variable that the flow names. */
export type Tool = (args: never, action: Action) => unknown;

export interface ConversationState {
  readonly session_id: string;
  /** The version that began it goes on to the end, whatever is published meanwhile. */
  readonly version?: number;
  /** Where it waits; null before its first turn, and when it is over. */
  readonly node: string | null;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly status: Turn['status'] | 'new';
}

export interface ConversationOptions {
  /** Chosen at random unless given. With `botId` it is the id of the conversation at the voice API. */
  readonly sessionId?: string;
  /** Reports the turns to the voice API as those of this bot. */
  readonly botId?: string;
  /** Default: the published one, from the first turn on. */
  readonly version?: number;
  /** What the flow knows from the beginning. */
  readonly variables?: Readonly<Record<string, unknown>>;
  /** By the names that the flow's tool nodes have. One that is not here is left to `answer`. */
  readonly tools?: Readonly<Record<string, Tool>>;
  /** Goes on where `state` of an earlier one ended; `sessionId`, `version` and `variables` are in it. */
  readonly state?: ConversationState;
}

/** Headers as any server has them; names in any case. */
export type ReceivedHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /**
   * Which signature counts. `standard`: the header `webhook-signature`, the only one that knows the time. The other two are for receivers
   * that get only some of the headers: `header` is `X-Signature-256`, `body` the member `signature`.
   */
  readonly scheme?: 'standard' | 'header' | 'body';
  /** How far the clocks may be apart. Default five minutes. */
  readonly toleranceSeconds?: number;
}

/** A row of the table of operations. */
export interface Operation {
  readonly method: string;
  /** From the address of the service: `/v1/flows/{flow_id}`. */
  readonly path: string;
  /** It creates: repeats are recognised by their Idempotency-Key. */
  readonly creates?: true;
  /** It lists, and its answers are pages: the member that holds the items. */
  readonly pages?: string;
  /** It answers with server-sent events. */
  readonly stream?: true;
}

export type Input = Readonly<Record<string, unknown>>;
export type Sender = (operation: Operation, input: Input, options: CallOptions) => Promise<Response>;
