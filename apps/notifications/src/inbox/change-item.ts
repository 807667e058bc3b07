// PUT …/{id}/read and DELETE …/{id}: what a user does with one item. A user's own item changes itself; of one for everybody only
// the user's receipt does. Each change tells the event stream in the same statement.
import type { Caller } from '@parley/http';
import type { Deps } from '../deps.ts';
import { getItem, itemOf, type ItemRow } from './item.ts';
import { readerOf, userOf } from './reader.ts';

type ChangeDeps = Pick<Deps, 'sql' | 'clock' | 'inboxBell'>;

const FOR_EVERY_USER =
  'the notification is for every user of the organisation, and is changed for one of them';

/** Marks an item read; what is read stays as it is. @returns the record. */
export async function readItem(deps: ChangeDeps, caller: Caller, id: string, userId: string | undefined) {
  const reader = readerOf(caller, userId);
  const nowMs = deps.clock();
  const row = await getItem(deps.sql, reader, id, nowMs);
  const whose = ownerOf(row, reader);
  if (row.read_at !== null) return itemOf(row);
  const [changed] = await deps.sql<Pick<ItemRow, 'seen_at' | 'read_at'>>(
    row.user_id === null ? READ_SHARED : READ_OWN,
    [whose.organizationId, whose.userId, id, row.notification_id, new Date(nowMs)],
  );
  // Somebody was faster: the record says when.
  if (!changed) return itemOf(await getItem(deps.sql, reader, id, nowMs));
  deps.inboxBell.ring(whose.organizationId);
  return itemOf({ ...row, ...changed });
}

/** Takes an item out of one user's inbox. */
export async function deleteItem(
  deps: ChangeDeps,
  caller: Caller,
  id: string,
  userId: string | undefined,
): Promise<void> {
  const reader = readerOf(caller, userId);
  const nowMs = deps.clock();
  const row = await getItem(deps.sql, reader, id, nowMs);
  const whose = ownerOf(row, reader);
  await deps.sql(row.user_id === null ? DELETE_SHARED : DELETE_OWN, [
    whose.organizationId,
    whose.userId,
    id,
    row.notification_id,
    new Date(nowMs),
  ]);
  deps.inboxBell.ring(whose.organizationId);
}

/** Whose state changes. @throws AppError invalid_request when that is not said. */
function ownerOf(row: ItemRow, reader: ReturnType<typeof readerOf>) {
  return userOf(row.user_id === null ? reader : { ...reader, userId: row.user_id }, FOR_EVERY_USER);
}

/** $1 organisation, $2 user, $3 item, $4 notification, $5 now. */
const tell = (kind: 'read' | 'deleted') => `
  INSERT INTO in_app_changes (organization_id, user_id, kind, item_id, notification_id, created_at, written_by)
  SELECT $1::text, $2::text, '${kind}', $3::text, $4::text, $5::timestamptz, pg_current_xact_id()::text::bigint FROM changed`;

/** Held until the receipt is written: housekeeping may be deleting the item at this moment, and then there is nothing to write. */
const FROM_SHARED = `FROM in_app_items WHERE organization_id = $1::text AND id = $3::text FOR KEY SHARE`;

const READ_OWN = `
  WITH changed AS (
    UPDATE in_app_items SET read_at = $5::timestamptz, seen_at = COALESCE(seen_at, $5::timestamptz)
    WHERE id = $3::text AND organization_id = $1::text AND user_id = $2::text AND read_at IS NULL
    RETURNING seen_at, read_at
  ), told AS (${tell('read')})
  SELECT seen_at, read_at FROM changed`;

const READ_SHARED = `
  WITH changed AS (
    INSERT INTO in_app_receipts AS r (organization_id, user_id, item_id, seen_at, read_at)
    SELECT $1::text, $2::text, id, $5::timestamptz, $5::timestamptz ${FROM_SHARED}
    ON CONFLICT (organization_id, user_id, item_id) DO UPDATE
    SET read_at = EXCLUDED.read_at, seen_at = COALESCE(r.seen_at, EXCLUDED.seen_at)
    WHERE r.read_at IS NULL AND r.deleted_at IS NULL
    RETURNING seen_at, read_at
  ), told AS (${tell('read')})
  SELECT seen_at, read_at FROM changed`;

const DELETE_OWN = `
  WITH changed AS (
    DELETE FROM in_app_items WHERE id = $3::text AND organization_id = $1::text AND user_id = $2::text RETURNING 1
  )${tell('deleted')}`;

const DELETE_SHARED = `
  WITH changed AS (
    INSERT INTO in_app_receipts AS r (organization_id, user_id, item_id, deleted_at)
    SELECT $1::text, $2::text, id, $5::timestamptz ${FROM_SHARED}
    ON CONFLICT (organization_id, user_id, item_id) DO UPDATE SET deleted_at = EXCLUDED.deleted_at
    WHERE r.deleted_at IS NULL
    RETURNING 1
  )${tell('deleted')}`;
