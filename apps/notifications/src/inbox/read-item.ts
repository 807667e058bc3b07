// PUT …/{id}/read: an item is read, and clicked where its reader followed it.
import type { Caller } from '@parley/http';
import type { Deps } from '../deps.ts';
import { recordEngagement, userAsReader } from '../engagements/record-engagement.ts';
import { changeItem } from './change-item.ts';
import { readerOf } from './reader.ts';

/** Idempotent. @returns the record. */
export async function readItem(
  deps: Deps,
  caller: Caller,
  id: string,
  userId: string | undefined,
  clicked: boolean,
) {
  const item = await changeItem(deps, caller, id, userId, 'read');
  if (clicked) {
    const { organizationId, userId: user } = readerOf(caller, userId);
    const who = item.user_id ?? user;
    const reader = who === null ? undefined : userAsReader(who);
    const notificationId = item.notification_id;
    await recordEngagement(deps, {
      organizationId,
      notificationId,
      channel: 'in_app',
      event: 'clicked',
      reader,
    });
  }
  return item;
}
