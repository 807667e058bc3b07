// The outcomes of an attempt, and which report may follow which status.

/** How a delivery may end other than sent or delivered. */
export type FinalStatus =
  'failed' | 'bounced' | 'unknown' | 'no_devices' | 'expired' | 'partial' | 'canceled' | 'suppressed';

export interface Counts {
  readonly targeted: number;
  readonly sent: number;
  readonly gone: number;
  readonly failed: number;
}

interface Failure {
  /** Shown in rows, metrics and answers: a class, never a text of the receiver. */
  readonly errorClass: string;
  /** A sentence for the customer, built from constants, without secrets. */
  readonly message: string;
  readonly httpStatus?: number | undefined;
}

/**
 * The outcome of one attempt.
 * - `sent`: the provider accepted it. `delivered`: it arrived.
 * - `retry`: not now. src/deliver decides whether and when to try again.
 * - `final`: another attempt changes nothing.
 * - `handed_over`: the channel continues and reports the end through `settleDelivery`.
 */
export type Outcome =
  | { readonly kind: 'sent'; readonly httpStatus?: number | undefined; readonly counts?: Counts }
  | { readonly kind: 'delivered'; readonly httpStatus?: number | undefined; readonly counts?: Counts }
  | ({ readonly kind: 'retry'; readonly retryAfterMs?: number | undefined } & Failure)
  | ({ readonly kind: 'final'; readonly status: FinalStatus; readonly counts?: Counts } & Failure)
  | { readonly kind: 'handed_over' };

/** Outcomes that settle a delivery: no retry, no hand-over. */
export type Settlement = Extract<Outcome, { kind: 'sent' | 'delivered' | 'final' }>;

/** The columns of an outcome in rows of deliveries and attempts. */
export function toColumns(outcome: Outcome) {
  const failure = 'errorClass' in outcome ? outcome : undefined;
  return {
    errorClass: failure?.errorClass ?? null,
    error: failure?.message ?? null,
    httpStatus: ('httpStatus' in outcome ? outcome.httpStatus : undefined) ?? null,
    counts: 'counts' in outcome && outcome.counts ? JSON.stringify(outcome.counts) : null,
  };
}

/** Statuses of deliveries that were sent, at least to one device. */
export const SENT_STATUSES: ReadonlySet<string> = new Set(['sent', 'delivered', 'partial']);

/** Order of statuses: a delivery never goes back. `bounced` may follow `sent` and `delivered`. */
const RANK: Readonly<Record<string, number>> = {
  queued: 0,
  sending: 1,
  unknown: 2,
  sent: 2,
  delivered: 3,
  bounced: 4,
};

/** Whether a later report (provider event, finished fan-out) still changes a delivery. */
export function mayBecome(from: string, to: string): boolean {
  const was = RANK[from];
  if (was === undefined) return false; // failed, partial, expired, canceled, no_devices: permanent
  const becomes = RANK[to];
  if (becomes === undefined) return was <= 2;
  return becomes > was || (from === 'unknown' && to === 'sent');
}
