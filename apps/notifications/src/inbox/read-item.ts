// PUT …/{id}/read: marks an item as read, and records a click when the reader followed it.
import type { Caller } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { recordEngagement, hashUser } from '../engagements/record-engagement.ts';
import { changeItem } from './change-item.ts';
import { getReader } from '../callers/reader.ts';

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
    const { organizationId, userId: user } = getReader(caller, userId);
    const who = item.user_id ?? user;
    const reader = who === null ? undefined : hashUser(who);
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
