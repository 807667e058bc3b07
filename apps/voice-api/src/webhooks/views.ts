// Wire shapes of webhooks, deliveries and attempts.
import { voiceApiDialect } from '@parley/envelopes';
import type { WebhookFilter } from './webhook-filter.ts';
import type { DeliveryKind, DeliveryStatus } from '../deliveries/delivery.rules.ts';
import type { MaskedExchange } from '../deliveries/log/mask-exchange.ts';
import type { CompletedAttempt } from '../deliveries/record-results.ts';
import type { WebhookSecrets } from './webhook-cache.ts';

const time = (date: Date) => voiceApiDialect.time(date) as string;
const timeOrNull = (date: Date | null) => (date === null ? null : time(date));

/** A row of webhooks. */
export interface WebhookRow extends WebhookSecrets {
  readonly url: string;
  readonly events: readonly string[];
  readonly filter: WebhookFilter | null;
  readonly description: string | null;
  readonly status: 'active' | 'disabled';
  readonly secretHint: string;
  readonly disabledAt: Date | null;
  readonly disabledReason: string | null;
  readonly headersShown: Readonly<Record<string, string | null>> | null;
  readonly botIds: readonly string[];
  readonly timeoutMs: number | null;
  readonly ratePerSecond: number | null;
  readonly ordered: boolean;
  readonly publicKey: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const WEBHOOK_COLUMNS = `id, organization_id AS "organizationId", url, events, filter, description, status, secret,
  secret_hint AS "secretHint", previous_secret AS "previousSecret", previous_secret_until AS "previousSecretUntil",
  signing_key AS "signingKey", public_key AS "publicKey", previous_signing_key AS "previousSigningKey",
  headers, headers_shown AS "headersShown", bot_ids AS "botIds", timeout_ms AS "timeoutMs", rate_per_second AS "ratePerSecond", ordered,
  disabled_at AS "disabledAt", disabled_reason AS "disabledReason", created_at AS "createdAt", updated_at AS "updatedAt"`;

/** Omits a grace period that has ended at `nowMs`. */
export function toWebhookView(row: WebhookRow, nowMs: number) {
  const until = row.previousSecretUntil;
  return {
    id: row.id,
    url: row.url,
    events: row.events,
    filter: row.filter,
    description: row.description,
    status: row.status,
    disabled_at: timeOrNull(row.disabledAt),
    disabled_reason: row.disabledReason,
    headers: row.headersShown,
    bot_ids: row.botIds,
    timeout_ms: row.timeoutMs,
    rate_per_second: row.ratePerSecond,
    ordered: row.ordered,
    public_key: row.publicKey,
    secret_hint: row.secretHint,
    previous_secret_until: until !== null && until.getTime() > nowMs ? time(until) : null,
    created_at: time(row.createdAt),
    updated_at: time(row.updatedAt),
  };
}

/** A row of webhook_deliveries. */
export interface StoredDelivery {
  readonly webhookId: string | null;
  readonly id: string;
  readonly eventId: string;
  readonly event: string;
  readonly kind: DeliveryKind;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly replayOf: string | null;
  readonly nextAttemptAt: Date | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
  readonly answerStatus: number | null;
  readonly answerMs: number | null;
  readonly answer: string | null;
}

/** A delivery with the members of its details. */
export interface DetailedDelivery extends StoredDelivery {
  readonly exchange: string | null;
  /** Null: no longer stored. */
  readonly body: string | null;
}

export const DELIVERY_COLUMNS = `delivery.id, delivery.webhook_id AS "webhookId", delivery.event_id AS "eventId", delivery.event, delivery.kind, delivery.status,
  delivery.attempts, delivery.replay_of AS "replayOf", delivery.next_attempt_at AS "nextAttemptAt",
  delivery.created_at AS "createdAt", delivery.finished_at AS "finishedAt", delivery.answer_status AS "answerStatus",
  delivery.answer_ms AS "answerMs", delivery.answer`;

export function toDeliveryView(row: StoredDelivery) {
  return {
    id: row.id,
    webhook_id: row.webhookId,
    event_id: row.eventId,
    event: row.event,
    kind: row.kind,
    status: row.status,
    attempts: row.attempts,
    next_attempt_at: timeOrNull(row.nextAttemptAt),
    replay_of: row.replayOf,
    created_at: time(row.createdAt),
    finished_at: timeOrNull(row.finishedAt),
  };
}

export type AttemptRow = Omit<CompletedAttempt, 'ok' | 'atMs'> & { readonly at: Date };

export function toAttemptView(row: AttemptRow) {
  const { attempt, at, status, errorClass, message, ms, answer, exchange } = row;
  const masked = exchange === null ? UNKNOWN : (JSON.parse(exchange) as MaskedExchange);
  return { attempt, at: time(at), status, error_class: errorClass, message, ms, ...masked, answer };
}
/** Of an attempt whose exchange is not stored: that of a one-off delivery. */
const UNKNOWN = { url: null, request_headers: null, response_headers: null, timings: null };

/** The row of the delivery holds its successful attempt, which ended when the delivery did. */
export function toSuccessfulAttempt(row: DetailedDelivery): AttemptRow[] {
  if (row.answerStatus === null || row.answerMs === null || row.finishedAt === null) return [];
  return [
    {
      attempt: row.attempts,
      at: new Date(row.finishedAt.getTime() - row.answerMs),
      status: row.answerStatus,
      errorClass: null,
      message: null,
      ms: row.answerMs,
      answer: row.answer,
      exchange: row.exchange,
    },
  ];
}
