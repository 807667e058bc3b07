// The endpoint table of webhooks.
import { creates, del, get, patch, post, put, type Endpoint } from '@parley/server/http';
import { voiceApiDialect } from '@parley/envelopes';
import type { Deps } from './deps.ts';
import {
  changeWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  registerWebhook,
  createSecretCheck,
} from './manage-webhooks.ts';
import { putWebhook } from './put-webhook.ts';
import { rotateSecret } from './rotate-secret.ts';
import {
  deletedWebhook,
  newWebhook,
  ownWebhookParams,
  rotation,
  verifyRequest,
  verifyResult,
  webhook,
  webhookChange,
  listedWebhook,
  webhookListQuery,
  webhookParams,
  webhookWithHealth,
  webhookWithSecret,
} from './schemas.ts';
import { eventTypeList, listEventTypes } from '../webhook-format/webhook-events.ts';
import { verifyDelivery } from './verify-delivery.ts';

const { pageSchema } = voiceApiDialect;

export function webhookEndpoints(deps: Deps): Endpoint[] {
  return [...registrationEndpoints(deps), ...changeEndpoints(deps), ...secretEndpoints(deps)];
}

function registrationEndpoints(deps: Deps): Endpoint[] {
  const secretInForce = createSecretCheck(deps);
  return [
    creates(
      '/webhooks',
      {
        operationId: 'registerWebhook',
        summary: 'Register a webhook; only this answer contains its secret',
        scope: 'write',
        boundKeys: true,
        portal: true,
        alsoScope: 'read', // it decides where readable data is sent
        body: newWebhook,
        sends: ['Location'],
        replies: { 201: webhookWithSecret },
        refusals: ['conflict', 'bot_not_of_key', 'not_for_bound_keys', 'unprocessable'],
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
        portal: true,
        query: webhookListQuery,
        replies: { 200: pageSchema(listedWebhook) },
      },
      ({ caller, query }) => listWebhooks(deps, caller, query),
    ),
    get(
      '/event-types',
      {
        operationId: 'listEventTypes',
        summary: 'List the types of webhook events with an example each',
        scope: 'read',
        boundKeys: true,
        portal: true,
        replies: { 200: eventTypeList },
      },
      async () => listEventTypes(),
    ),
    get(
      '/webhooks/{webhook_id}',
      {
        operationId: 'getWebhook',
        summary: 'Get a webhook with the health of its deliveries in the last 24 hours',
        scope: 'read',
        boundKeys: true,
        portal: true,
        params: webhookParams,
        replies: { 200: webhookWithHealth },
      },
      ({ caller, params }) => getWebhook(deps, caller, params.webhook_id),
    ),
  ];
}

function changeEndpoints(deps: Deps): Endpoint[] {
  return [
    put(
      '/webhooks/{webhook_id}',
      {
        operationId: 'putWebhook',
        summary: 'Create or replace a webhook by an id of your own; only the answer 201 contains its secret',
        scope: 'write',
        alsoScope: 'read', // it decides where readable data is sent
        params: ownWebhookParams,
        body: newWebhook,
        sends: ['Location'],
        replies: { 200: webhook, 201: webhookWithSecret },
        refusals: ['conflict', 'unprocessable'],
      },
      ({ caller, params, body }) => putWebhook(deps, caller, params.webhook_id, body),
    ),
    patch(
      '/webhooks/{webhook_id}',
      {
        operationId: 'changeWebhook',
        summary: 'Update, disable or enable a webhook',
        scope: 'write',
        boundKeys: true,
        portal: true,
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
        portal: true,
        params: webhookParams,
        replies: { 200: deletedWebhook },
      },
      ({ caller, params }) => deleteWebhook(deps, caller, params.webhook_id),
    ),
  ];
}

function secretEndpoints(deps: Deps): Endpoint[] {
  const secretInForce = createSecretCheck(deps);
  return [
    creates(
      '/webhooks/{webhook_id}/rotate-secret',
      {
        operationId: 'rotateWebhookSecret',
        summary: 'Rotate the secret; the old one also signs until the grace period ends',
        scope: 'write',
        boundKeys: true,
        portal: true,
        params: webhookParams,
        body: rotation,
        replies: { 200: webhookWithSecret },
        refusals: ['conflict'],
        secretInForce,
      },
      ({ caller, params, body, transaction }) =>
        rotateSecret(deps, caller, params.webhook_id, body, transaction),
    ),
    post(
      '/webhooks/{webhook_id}/verify',
      {
        operationId: 'verifyDelivery',
        summary: 'Check the signatures of a received request and explain why none matches',
        scope: 'write', // changes nothing, but reveals information about secrets
        boundKeys: true,
        portal: true,
        params: webhookParams,
        body: verifyRequest,
        replies: { 200: verifyResult },
      },
      ({ caller, params, body }) => verifyDelivery(deps, caller, params.webhook_id, body),
    ),
  ];
}
