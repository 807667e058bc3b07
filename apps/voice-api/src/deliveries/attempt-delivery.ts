// One HTTP request of a delivery and its outcome.
import type { Outcome } from '@parley/outbound';
import type { Deps } from './deps.ts';
import type { ClaimedDelivery } from './claim-deliveries.ts';
import type { SendableWebhook } from '../webhooks/webhook-cache.ts';
import { selectActiveSecrets, signRequest } from '../webhook-format/payload.rules.ts';
import { cutAnswer, maskExchange } from './log/mask-exchange.ts';
import type { CompletedAttempt } from './record-results.ts';

export interface DeliveryRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** See `Call`. */
  readonly secretsOf?: string;
  /** Null: WEBHOOK_TIMEOUT_MS. */
  readonly timeoutMs: number | null;
  /**
   * Names of the customer's own headers, whose values may be credentials. Undefined: the log keeps
   * nothing of the request, since the customer cannot read it (one-off deliveries).
   */
  readonly own?: readonly string[];
}

/** The request that caused a delivery (docs/platform.md#request-ids). */
export interface DeliveryCause {
  readonly requestId: string | null;
  readonly traceparent: string | null;
}

export function buildCauseHeaders({ requestId, traceparent }: DeliveryCause): Record<string, string> {
  const headers: Record<string, string> = {};
  if (requestId !== null) headers['x-request-id'] = requestId;
  if (traceparent !== null) headers['traceparent'] = traceparent;
  return headers;
}

/** An event for a webhook, signed for this attempt. */
export function buildWebhookRequest(
  webhook: Omit<SendableWebhook, 'id' | 'active' | 'ratePerSecond'>,
  event: { readonly id: string; readonly body: Buffer } & DeliveryCause,
  attempt: number,
  nowMs: number,
): DeliveryRequest {
  const secrets = selectActiveSecrets(webhook.keys, webhook.previous, nowMs);
  const { body, headers } = signRequest(event, secrets, attempt, nowMs);
  const { url, headers: own, timeoutMs, organizationId } = webhook;
  const sent = Object.assign(buildCauseHeaders(event), own, headers);
  if (own === null) return { url, body, timeoutMs, headers: sent, own: NONE };
  return { url, body, timeoutMs, headers: sent, own: Object.keys(own), secretsOf: organizationId };
}

const NONE: readonly string[] = [];

export interface AttemptOutcome {
  readonly attempt: CompletedAttempt;
  readonly retryAfterMs: number | undefined;
  readonly timedOut: boolean;
}

/** Rejects only for failures of ours. */
export async function attemptRequest(
  deps: Pick<Deps, 'outbound' | 'clock' | 'config'>,
  request: DeliveryRequest,
  attempt: number,
): Promise<AttemptOutcome> {
  const atMs = deps.clock();
  const timeoutMs = request.timeoutMs ?? deps.config.WEBHOOK_TIMEOUT_MS;
  const { url, headers, body, secretsOf, own } = request;
  const call = { url, headers, body, timeoutMs, trace: own !== undefined };
  const outcome = await deps.outbound.deliver(secretsOf === undefined ? call : { ...call, secretsOf });
  const exchange = own === undefined ? null : maskExchange({ url, headers, own }, outcome);
  return {
    attempt: toAttempt(outcome, attempt, atMs, exchange),
    retryAfterMs: outcome.ok ? undefined : outcome.retryAfterMs,
    timedOut: !outcome.ok && outcome.errorClass === 'timeout',
  };
}

function toAttempt(
  outcome: Outcome,
  attempt: number,
  atMs: number,
  exchange: string | null,
): CompletedAttempt {
  return {
    attempt,
    atMs,
    ms: outcome.ms,
    ok: outcome.ok,
    status: outcome.status ?? null,
    errorClass: outcome.ok ? null : outcome.errorClass,
    message: outcome.ok ? null : outcome.message,
    answer: outcome.body ? cutAnswer(outcome.body) : null,
    exchange,
  };
}

/** The fields of the log line of an attempt. */
export function toAttemptLog(delivery: ClaimedDelivery, made: CompletedAttempt) {
  const { organizationId, requestId } = delivery.source;
  return {
    delivery_id: delivery.id,
    webhook_id: delivery.webhookId ?? undefined,
    organization_id: organizationId,
    request_id: requestId ?? undefined,
    type: delivery.event,
    attempt: made.attempt,
    status: made.status ?? undefined,
    error_class: made.errorClass ?? undefined,
    ms: made.ms,
  };
}
