// POST /v1/push/read: opening a push marks its inbox item as read.
import { post, type Endpoint } from '@parley/server/http';
import { receiptQuery } from '../channels/web-push/schemas.ts';
import { toReceiptItemId, receiptCredential } from '../channels/web-push/push-receipt.ts';
import type { Deps } from '../deps.ts';
import { changeItem } from './change-item.ts';

/** None where web push is off. */
export function pushReadEndpoints(deps: Deps): Endpoint[] {
  if (deps.push === null) return [];
  return [
    post(
      '/push/read',
      {
        operationId: 'readPushedNotification',
        summary:
          'Mark the inbox item of an opened push as read. Called by a service worker with the receipt from the push',
        scope: 'write',
        query: receiptQuery,
        replies: { 204: null },
        credential: receiptCredential(deps),
      },
      async ({ caller, query }) =>
        void (await changeItem(deps, caller, toReceiptItemId(query.receipt), undefined, 'read')),
    ),
  ];
}
