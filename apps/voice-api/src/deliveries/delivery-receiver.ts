// Where a delivery goes, a webhook or the target of a one-off delivery, and the request that it gets. Called by send-deliveries.ts.
import type { Deps } from '../deps.ts';
import { causeHeaders, webhookRequest, type Request } from './attempt-delivery.ts';
import type { ClaimedDelivery } from './claim-batches.ts';
import type { SendableWebhook } from '../webhooks/known-webhooks.ts';
import { openTarget, type OneOffTarget } from './one-off-target.ts';

export interface Receiver {
  /** A webhook's id, or the address of a one-off delivery. */
  readonly lane: string;
  /** Null: it was removed, or there is a target. */
  readonly webhook: SendableWebhook | null;
  readonly target: OneOffTarget | null;
}

export async function receiverOf(
  { knownWebhooks, dataSealer }: Pick<Deps, 'knownWebhooks' | 'dataSealer'>,
  delivery: ClaimedDelivery,
): Promise<Receiver> {
  const { webhookId, source } = delivery;
  if (webhookId === null) {
    const target = await openTarget(dataSealer, source, source.target ?? '');
    return { lane: target.url, webhook: null, target };
  }
  const known = knownWebhooks.peek(webhookId);
  const webhook = known === undefined ? await knownWebhooks.get(webhookId) : known;
  return { lane: webhookId, webhook, target: null };
}

/** What an attempt sends there. */
export function requestOf(
  { webhook, target }: Receiver,
  { source }: ClaimedDelivery,
  attempt: number,
  nowMs: number,
): Request {
  if (target !== null) {
    // The node's own headers go before ours of the same name.
    const own = {
      'content-type': 'application/json',
      ...causeHeaders(source),
      ...target.headers,
      'webhook-id': target.id,
      'x-delivery-attempt': String(attempt),
    };
    return { url: target.url, headers: own, body: source.body };
  }
  if (webhook === null) throw new Error('a delivery without a receiver');
  return webhookRequest(webhook, source, attempt, nowMs);
}
