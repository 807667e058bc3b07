// Webhooks and their deliveries.
import { queryOptions } from '@tanstack/react-query';
import { readData, voiceApi } from '../api/clients.ts';
import type { components, operations } from '@parley/sdk/voice-api';

export type Webhook = components['schemas']['Webhook'];
export type NewWebhook = components['schemas']['NewWebhook'];
export type WebhookChange = components['schemas']['WebhookChange'];
export type Delivery = components['schemas']['Delivery'];
export type ListedDelivery = components['schemas']['ListedDelivery'];
export type DeliveryDetail = components['schemas']['DeliveryDetail'];
export type WebhookHealth = components['schemas']['WebhookHealth'];
export type Attempt = components['schemas']['DeliveryAttempt'];
export type Replay = components['schemas']['Replay'];
type WebhooksQuery = NonNullable<operations['listWebhooks']['parameters']['query']>;
export type DeliveryQuery = NonNullable<operations['listDeliveries']['parameters']['query']>;
export type AllDeliveriesQuery = NonNullable<operations['listAllDeliveries']['parameters']['query']>;

const at = (id: string) => ({ params: { path: { webhook_id: id } } });
const deliveryAt = (id: string, deliveryId: string) => ({
  params: { path: { webhook_id: id, delivery_id: deliveryId } },
});

const PENDING_EVERY_MS = 3_000;

const whilePending = ({
  state,
}: {
  readonly state: { readonly data?: { readonly items: readonly Delivery[] } | undefined };
}) => (state.data?.items.some(({ status }) => status === 'pending') ? PENDING_EVERY_MS : false);

/** First elements of the keys of lists and pages of webhooks. */
export const WEBHOOKS = ['webhooks', 'webhook'] as const;

export const webhooksQuery = (query: WebhooksQuery = {}) =>
  queryOptions({
    queryKey: ['webhooks', query],
    queryFn: () => readData(voiceApi.GET('/v1/webhooks', { params: { query } })),
  });

/** Event types with examples. */
export const eventTypesQuery = queryOptions({
  queryKey: ['event-types'],
  queryFn: () => readData(voiceApi.GET('/v1/event-types')),
  staleTime: Infinity,
});

export const webhookQuery = (id: string) =>
  queryOptions({
    queryKey: ['webhook', id],
    queryFn: () => readData(voiceApi.GET('/v1/webhooks/{webhook_id}', at(id))),
  });

export const deliveriesQuery = (id: string, query: DeliveryQuery) =>
  queryOptions({
    queryKey: ['webhook', id, 'deliveries', query],
    queryFn: () =>
      readData(voiceApi.GET('/v1/webhooks/{webhook_id}/deliveries', { params: { ...at(id).params, query } })),
    refetchInterval: whilePending,
  });

/** The deliveries of all webhooks. */
export const allDeliveriesQuery = (query: AllDeliveriesQuery) =>
  queryOptions({
    queryKey: ['webhook', 'deliveries of all', query],
    queryFn: () => readData(voiceApi.GET('/v1/deliveries', { params: { query } })),
    refetchInterval: whilePending,
  });

/** Prefix of the query keys of one conversation's deliveries. */
export const getDeliveriesKey = (conversationId: string) =>
  allDeliveriesQuery({ conversation_id: conversationId }).queryKey;

export const deliveryQuery = (id: string, deliveryId: string) =>
  queryOptions({
    queryKey: ['webhook', id, 'delivery', deliveryId],
    queryFn: () =>
      readData(
        voiceApi.GET('/v1/webhooks/{webhook_id}/deliveries/{delivery_id}', deliveryAt(id, deliveryId)),
      ),
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? PENDING_EVERY_MS : false),
  });

export const createWebhook = (body: NewWebhook) => readData(voiceApi.POST('/v1/webhooks', { body }));
export const changeWebhook = (id: string, body: WebhookChange) =>
  readData(voiceApi.PATCH('/v1/webhooks/{webhook_id}', { ...at(id), body }));
export const deleteWebhook = (id: string) => readData(voiceApi.DELETE('/v1/webhooks/{webhook_id}', at(id)));
export const testWebhook = (id: string, event: components['schemas']['WebhookTest']['event']) =>
  readData(voiceApi.POST('/v1/webhooks/{webhook_id}/test', { ...at(id), body: { event } }));
export const rotateSecret = (id: string, graceSeconds: number) =>
  readData(
    voiceApi.POST('/v1/webhooks/{webhook_id}/rotate-secret', {
      ...at(id),
      body: { grace_seconds: graceSeconds },
    }),
  );
export const replay = (id: string, body: Replay) =>
  readData(voiceApi.POST('/v1/webhooks/{webhook_id}/replay', { ...at(id), body }));
export const retry = (id: string, deliveryId: string) =>
  readData(
    voiceApi.POST('/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/retry', deliveryAt(id, deliveryId)),
  );
export const verify = (id: string, body: components['schemas']['VerifyRequest']) =>
  readData(voiceApi.POST('/v1/webhooks/{webhook_id}/verify', { ...at(id), body }));
