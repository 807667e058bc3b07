// The endpoint table of webhooks.
import { creates, del, get, patch, post, type Endpoint } from '@parley/server/http';
import { voiceApiDialect } from '@parley/envelopes';
import type { Deps } from '../deps.ts';
import {
  changeWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  registerWebhook,
  createSecretCheck,
} from './manage-webhooks.ts';
import { getDelivery, listAllDeliveries, listDeliveries } from '../deliveries/log/read-deliveries.ts';
import { replayDeliveries, retryDelivery } from '../deliveries/replay-deliveries.ts';
import { rotateSecret } from './rotate-secret.ts';
import {
  allDeliveriesQuery,
  deletedWebhook,
  delivery,
  deliveryDetail,
  deliveryListQuery,
  deliveryOfAllParams,
  deliveryParams,
  newWebhook,
  replayRequest,
  replayResult,
  rotation,
  testRequest,
  testResult,
  verifyRequest,
  verifyResult,
  webhook,
  webhookChange,
  webhookListQuery,
  webhookParams,
  webhookWithHealth,
  webhookWithSecret,
} from './schemas.ts';
import { testWebhook } from './test-webhook.ts';
import { verifyDelivery } from './verify-delivery.ts';

const { pageSchema } = voiceApiDialect;

export function webhookEndpoints(deps: Deps): Endpoint[] {
  const secretInForce = createSecretCheck(deps);
  return [
    creates(
      '/webhooks',
      {
        operationId: 'registerWebhook',
        summary: 'Register a webhook; only this answer contains its secret',
        scope: 'write',
        boundKeys: true,
        alsoScope: 'read', // it decides where readable data is sent
        body: newWebhook,
        sends: ['Location'],
        replies: { 201: webhookWithSecret },
        refusals: ['conflict', 'bot_not_of_key', 'not_for_bound_keys'],
        secretInForce,
      },
      ({ caller, body, transaction }) => registerWebhook(deps, caller, body, transaction),
    ),
    get(
      '/webhooks',
      {
        operationId: 'listWebhooks',
        summary: 'List webhooks, newest first',
        scope: 'read',
        boundKeys: true,
        query: webhookListQuery,
        replies: { 200: pageSchema(webhook) },
      },
      ({ caller, query }) => listWebhooks(deps, caller, query),
    ),
    get(
      '/webhooks/{webhook_id}',
      {
        operationId: 'getWebhook',
        summary: 'Get a webhook with the health of its deliveries in the last 24 hours',
        scope: 'read',
        boundKeys: true,
        params: webhookParams,
        replies: { 200: webhookWithHealth },
      },
      ({ caller, params }) => getWebhook(deps, caller, params.webhook_id),
    ),
    patch(
      '/webhooks/{webhook_id}',
      {
        operationId: 'changeWebhook',
        summary: 'Update, disable or enable a webhook',
        scope: 'write',
        boundKeys: true,
        alsoScope: 'read', // it decides where readable data is sent
        params: webhookParams,
        body: webhookChange,
        replies: { 200: webhook },
        refusals: ['bot_not_of_key', 'not_for_bound_keys'],
      },
      ({ caller, params, body }) => changeWebhook(deps, caller, params.webhook_id, body),
    ),
    del(
      '/webhooks/{webhook_id}',
      {
        operationId: 'deleteWebhook',
        summary: 'Delete a webhook',
        scope: 'delete',
        boundKeys: true,
        params: webhookParams,
        replies: { 200: deletedWebhook },
      },
      ({ caller, params }) => deleteWebhook(deps, caller, params.webhook_id),
    ),
    post(
      '/webhooks/{webhook_id}/test',
      {
        operationId: 'testWebhook',
        summary: 'Send a sample event now and return the result',
        scope: 'write',
        boundKeys: true,
        params: webhookParams,
        body: testRequest,
        replies: { 200: testResult },
      },
      ({ caller, params, body, request }) => testWebhook(deps, caller, params.webhook_id, body, request),
    ),
    creates(
      '/webhooks/{webhook_id}/rotate-secret',
      {
        operationId: 'rotateWebhookSecret',
        summary: 'Rotate the secret; the old one also signs until the grace period ends',
        scope: 'write',
        boundKeys: true,
        params: webhookParams,
        body: rotation,
        replies: { 200: webhookWithSecret },
        refusals: ['conflict'],
        secretInForce,
      },
      ({ caller, params, body, transaction }) =>
        rotateSecret(deps, caller, params.webhook_id, body, transaction),
    ),
    get(
      '/deliveries',
      {
        operationId: 'listAllDeliveries',
        summary: 'List the deliveries of all webhooks, newest first',
        scope: 'read',
        boundKeys: true,
        query: allDeliveriesQuery,
        replies: { 200: pageSchema(delivery) },
      },
      ({ caller, query }) => listAllDeliveries(deps, caller, query),
    ),
    get(
      '/deliveries/{delivery_id}',
      {
        operationId: 'getDeliveryOfAll',
        summary: 'Get a delivery of any webhook with its body and attempts',
        scope: 'read',
        boundKeys: true,
        params: deliveryOfAllParams,
        replies: { 200: deliveryDetail },
      },
      ({ caller, params }) => getDelivery(deps, caller, null, params.delivery_id),
    ),
    get(
      '/webhooks/{webhook_id}/deliveries',
      {
        operationId: 'listDeliveries',
        summary: 'List the deliveries of a webhook, newest first',
        scope: 'read',
        boundKeys: true,
        params: webhookParams,
        query: deliveryListQuery,
        replies: { 200: pageSchema(delivery) },
      },
      ({ caller, params, query }) => listDeliveries(deps, caller, params.webhook_id, query),
    ),
    get(
      '/webhooks/{webhook_id}/deliveries/{delivery_id}',
      {
        operationId: 'getDelivery',
        summary: 'Get a delivery with its body and attempts',
        scope: 'read',
        boundKeys: true,
        params: deliveryParams,
        replies: { 200: deliveryDetail },
      },
      ({ caller, params }) => getDelivery(deps, caller, params.webhook_id, params.delivery_id),
    ),
    creates(
      '/webhooks/{webhook_id}/deliveries/{delivery_id}/retry',
      {
        operationId: 'retryDelivery',
        summary: 'Make the planned attempt now, or redeliver a finished delivery',
        scope: 'write',
        boundKeys: true,
        params: deliveryParams,
        replies: { 202: delivery },
        refusals: ['conflict'],
      },
      ({ caller, params, transaction }) =>
        retryDelivery(deps, caller, params.webhook_id, params.delivery_id, transaction),
    ),
    creates(
      '/webhooks/{webhook_id}/replay',
      {
        operationId: 'replayDeliveries',
        summary: 'Redeliver the events of a period; by default those that did not arrive',
        scope: 'write',
        boundKeys: true,
        params: webhookParams,
        body: replayRequest,
        replies: { 202: replayResult },
        refusals: ['limit_exceeded'],
      },
      ({ caller, params, body, transaction }) =>
        replayDeliveries(deps, caller, params.webhook_id, body, transaction),
    ),
    post(
      '/webhooks/{webhook_id}/verify',
      {
        operationId: 'verifyDelivery',
        summary: 'Check the signatures of a received request and explain why none matches',
        scope: 'write', // changes nothing, but reveals information about secrets
        boundKeys: true,
        params: webhookParams,
        body: verifyRequest,
        replies: { 200: verifyResult },
      },
      ({ caller, params, body }) => verifyDelivery(deps, caller, params.webhook_id, body),
    ),
  ];
}
