// What a channel is: the one interface of the five, and the words in which a channel says how a send went. channels.ts
// lists them; src/notify calls them and knows nothing else of a channel. What each must guarantee is test/channel.suite.ts.
import type { FieldProblem } from '@parley/envelopes';
import type { Sql } from '@parley/postgres';
import type { ChannelName, QueueName } from '@parley/queues';
import type { Secret } from '@parley/runtime';
import type { z } from 'zod';
import type { Config } from '../config.ts';
import type { Deps } from '../deps.ts';
import type { Tracking } from '../engagements/schemas.ts';
import type { Category } from '../recipients/preference.rules.ts';
import type { Recipient } from '../recipients/recipient.ts';

/** A notification as channels see it. */
export interface Notice {
  readonly id: string;
  readonly organizationId: string;
  readonly subject: string;
  /** False when the subject is only the beginning of the message. */
  readonly subjectGiven: boolean;
  readonly message: string;
  /** The same as HTML, of a template; only e-mail has a use for it. */
  readonly html?: string | undefined;
  readonly createdAt: Date;
  /** Of a scheduled send: nothing is sent before, and what counts from the sending counts from then. */
  readonly sendAt: Date | null;
  /** Nothing is sent from then on. */
  readonly expiresAt: Date | null;
  /** Of the request that asked for it: carried on to whom it is sent. */
  readonly requestId: string | null;
  readonly traceparent: string | null;
  /** Of a member of a topic: the content that has its subject and message, and how large that is. */
  readonly contentId?: string | null;
  readonly contentBytes?: number;
}

/** What a send says beside the target of one channel. */
export interface Aside {
  /** Whom the target names, where the organisation has put them down and the channel needs to know. */
  readonly recipient?: Recipient | undefined;
  readonly category?: Category | undefined;
  /** The user in whose inbox the same send puts an item. */
  readonly inboxOf?: string | undefined;
  /** What of its readers is recorded. */
  readonly track?: Tracking | undefined;
}

/** What a channel made of its target when the send was accepted. */
export interface Planned {
  /** Kept as it is, as JSON. Never a secret. */
  readonly plain: object;
  /** Kept under DATA_KEY until the last attempt is made. */
  readonly sealed?: string;
}

export type Plan =
  | ({ readonly ok: true } & Planned)
  /** The request is wrong: 400. Paths are relative to `/target/<channel>`, such as `/url`; '' is the target itself. */
  | { readonly ok: false; readonly kind: 'invalid'; readonly fields: readonly FieldProblem[] }
  /** The request is right, the organisation's configuration lacks something: the channel is left out, with the reason. */
  | { readonly ok: false; readonly kind: 'unconfigured'; readonly reason: string };

/** One delivery in a worker's hand. */
export interface Delivery {
  readonly id: string;
  readonly channel: ChannelName;
  /** From 1. */
  readonly attempt: number;
  /** `plain` of the plan, read back from JSON: parse it with a schema of your own. */
  readonly plain: unknown;
  /** `sealed` of the plan, opened. */
  readonly sealed?: Secret | undefined;
}

/** What a channel does in the accepting transaction: one delivery of a request. */
export interface AcceptedHere {
  readonly notice: Notice;
  /** `plain` of its plan. */
  readonly plain: unknown;
}

/** How a delivery may end where it is neither sent nor delivered. */
export type FinalStatus =
  'failed' | 'bounced' | 'unknown' | 'no_devices' | 'expired' | 'partial' | 'canceled';

export interface Counts {
  readonly targeted: number;
  readonly sent: number;
  readonly gone: number;
  readonly failed: number;
}

interface Failed {
  /** Stands in rows, metrics and answers: a class, never a text of the other side. */
  readonly errorClass: string;
  /** A sentence that the customer may read: of constants, without a secret in it. */
  readonly message: string;
  readonly httpStatus?: number | undefined;
}

