// One HTTP request of a delivery: what is sent, and what came of it.
import type { Outcome } from '@parley/outbound';
import type { Deps } from '../deps.ts';
import type { ClaimedDelivery } from './claim-deliveries.ts';
import type { SendableWebhook } from '../webhooks/webhook-cache.ts';
import { secretsInForce, signedRequest } from '../webhooks/payload.rules.ts';
import type { MadeAttempt } from './record-results.ts';

/** What is kept of an answer (docs/voice-api.md#batches-and-lanes). */
const ANSWER_BYTES_KEPT = 1_024;

export interface Request {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** See `Call`. */
  readonly secretsOf?: string;
  /** Null: WEBHOOK_TIMEOUT_MS. */
  readonly timeoutMs: number | null;
  /** Names of headers that the customer chose: what they say may be a credential. */
  readonly own?: readonly string[];
}

/** What tells the receiver whose doing a delivery is: the request that caused it (docs/platform.md#request-ids). */
export interface Cause {
  readonly requestId: string | null;
  readonly traceparent: string | null;
}

export function causeHeaders({ requestId, traceparent }: Cause): Record<string, string> {
  const headers: Record<string, string> = {};
  if (requestId !== null) headers['x-request-id'] = requestId;
  if (traceparent !== null) headers['traceparent'] = traceparent;
  return headers;
}

/** An event for a webhook, signed for this moment. */
export function webhookRequest(
  webhook: Omit<SendableWebhook, 'id' | 'active' | 'ratePerSecond'>,
  event: { readonly id: string; readonly body: Buffer } & Cause,
  attempt: number,
  nowMs: number,
): Request {
  const secrets = secretsInForce(webhook.keys, webhook.previous, nowMs);
  const { body, headers } = signedRequest(event, secrets, attempt, nowMs);
  const { url, headers: own, timeoutMs, organizationId } = webhook;
  const request = { url, body, timeoutMs, headers: Object.assign(causeHeaders(event), own, headers) };
  return own === null ? request : { ...request, own: Object.keys(own), secretsOf: organizationId };
}

export interface Attempted {
  readonly made: MadeAttempt;
  readonly retryAfterMs: number | undefined;
  readonly timedOut: boolean;
}

/** Rejects only when the failure is ours. */
export async function attemptRequest(
  deps: Pick<Deps, 'outbound' | 'clock' | 'config'>,
  request: Request,
  attempt: number,
): Promise<Attempted> {
  const atMs = deps.clock();
  const timeoutMs = request.timeoutMs ?? deps.config.WEBHOOK_TIMEOUT_MS;
  const outcome = await deps.outbound.deliver({ ...request, timeoutMs });
  return {
    made: madeAttempt(outcome, attempt, atMs),
    retryAfterMs: outcome.ok ? undefined : outcome.retryAfterMs,
    timedOut: !outcome.ok && outcome.errorClass === 'timeout',
  };
}

function madeAttempt(outcome: Outcome, attempt: number, atMs: number): MadeAttempt {
  return {
    attempt,
    atMs,
    ms: outcome.ms,
    ok: outcome.ok,
    status: outcome.status ?? null,
    errorClass: outcome.ok ? null : outcome.errorClass,
    message: outcome.ok ? null : outcome.message,
    answer: outcome.body ? firstKiB(outcome.body) : null,
  };
}

/** Cut between characters. */
export function firstKiB(text: string): string {
  if (text.length * 3 <= ANSWER_BYTES_KEPT) return text;
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= ANSWER_BYTES_KEPT) return text;
  let end = ANSWER_BYTES_KEPT;
  while (end > 0 && ((bytes[end] as number) & 0xc0) === 0x80) end -= 1; // a continuation byte: its character is cut
  return bytes.toString('utf8', 0, end);
}

/** The log line of an attempt. */
export function attemptFacts(delivery: ClaimedDelivery, made: MadeAttempt) {
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
