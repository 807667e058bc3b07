// Bulk changes of one user's inbox: POST …/read-all, …/seen and DELETE of all. Writes only items
// whose state changes, in batches, and sends one event to the streams.
import { WRITTEN_BY } from '@parley/server/event-streams';
import type { Caller } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { withdrawPushes } from './withdraw-pushes.ts';
import { countItems } from '../inbox-items/count-items.ts';
import { getReader, requireUser, type Reader } from '../callers/reader.ts';

type ChangeDeps = Parameters<typeof withdrawPushes>[0] & Pick<Deps, 'inboxBell'>;
type User = Reader & { readonly userId: string };

/** Rows of one statement, so that it is short and holds few locks. */
const BATCH_ROWS = 5_000;

/** Marks all current items as read and seen. */
export async function readAllItems(deps: ChangeDeps, caller: Caller, userId: string | undefined) {
  const user = requireUser(getReader(caller, userId), 'it selects the inbox to mark as read');
  return changeAll(deps, user, { kind: 'read', ids: null });
}

/** Marks the named items, or all, as seen. Ignores ids that are not in the inbox. */
export async function seeItems(
  deps: ChangeDeps,
  caller: Caller,
  userId: string | undefined,
  ids: readonly string[] | undefined,
) {
  const user = requireUser(getReader(caller, userId), 'it selects the inbox to mark as seen');
  return changeAll(deps, user, { kind: 'seen', ids: ids ?? null });
}

/** Deletes all current items from the inbox, archived and snoozed ones included. */
export async function deleteAllItems(deps: ChangeDeps, caller: Caller, userId: string | undefined) {
  const user = requireUser(getReader(caller, userId), 'it selects the inbox to delete');
  return changeAll(deps, user, { kind: 'deleted', ids: null });
}

async function changeAll(
  deps: ChangeDeps,
  user: User,
  change: { readonly kind: 'read' | 'seen' | 'deleted'; readonly ids: readonly string[] | null },
) {
  const { sql, clock, inboxBell } = deps;
  const now = new Date(clock());
  const values = [user.organizationId, user.userId, now, change.ids, BATCH_ROWS];
  let updated = 0;
  for (const statement of [CHANGE[change.kind].own, CHANGE[change.kind].shared]) {
    // Terminates: a changed item is not in the next batch, and later items are in none.
    for (let changed = BATCH_ROWS; changed === BATCH_ROWS; updated += changed) {
      changed = (await sql(statement, values)).length;
    }
  }
  if (updated > 0) {
    await sql(INSERT_CHANGE, [user.organizationId, user.userId, change.kind, now]);
    inboxBell.notify(user.organizationId);
    if (change.kind === 'read') await withdrawPushes(deps, { ...user, readAt: now });
  }
  const [counts] = await countItems(sql, [user], clock());
  return { updated, ...counts! };
}

const SELECTED = `(i.expires_at IS NULL OR i.expires_at > $3::timestamptz) AND i.created_at <= $3::timestamptz
      AND ($4::text[] IS NULL OR i.id = ANY($4::text[]))`;
/** Skips snoozed items: they come back unchanged. */
const isAwake = (state: string) =>
  `(${state}.snoozed_until IS NULL OR ${state}.snoozed_until <= $3::timestamptz)`;

/** Locks in id order, so that concurrent changes of the same items cannot deadlock. */
function changeStatements(column: 'read_at' | 'seen_at', also: string, alsoShared: string) {
  return {
    own: `
      UPDATE in_app_items SET ${column} = $3::timestamptz${also}
      WHERE id IN (
        SELECT i.id FROM in_app_items i
        WHERE i.organization_id = $1::text AND i.user_id = $2::text AND i.${column} IS NULL AND ${SELECTED}
          AND ${isAwake('i')}
        ORDER BY i.id LIMIT $5::int FOR UPDATE
      ) AND ${column} IS NULL
      RETURNING 1`,
    shared: `
      INSERT INTO in_app_receipts AS r (organization_id, user_id, item_id, ${alsoShared}${column})
      SELECT $1::text, $2::text, i.id, ${alsoShared === '' ? '' : '$3::timestamptz, '}$3::timestamptz
      FROM in_app_items i
      LEFT JOIN in_app_receipts k ON k.organization_id = $1::text AND k.user_id = $2::text AND k.item_id = i.id
      WHERE i.organization_id = $1::text AND i.user_id IS NULL AND k.${column} IS NULL AND k.deleted_at IS NULL
        AND ${SELECTED} AND ${isAwake('k')}
      ORDER BY i.id LIMIT $5::int FOR KEY SHARE OF i
      ON CONFLICT (organization_id, user_id, item_id) DO UPDATE
      SET ${column} = COALESCE(r.${column}, EXCLUDED.${column})${
        alsoShared === '' ? '' : ', seen_at = COALESCE(r.seen_at, EXCLUDED.seen_at)'
      }
      RETURNING 1`,
  };
}

const CHANGE = {
  read: changeStatements('read_at', ', seen_at = COALESCE(seen_at, $3::timestamptz)', 'seen_at, '),
  seen: changeStatements('seen_at', '', ''),
  deleted: {
    own: `
      DELETE FROM in_app_items WHERE id IN (
        SELECT i.id FROM in_app_items i
        WHERE i.organization_id = $1::text AND i.user_id = $2::text AND ${SELECTED}
        ORDER BY i.id LIMIT $5::int FOR UPDATE
      ) RETURNING 1`,
    shared: `
      INSERT INTO in_app_receipts AS r (organization_id, user_id, item_id, deleted_at)
      SELECT $1::text, $2::text, i.id, $3::timestamptz
      FROM in_app_items i
      LEFT JOIN in_app_receipts k ON k.organization_id = $1::text AND k.user_id = $2::text AND k.item_id = i.id
      WHERE i.organization_id = $1::text AND i.user_id IS NULL AND k.deleted_at IS NULL AND ${SELECTED}
      ORDER BY i.id LIMIT $5::int FOR KEY SHARE OF i
      ON CONFLICT (organization_id, user_id, item_id) DO UPDATE
      SET deleted_at = COALESCE(r.deleted_at, EXCLUDED.deleted_at) RETURNING 1`,
  },
};

const INSERT_CHANGE = `
  INSERT INTO in_app_changes (organization_id, user_id, kind, created_at, written_by)
  VALUES ($1, $2, $3, $4, ${WRITTEN_BY})`;
