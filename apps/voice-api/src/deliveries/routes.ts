// The endpoint table of deliveries: test, log, retry and replay.
import { creates, get, post, type Endpoint } from '@parley/server/http';
import { voiceApiDialect } from '@parley/envelopes';
import { webhookParams } from '../webhooks/schemas.ts';
import type { Deps } from './deps.ts';
import { getDelivery, listAllDeliveries, listDeliveries } from './log/read-deliveries.ts';
import { replayDeliveries, retryDelivery } from './replay-deliveries.ts';
import {
  allDeliveriesQuery,
  delivery,
  deliveryDetail,
  deliveryListQuery,
  deliveryOfAllParams,
  deliveryParams,
  listedDelivery,
  replayRequest,
  replayResult,
  testRequest,
  testResult,
} from './schemas.ts';
import { testWebhook } from './test-webhook.ts';

const { pageSchema } = voiceApiDialect;

export function deliveryEndpoints(deps: Deps): Endpoint[] {
  return [...testEndpoints(deps), ...logEndpoints(deps), ...redeliveryEndpoints(deps)];
}

function testEndpoints(deps: Deps): Endpoint[] {
  return [
    post(
      '/webhooks/{webhook_id}/test',
      {
        operationId: 'testWebhook',
        summary: 'Send a sample event now and return the result',
        scope: 'write',
        boundKeys: true,
        portal: true,
        params: webhookParams,
        body: testRequest,
        replies: { 200: testResult },
      },
      ({ caller, params, body, request }) => testWebhook(deps, caller, params.webhook_id, body, request),
    ),
  ];
}

function logEndpoints(deps: Deps): Endpoint[] {
  return [
    get(
      '/deliveries',
      {
        operationId: 'listAllDeliveries',
        summary: 'List the deliveries of all webhooks, newest first',
        scope: 'read',
        boundKeys: true,
        query: allDeliveriesQuery,
        replies: { 200: pageSchema(listedDelivery) },
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
        portal: true,
        params: webhookParams,
        query: deliveryListQuery,
        replies: { 200: pageSchema(listedDelivery) },
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
        portal: true,
        params: deliveryParams,
        replies: { 200: deliveryDetail },
      },
      ({ caller, params }) => getDelivery(deps, caller, params.webhook_id, params.delivery_id),
    ),
  ];
}

function redeliveryEndpoints(deps: Deps): Endpoint[] {
  return [
    creates(
      '/webhooks/{webhook_id}/deliveries/{delivery_id}/retry',
      {
        operationId: 'retryDelivery',
        summary: 'Make the planned attempt now, or redeliver a finished delivery',
        scope: 'write',
        boundKeys: true,
        portal: true,
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
        portal: true,
        params: webhookParams,
        body: replayRequest,
        replies: { 202: replayResult },
        refusals: ['limit_exceeded'],
      },
      ({ caller, params, body, transaction }) =>
        replayDeliveries(deps, caller, params.webhook_id, body, transaction),
    ),
  ];
}
