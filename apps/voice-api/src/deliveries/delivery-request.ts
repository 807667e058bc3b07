// The receiver of a delivery, whether it is sent, its request, and one attempt at it.
import type { WorkEntry } from '@parley/jobs';
import type { Outcome } from '@parley/outbound';
import { signStandardWebhook, parseWebhookKey } from '@parley/outbound/standard-webhooks';
import { selectActiveSecrets, signRequest } from '../webhook-format/payload.rules.ts';
import type { SendableWebhook } from '../webhooks/webhook-cache.ts';
import type { ClaimedDelivery } from './claim-deliveries.ts';
import { decideBeforeAttempt } from './delivery.rules.ts';
import type { Deps } from './deps.ts';
import { cutAnswer, maskExchange } from './log/mask-exchange.ts';
import { openTarget, type OneOffTarget } from './one-off-target.ts';
import type { CompletedAttempt } from './record-results.ts';

export interface Receiver {
  /** A webhook id, or the address of a one-off delivery; null when it is unknown. */
  readonly address: string | null;
  /** Null: it was removed, or this is a one-off delivery. */
  readonly webhook: SendableWebhook | null;
  readonly target: OneOffTarget | null;
  /** Why the receiver is unknown: Postgres unavailable, no key for a seal. */
  readonly failure: unknown;
}

/** Undefined: it must be read or unsealed first (findReceiver). */
export function peekReceiver(
  { webhookCache }: Pick<Deps, 'webhookCache'>,
  { webhookId }: ClaimedDelivery,
): Receiver | undefined {
  const webhook = webhookId === null ? undefined : webhookCache.peek(webhookId);
  if (webhook === undefined) return undefined;
  return { address: webhookId, webhook, target: null, failure: null };
}

/** Never rejects. */
export async function findReceiver(
  { webhookCache, dataSealer }: Pick<Deps, 'webhookCache' | 'dataSealer'>,
  { webhookId, source }: ClaimedDelivery,
): Promise<Receiver> {
  try {
    if (webhookId !== null) {
      return { address: webhookId, webhook: await webhookCache.get(webhookId), target: null, failure: null };
    }
    const target = await openTarget(dataSealer, source, source.target ?? '');
    return { address: target.url, webhook: null, target, failure: null };
  } catch (failure) {
    return { address: null, webhook: null, target: null, failure };
  }
}

/** A delivery in flight. Its lane is that of the address. */
export interface DeliveryEntry extends WorkEntry {
  readonly delivery: ClaimedDelivery;
  readonly to: Receiver;
  /** `send`, or the status it gets without an attempt. */
  readonly verdict: ReturnType<typeof decideBeforeAttempt>;
  /** With a rate limit: when the attempt may begin, or when to try again (rate-slots.ts). */
  readonly startsAtMs?: number;
  readonly backAtMs?: number;
}

export function toEntry(delivery: ClaimedDelivery, to: Receiver): DeliveryEntry {
  const { batchId, kind, source, attempts } = delivery;
  const state = to.webhook === null ? 'gone' : to.webhook.active ? 'active' : 'disabled';
  const due = { attempt: attempts + 1, kind, superseded: source.superseded };
  // `buildRequest` then throws the failure.
  const verdict = to.failure === null ? decideBeforeAttempt(due, state) : 'send';
  const receiver = verdict === 'send' ? to.address : null;
  const { organizationId } = source;
  const bytes = source.body.length;
  return { rowId: batchId, organizationId, receiver, retry: attempts > 0, bytes, delivery, to, verdict };
}

export interface DeliveryRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** See `Call`. */
  readonly secretsOf?: string;
  /** Null: DELIVERY_TIMEOUT_MS. */
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

/** Builds the request of an attempt. @throws `failure` when the receiver is unknown */
export function buildRequest(
  { webhook, target, failure }: Receiver,
  { source }: ClaimedDelivery,
  attempt: number,
  nowMs: number,
): DeliveryRequest {
  if (webhook !== null) return buildWebhookRequest(webhook, source, attempt, nowMs);
  if (target === null) throw failure;
  // The node's own headers replace ours of the same name.
  const own = {
    'content-type': 'application/json',
    ...buildCauseHeaders(source),
    ...target.headers,
    'webhook-id': target.id,
    'x-delivery-attempt': String(attempt),
    ...buildSignature(target, source.body, nowMs),
  };
  const { organizationId: secretsOf, body } = source;
  return { url: target.url, headers: own, body, secretsOf, timeoutMs: null };
}

function buildSignature({ id, signingSecrets }: OneOffTarget, body: Buffer, nowMs: number) {
  if (signingSecrets.length === 0) return {};
  const keys = signingSecrets.flatMap((secret) => parseWebhookKey(secret) ?? []);
  return signStandardWebhook({ id, timestampSeconds: Math.floor(nowMs / 1000), body, keys });
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
  const timeoutMs = request.timeoutMs ?? deps.config.DELIVERY_TIMEOUT_MS;
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
