// Deliveries and attempts as rows, and as the API returns them.
import { voiceApiDialect } from '@parley/envelopes';
import type { CompletedAttempt } from '../record-results.ts';
import type { DeliveryKind, DeliveryStatus } from '../delivery.rules.ts';
import type { MaskedExchange } from './mask-exchange.ts';

const time = (date: Date) => voiceApiDialect.time(date) as string;
const timeOrNull = (date: Date | null) => (date === null ? null : time(date));

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