/**
 * What one attempt came to.
 * - `sent`: the provider took it. `delivered`: it is where it was meant to be.
 * - `retry`: not now. src/notify decides whether and when there is another attempt, by its own rules.
 * - `final`: no further attempt would change anything.
 * - `handed_over`: the channel works on and says how it ended through `settleDelivery`.
 */
export type Outcome =
  | { readonly kind: 'sent'; readonly httpStatus?: number | undefined; readonly counts?: Counts }
  | { readonly kind: 'delivered'; readonly httpStatus?: number | undefined; readonly counts?: Counts }
  | ({ readonly kind: 'retry'; readonly retryAfterMs?: number | undefined } & Failed)
  | ({ readonly kind: 'final'; readonly status: FinalStatus; readonly counts?: Counts } & Failed)
  | { readonly kind: 'handed_over' };

export interface SendContext {
  /** Aborted when the process stops. */
  readonly signal: AbortSignal;
}

/**
 * One channel. Methods, not function members: the table of all channels is `Channel<unknown>[]`, and each is only ever
 * given what its own `target` has parsed.
 */
export interface Channel<Target = unknown> {
  readonly name: ChannelName;
  /**
   * Members of `plain`, and of `sealed` where that is JSON, that all receivers of one message have in common: a send to a topic stores
   * them once.
   */
  readonly common?: { readonly plain?: readonly string[]; readonly sealed?: readonly string[] };
  /** Left out: every deployment has it. */
  isOn?(config: Config): boolean;
  /** Strict wire schema of `target.<name>`. Rules that need no configuration belong here. */
  readonly target: z.ZodType<Target>;
  /**
   * Where the target has addresses that the policy must allow (docs/platform.md#outgoing-requests), such as `['url']`: named beside what
   * else is wrong with a request. `plan` says the same of them.
   */
  readonly addresses?: readonly (readonly string[])[];
  /** The target may be left out when the channel is requested: all of its members are optional. */
  readonly targetOptional: boolean;
  /** A channel without one is done in the accepting transaction. */
  readonly queue: QueueName | null;
  /**
   * Whom an attempt calls, out of `plain`: each receiver has a lane of its own within its organisation (docs/platform.md#lanes). Null:
   * nobody. Must not throw.
   */
  receiver(plain: unknown): string | null;
  /** Whether what is said now can be sent by this plan, which was made of other words: of a digest. Left out: it can. */
  fits?(notice: Notice, plain: unknown): boolean;
  /** At accept time: what the schema cannot say (address policy, sizes), and what the configuration lacks. Sends nothing. */
  plan(
    deps: Deps,
    sql: Sql,
    organizationId: string,
    notice: Notice,
    target: Target,
    aside: Aside,
  ): Promise<Plan>;
  /** dry_run: exactly what would be sent. Sends and writes nothing, shows no secret (its reference at most). */
  preview(deps: Deps, sql: Sql, organizationId: string, notice: Notice, planned: Planned): Promise<object>;
  /**
   * Effects that belong into the accepting transaction, of all sends of a request; the deliveries are `delivered` with it. Not called for
   * a send that is scheduled: its time comes through `send`. Only a channel without a queue has it.
   */
  accept?(deps: Deps, sql: Sql, accepted: readonly AcceptedHere[]): Promise<void>;
  /** After the commit of `accept`, once a request: tells whoever waits for it. Must not throw; a lost call must not lose anything. */
  committed?(deps: Deps, organizationId: string): void;
  /**
   * For a channel that works on after it handed over: ends what is still to be sent of a notification, in the transaction that
   * cancels it. Gives how many deliveries that were.
   */
  cancel?(sql: Sql, organizationId: string, notificationId: string, now: Date): Promise<number>;
  /**
   * True: `send` is called for what has expired as well, and ends it, because the channel keeps a history of its own in which
   * every send has its row.
   */
  readonly endsExpired?: boolean;
  /** One attempt. Their failure is an outcome; what it throws is a failure of ours, and the same attempt comes again. */
  send(deps: Deps, notice: Notice, delivery: Delivery, context: SendContext): Promise<Outcome>;
}
