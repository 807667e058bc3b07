// Shared helpers of webhook tests: registering webhooks, committing events, reading deliveries.
import { inTransaction } from '@parley/server/postgres';
import { eventually } from '@parley/testing';
import { computeEventId } from '../src/deliveries/event-id.ts';
import type { OutgoingEvent } from '../src/deliveries/plan-deliveries.rules.ts';
import { writeDeliveries } from '../src/deliveries/write-deliveries.ts';
import { sampleData } from '../src/webhook-format/webhook-events.ts';
import type { VoiceApi } from './service.ts';

/** Receivers of tests listen on loopback. */
export const LOOPBACK = { OUTBOUND_ALLOW: '127.0.0.1' };

/** The schedule in milliseconds. The last wait is long enough to change the webhook before. */
export const FAST_WAITS = { DELIVERY_RETRY_WAITS_MS: '40,50,60,70,4000' };

export interface WebhookBody {
  id: string;
  url: string;
  status: string;
  secret: string;
  [member: string]: unknown;
}

export interface DeliveryBody {
  id: string;
  event_id: string;
  event: string;
  kind: string;
  status: string;
  attempts: number;
  next_attempt_at: string | null;
  replay_of: string | null;
}

export interface DeliveryDetailBody extends DeliveryBody {
  body: unknown;
  attempt_log: {
    attempt: number;
    status: number | null;
    error_class: string | null;
    message: string | null;
    answer: string | null;
  }[];
}

/** `data` of an answer. */
export function dataOf<T>(answer: { readonly body: unknown }): T {
  return (answer.body as { data: T }).data;
}

/** Registers a webhook for all events. */
export async function registered(
  { api }: Pick<VoiceApi, 'api'>,
  url: string,
  more: object = {},
): Promise<WebhookBody> {
  return dataOf(await api.post('/v1/webhooks', { url, events: ['*'], ...more }).expect(201));
}

let made = 0;

/** An event of acme's conversation `conv_1` with this `metadata`. */
export function event({
  metadata = { a: 'ü€😀' },
  ...over
}: Partial<OutgoingEvent> & { metadata?: object } = {}): OutgoingEvent {
  made += 1;
  const { conversationId = 'conv_1', type = 'conversation.started', sequence = made } = over;
  return {
    id: computeEventId({ organizationId: 'acme', conversationId }, type, String(made)),
    organizationId: 'acme',
    conversationId,
    botId: 'bot_1',
    applicationId: null,
    type,
    occurredAt: new Date('2026-11-20T18:00:00.123Z'),
    sequence,
    turnIndex: null,
    data: { ...sampleData(type), conversation_id: conversationId, bot_id: 'bot_1', metadata, sequence },
    ...over,
  };
}

/** Commits events as the intake does, and enqueues their deliveries unless `enqueue` is false. */
export async function commit(
  { deps }: Pick<VoiceApi, 'deps'>,
  events: readonly OutgoingEvent[],
  enqueue = true,
): Promise<void> {
  const batches = await inTransaction(deps.pool, (sql) => writeDeliveries(deps, sql, events));
  if (enqueue) deps.deliveryEnqueuer.enqueue(batches);
}

export async function deliveries(
  { api }: Pick<VoiceApi, 'api'>,
  webhookId: string,
  query = '',
): Promise<DeliveryBody[]> {
  const answer = await api.get(`/v1/webhooks/${webhookId}/deliveries?limit=100${query}`).expect(200);
  return dataOf<{ items: DeliveryBody[] }>(answer).items;
}

export async function detail(
  { api }: Pick<VoiceApi, 'api'>,
  webhookId: string,
  deliveryId: string,
): Promise<DeliveryDetailBody> {
  return dataOf(await api.get(`/v1/webhooks/${webhookId}/deliveries/${deliveryId}`).expect(200));
}

/** Waits until all deliveries of a webhook have one of these statuses. */
export async function settled(
  service: Pick<VoiceApi, 'api'>,
  webhookId: string,
  ...statuses: string[]
): Promise<DeliveryBody[]> {
  return eventually(
    async () => {
      const found = await deliveries(service, webhookId);
      const open = found.filter(({ status }) => !statuses.includes(status));
      if (found.length === 0 || open.length > 0)
        throw new Error(`${found.length} deliveries, of them ${JSON.stringify(open)}`);
      return found;
    },
    { timeoutMs: 20_000 },
  );
}

export async function webhookOf({ api }: Pick<VoiceApi, 'api'>, id: string): Promise<WebhookBody> {
  return dataOf(await api.get(`/v1/webhooks/${id}`).expect(200));
}

/** Removes all webhooks and their data between tests. */
export async function forgetWebhooks({ deps }: VoiceApi): Promise<void> {
  await deps.sql(
    'TRUNCATE webhooks, webhook_events, webhook_deliveries, webhook_delivery_attempts, webhook_delivery_batches, webhook_delivery_orders',
  );
}
