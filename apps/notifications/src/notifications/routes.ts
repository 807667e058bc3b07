// Endpoint tables of the send operation. /v1 has all of it, the product face only sending.
import { createsAlone, del, get, Reply, type Caller, type Endpoint } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { createBulkAcceptor } from '../accept/accept-bulk.ts';
import { createWorkflowReader } from '../accept/apply-workflow.ts';
import type { SendCall } from '../accept/accept-notification.ts';
import { acceptOccurrence, acceptRecurring } from '../recurring/accept-recurring.ts';
import { listRecurring } from '../recurring/read-recurring.ts';
import { recurringListQuery, recurringPage } from '../recurring/schemas.ts';
import { cancelNotification } from './cancel-notification.ts';
import { listNotifications } from './list-notifications.ts';
import { getNotification, listAttempts } from './read-status.ts';
import {
  bulkAnswer,
  bulkRequest,
  deliveryAttempts,
  notificationListQuery,
  notificationPage,
  notificationStatus,
  notifyAccepted,
  notifyParams,
  notifyPreview,
} from './schemas.ts';
import { notifyRequest, type GivenRequest } from '../accept/request/notify-request.ts';

/** 200 for a dry run, which creates nothing; 202 for an accepted send. */
function sendEndpoint(deps: Deps): Endpoint {
  return createsAlone(
    '/notify',
    {
      operationId: 'notify',
      stores: true,
      summary: 'Send a notification over one or more channels',
      scope: 'write',
      body: notifyRequest(deps),
      replies: { 200: notifyPreview, 202: notifyAccepted },
      refusals: ['unprocessable', 'limit_exceeded'],
    },
    async ({ caller, body, ...call }) => {
      const { schedule } = body;
      const answer = schedule
        ? await acceptRecurring(deps, caller, { ...body, schedule }, call)
        : await acceptOnce(deps, caller, body, call);
      return new Reply(answer, { status: body.dry_run ? 200 : 202 });
    },
  );
}

async function acceptOnce(deps: Deps, caller: Caller, given: GivenRequest, call: SendCall) {
  const sql = call.transaction?.sql ?? deps.sql;
  const body = await createWorkflowReader(deps, sql, caller.organizationId)(given);
  return acceptOccurrence(deps, caller, body, call);
}

export function notifyEndpoints(deps: Deps): Endpoint[] {
  const acceptBulk = createBulkAcceptor(deps);
  return [
    sendEndpoint(deps),
    createsAlone(
      '/notify/bulk',
      {
        operationId: 'notifyMany',
        stores: true,
        summary: 'Accept or refuse up to 1,000 sends, each on its own',
        scope: 'write',
        body: bulkRequest,
        replies: { 202: bulkAnswer },
        refusals: ['limit_exceeded'],
      },
      ({ caller, body, request, transaction, charge }) =>
        acceptBulk(caller, body.sends, request, transaction, charge),
    ),
    get(
      '/notify',
      {
        operationId: 'listSends',
        summary: 'List notifications, newest first, with the status of each channel',
        scope: 'read',
        query: notificationListQuery,
        replies: { 200: notificationPage },
      },
      ({ caller, query }) => listNotifications(deps, caller, query),
    ),
    get(
      '/recurring',
      {
        operationId: 'listRecurringSends',
        summary: 'List recurring sends, newest first',
        scope: 'read',
        query: recurringListQuery,
        replies: { 200: recurringPage },
      },
      ({ caller, query }) => listRecurring(deps, caller, query),
    ),
    get(
      '/notify/{id}',
      {
        operationId: 'getNotification',
        summary: 'Get the status of each channel of a notification',
        scope: 'read',
        params: notifyParams,
        replies: { 200: notificationStatus },
        refusals: ['not_found'],
      },
      ({ caller, params }) => getNotification(deps, caller, params.id),
    ),
    del(
      '/notify/{id}',
      {
        operationId: 'cancelNotification',
        summary: 'Cancel what is not sent yet',
        scope: 'delete',
        params: notifyParams,
        replies: { 200: notificationStatus },
        refusals: ['not_found', 'conflict'],
      },
      ({ caller, params }) => cancelNotification(deps, caller, params.id),
    ),
    get(
      '/notify/{id}/attempts',
      {
        operationId: 'listDeliveryAttempts',
        summary: "List a notification's delivery attempts",
        scope: 'read',
        params: notifyParams,
        replies: { 200: deliveryAttempts },
        refusals: ['not_found'],
      },
      ({ caller, params }) => listAttempts(deps, caller, params.id),
    ),
  ];
}

/** The send of `/v1` on the product face. */
export function productNotifyEndpoints(v1: readonly Endpoint[]): Endpoint[] {
  const send = v1.find(({ operationId }) => operationId === 'notify')!;
  return [{ ...send, path: '/notifications/send', operationId: 'sendNotification' }];
}
