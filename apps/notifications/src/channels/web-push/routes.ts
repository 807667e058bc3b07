// The endpoint table of web push, mounted below /v1 only where web push is on. Elsewhere the paths
// are unknown.
import { creates, del, get, type Endpoint } from '@parley/server/http';
import type { BaseDeps } from '../../base-deps.ts';
import { listHistory } from './history.ts';
import { listSubscriptions, registerSubscription, removeSubscription } from './registrations.ts';
import {
  historyPage,
  historyQuery,
  publicKey,
  registerRequest,
  registration,
  registrationPage,
  registrationParams,
  registrationQuery,
} from './schemas.ts';

export function pushEndpoints(deps: BaseDeps): Endpoint[] {
  const { push } = deps;
  if (push === null) return [];
  return [
    get(
      '/push/vapid-public-key',
      {
        operationId: 'getVapidPublicKey',
        summary: 'Get the public key that browsers subscribe with',
        scope: 'read',
        endUsers: true,
        replies: { 200: publicKey },
      },
      async () => {
        const { current } = await push.vapidKeys();
        return { public_key: current.publicKey, key_id: current.id };
      },
    ),
    creates(
      '/push/registrations',
      {
        operationId: 'registerPushSubscription',
        summary: 'Register or update a subscription',
        scope: 'write',
        endUsers: true,
        body: registerRequest,
        replies: { 200: registration, 201: registration },
        refusals: ['limit_exceeded'],
      },
      ({ caller, body, transaction }) => registerSubscription({ ...deps, push }, caller, body, transaction),
    ),
    get(
      '/push/registrations',
      {
        operationId: 'listPushSubscriptions',
        summary: 'List subscriptions, newest first, without their keys',
        scope: 'read',
        endUsers: true,
        query: registrationQuery,
        replies: { 200: registrationPage },
      },
      ({ caller, query }) => listSubscriptions(deps, caller, query),
    ),
    del(
      '/push/registrations/{sub_id}',
      {
        operationId: 'removePushSubscription',
        summary: 'Remove a subscription',
        scope: 'delete',
        endUsers: true,
        params: registrationParams,
        replies: { 204: null },
        refusals: ['not_found'],
      },
      ({ caller, params }) => removeSubscription(deps, caller, params.sub_id),
    ),
  ];
}

export function pushHistoryEndpoints(deps: BaseDeps): Endpoint[] {
  if (deps.push === null) return [];
  return [
    get(
      '/push/history',
      {
        operationId: 'listPushHistory',
        summary: "List a user's push history, newest first",
        scope: 'read',
        endUsers: true,
        query: historyQuery,
        replies: { 200: historyPage },
      },
      ({ caller, query }) => listHistory(deps, caller, query),
    ),
  ];
}
