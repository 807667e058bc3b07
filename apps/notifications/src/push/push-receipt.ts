// The credential of POST /v1/push/read: what a push brings along, so that a service worker, which has no credential, can say that its
// notification was opened (docs/notifications.md#one-read-everywhere). It is good for that one item and nothing else.
import { timingSafeEqual } from 'node:crypto';
import { AppError } from '@parley/envelopes';
import type { OwnCredential } from '@parley/http';
import type { Deps } from '../deps.ts';
import { itemIdOf } from '../inbox/write-item.ts';

const RECEIPT = /^(ntf_[0-9a-z]{1,40})\.([0-9a-f]{16})$/;

/** Under DATA_KEY: after a rotation, what was pushed before is opened without being read. */
export async function receiptOf(
  { dataSealer }: Pick<Deps, 'dataSealer'>,
  organizationId: string,
  notificationId: string,
  userId: string,
): Promise<string> {
  const hash = await dataSealer.hasher('push receipt');
  return hash(JSON.stringify([organizationId, notificationId, userId]));
}

/** The item that the receipt is for is the one of the notification in it. */
export function receiptCredential(deps: Pick<Deps, 'dataSealer' | 'sql'>): OwnCredential {
  return {
    scheme: {
      name: 'pushReceipt',
      in: 'query',
      parameter: 'receipt',
      description: '`notification_id` and `receipt` of a push, with a dot between.',
    },
    orBearer: false,
    verify: async ({ query: { receipt } }) => {
      const [, notificationId = '', given = ''] = RECEIPT.exec(String(receipt)) ?? [];
      const [item] = await deps.sql<{ organization_id: string; user_id: string }>(
        'SELECT organization_id, user_id FROM in_app_items WHERE id = $1 AND user_id IS NOT NULL',
        [itemIdOf(notificationId)],
      );
      const due = item && (await receiptOf(deps, item.organization_id, notificationId, item.user_id));
      if (due === undefined || !timingSafeEqual(Buffer.from(due), Buffer.from(given.padEnd(due.length))))
        throw new AppError('unauthorized', 'the receipt is not valid any more');
      return {
        organizationId: item!.organization_id,
        kind: 'signature',
        principal: 'push receipt',
        subject: item!.user_id,
        scopes: new Set(['write'] as const),
      };
    },
  };
}

export function itemOfReceipt(receipt: string): string {
  return itemIdOf(receipt.slice(0, receipt.indexOf('.')));
}
