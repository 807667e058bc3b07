// The credential of POST /v1/push/read: a receipt in the push lets a service worker, which has no
// credential, report that its notification was opened (docs/notifications.md#one-read-everywhere).
// Valid for that one item.
import { timingSafeEqual } from 'node:crypto';
import { AppError } from '@parley/envelopes';
import type { OwnCredential } from '@parley/server/http';
import type { Notice } from '../channel.ts';
import type { BaseDeps } from '../../base-deps.ts';
import { toItemId } from '../../inbox-items/write-item.ts';

const RECEIPT = /^(ntf_[0-9a-z]{1,40})\.([0-9a-f]{16})$/;

/** Under DATA_KEY: after a rotation, opening an earlier push does not mark it as read. */
export async function createReceipt(
  { dataSealer }: Pick<BaseDeps, 'dataSealer'>,
  { organizationId, id: notificationId }: Pick<Notice, 'organizationId' | 'id'>,
  userId: string,
): Promise<string> {
  const hash = await dataSealer.hasher('push receipt');
  return hash(JSON.stringify([organizationId, notificationId, userId]));
}

/** The receipt is valid for the inbox item of its notification. */
export function receiptCredential(deps: Pick<BaseDeps, 'dataSealer' | 'sql'>): OwnCredential {
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
        [toItemId(notificationId)],
      );
      const expected =
        item &&
        (await createReceipt(
          deps,
          { organizationId: item.organization_id, id: notificationId },
          item.user_id,
        ));
      if (
        expected === undefined ||
        !timingSafeEqual(Buffer.from(expected), Buffer.from(given.padEnd(expected.length)))
      )
        throw new AppError('unauthorized', 'the receipt is invalid or no longer valid');
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

export function toReceiptItemId(receipt: string): string {
  return toItemId(receipt.slice(0, receipt.indexOf('.')));
}
