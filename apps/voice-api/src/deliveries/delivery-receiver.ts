// Resolves the receiver of a delivery, decides whether it is sent, and builds its request.
import { signStandardWebhook, parseWebhookKey } from '@parley/outbound/standard-webhooks';
import type { WorkEntry } from '@parley/jobs';
import type { Deps } from './deps.ts';
import { buildCauseHeaders, buildWebhookRequest, type DeliveryRequest } from './attempt-delivery.ts';
import type { ClaimedDelivery } from './claim-deliveries.ts';
import type { SendableWebhook } from '../webhooks/webhook-cache.ts';
import { decideBeforeAttempt } from './delivery.rules.ts';
import { openTarget, type OneOffTarget } from './one-off-target.ts';

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
