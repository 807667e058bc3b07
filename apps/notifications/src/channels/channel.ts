// The interface of a channel. Other folders use channels only through it. test/channel.suite.ts
// holds the guarantees of every channel.
import type { FieldProblem } from '@parley/envelopes';
import type { Sql } from '@parley/server/postgres';
import type { ChannelName, QueueName } from '@parley/jobs';
import type { Secret } from '@parley/server/runtime';
import type { z } from 'zod';
import type { Config } from '../config.ts';
import type { BaseDeps } from '../base-deps.ts';
import type { Tracking } from '../engagements/schemas.ts';
import type { Category } from '../people/opt-out.rules.ts';
import type { Recipient } from '../people/recipient.ts';
import type { MailFrame } from '../rendering/render-template.ts';
import type { Outcome } from '../outcomes/outcome.ts';

/** A notification as channels see it. */
export interface Notice {
  readonly id: string;
  readonly organizationId: string;
  readonly subject: string;
  /** False when the subject is the beginning of the message. */
  readonly subjectGiven: boolean;
  readonly message: string;
  /** HTML of a template, used by e-mail only. */
  readonly html?: string | undefined;
  /** Sender and headers of a template, used by e-mail only. */
  readonly mail?: MailFrame | undefined;
  readonly createdAt: Date;
  /** Time of a scheduled send. Lifetimes then count from here. */
  readonly sendAt: Date | null;
  /** Undelivered messages are dropped after this time. */
  readonly expiresAt: Date | null;
  /** Of the request that sent it; forwarded to receivers. */
  readonly requestId: string | null;
  readonly traceparent: string | null;
  /** For a member of a topic: the shared content with subject and message, and its size. */
  readonly contentId?: string | null;
  readonly contentBytes?: number;
}

/** What the send adds to the target of one channel. */
export interface PlanContext {
  /** The stored recipient that the target names. */
  readonly recipient?: Recipient | undefined;
  readonly category?: Category | undefined;
  /** The user whose inbox gets an item from the same send. */
  readonly inboxUser?: string | undefined;
  /** Which engagements to record. */
  readonly track?: Tracking | undefined;
}

/** What a channel prepared from its target when the send was accepted. */
export interface Planned {
  /** Stored as JSON in the clear. Never a secret. */
  readonly plain: object;
  /** Stored under DATA_KEY until the last attempt. */
  readonly sealed?: string;
}

export type Plan =
  | ({ readonly ok: true } & Planned)
  /** The request is invalid: 400. Paths are relative to `/target/<channel>`; '' is the target. */
  | { readonly ok: false; readonly kind: 'invalid'; readonly fields: readonly FieldProblem[] }
  /** The organisation's configuration lacks something: the channel is omitted with this reason. */
  | { readonly ok: false; readonly kind: 'unconfigured'; readonly reason: string };

/** One delivery in flight. */
export interface Delivery {
  readonly id: string;
  readonly channel: ChannelName;
  /** From 1. */
  readonly attempt: number;
  /** `plain` of the plan, read from JSON. Parse it with the channel's own schema. */
  readonly plain: unknown;
  /** `sealed` of the plan, unsealed. */
  readonly sealed?: Secret | undefined;
}

/** One delivery that a channel performs in the accepting transaction. */
export interface AcceptedDelivery {
  readonly notice: Notice;
  /** `plain` of its plan. */
  readonly plain: unknown;
}

export interface SendContext {
  /** Aborted when the process stops. */
  readonly signal: AbortSignal;
}

/**
 * One channel. Methods let the table hold `Channel<unknown>`: each gets only targets of its own.
 */
export interface Channel<Target = unknown> {
  readonly name: ChannelName;
  /**
   * Members of `plain` and JSON `sealed` that are equal for all members of a topic: stored once.
   */
  readonly common?: { readonly plain?: readonly string[]; readonly sealed?: readonly string[] };
  /** Absent: every deployment has the channel. */
  isOn?(config: Config): boolean;
  /** Strict wire schema of `target.<name>`, with the rules that need no configuration. */
  readonly target: z.ZodType<Target>;
  /**
   * Paths of addresses in the target that the policy must allow
   * (docs/platform.md#outgoing-requests), for example `['url']`. Lets a request report them with
   * its other problems; `plan` checks them too.
   */
  readonly addresses?: readonly (readonly string[])[];
  /** The target may be absent, since all of its members are optional. */
  readonly targetOptional: boolean;
  /** Null: the channel delivers in the accepting transaction. */
  readonly queue: QueueName | null;
  /**
   * The receiver of an attempt, from `plain`. Each has its own lane in the organisation
   * (docs/platform.md#lanes). Null: no receiver. Must not throw.
   */
  receiver(plain: unknown): string | null;
  /** Whether a digest's final text fits this plan. Absent: always. */
  fits?(notice: Notice, plain: unknown): boolean;
  /**
   * At accept time: checks what the schema cannot (policy, sizes, configuration). Sends nothing.
   */
  plan(deps: BaseDeps, sql: Sql, notice: Notice, target: Target, context: PlanContext): Promise<Plan>;
  /** For dry_run: exactly what would be sent, with references instead of secrets. */
  preview(deps: BaseDeps, sql: Sql, notice: Notice, planned: Planned): Promise<object>;
  /**
   * Effects of all sends of a request in the accepting transaction, which marks them `delivered`.
   * Scheduled sends go through `send` instead. Only for channels without a queue.
   */
  accept?(deps: BaseDeps, sql: Sql, accepted: readonly AcceptedDelivery[]): Promise<void>;
  /** Once per request after the commit of `accept`. Must not throw; a lost call loses nothing. */
  afterCommit?(deps: BaseDeps, organizationId: string): void;
  /** Ends what a channel that hands over has not sent, in the cancelling transaction. */
  cancel?(sql: Sql, organizationId: string, notificationId: string, now: Date): Promise<number>;
  /** `send` gets expired deliveries too and ends them: the channel keeps its own history. */
  readonly endsExpired?: boolean;
  /** One attempt. An exception is a failure of ours, and the attempt is repeated. */
  send(deps: BaseDeps, notice: Notice, delivery: Delivery, context: SendContext): Promise<Outcome>;
}
