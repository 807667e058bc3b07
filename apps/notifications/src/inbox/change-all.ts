// POST …/read-all, …/seen and DELETE of all: many items of one user's inbox at once. Only what is not in that state yet is written, in batches,
// and the event stream is told once.
import type { Caller } from '@parley/http';
import type { Deps } from '../deps.ts';
import { withdrawPushes } from '../push/withdraw.ts';
import { countItems } from './count-items.ts';
import { readerOf, userOf, type Reader } from './reader.ts';

type ChangeDeps = Parameters<typeof withdrawPushes>[0] & Pick<Deps, 'inboxBell'>;
type User = Reader & { readonly userId: string };

/** Rows a statement changes: it is short, and holds few locks. */
const BATCH_ROWS = 5_000;

/** Marks every item that there is now as read, and so as seen. */
export async function readAllItems(deps: ChangeDeps, caller: Caller, userId: string | undefined) {
  const user = userOf(readerOf(caller, userId), 'reading is a matter of one user');
  return changeAll(deps, user, { kind: 'read', ids: null });
}

/** Marks items as seen: those named, or all. Ids of no item of the inbox are passed over. */
export async function seeItems(
  deps: ChangeDeps,
  caller: Caller,
  userId: string | undefined,
  ids: readonly string[] | undefined,
) {
  const user = userOf(readerOf(caller, userId), 'seeing is a matter of one user');
  return changeAll(deps, user, { kind: 'seen', ids: ids ?? null });
}

/** Takes every item that there is now out of the inbox, archived and snoozed ones too. */
export async function deleteAllItems(deps: ChangeDeps, caller: Caller, userId: string | undefined) {
  const user = userOf(readerOf(caller, userId), 'deleting is a matter of one user');
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
    // Ends: an item that was changed is none of the next batch, and one that comes meanwhile is none of any.
    for (let changed = BATCH_ROWS; changed === BATCH_ROWS; updated += changed) {
      changed = (await sql(statement, values)).length;
    }
  }
  if (updated > 0) {
    await sql(TELL, [user.organizationId, user.userId, change.kind, now]);
    inboxBell.notify(user.organizationId);
    if (change.kind === 'read') await withdrawPushes(deps, { ...user, readAt: now });
  }
  const [counts] = await countItems(sql, [user], clock());
  return { updated, ...counts! };
}

const WANTED = `(i.expires_at IS NULL OR i.expires_at > $3::timestamptz) AND i.created_at <= $3::timestamptz
      AND ($4::text[] IS NULL OR i.id = ANY($4::text[]))`;
/** What is snoozed comes back as it was. */
const awake = (state: string) =>
  `(${state}.snoozed_until IS NULL OR ${state}.snoozed_until <= $3::timestamptz)`;

/** In the order of their ids: two that change the same items wait for each other and never both. */
function changeStatements(column: 'read_at' | 'seen_at', also: string, alsoShared: string) {
  return {
    own: `
      UPDATE in_app_items SET ${column} = $3::timestamptz${also}
      WHERE id IN (
        SELECT i.id FROM in_app_items i
        WHERE i.organization_id = $1::text AND i.user_id = $2::text AND i.${column} IS NULL AND ${WANTED}
          AND ${awake('i')}
        ORDER BY i.id LIMIT $5::int FOR UPDATE
      ) AND ${column} IS NULL
      RETURNING 1`,
    shared: `
      INSERT INTO in_app_receipts AS r (organization_id, user_id, item_id, ${alsoShared}${column})
      SELECT $1::text, $2::text, i.id, ${alsoShared === '' ? '' : '$3::timestamptz, '}$3::timestamptz
      FROM in_app_items i
      LEFT JOIN in_app_receipts k ON k.organization_id = $1::text AND k.user_id = $2::text AND k.item_id = i.id
      WHERE i.organization_id = $1::text AND i.user_id IS NULL AND k.${column} IS NULL AND k.deleted_at IS NULL
        AND ${WANTED} AND ${awake('k')}
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
        WHERE i.organization_id = $1::text AND i.user_id = $2::text AND ${WANTED}
        ORDER BY i.id LIMIT $5::int FOR UPDATE
      ) RETURNING 1`,
    shared: `
      INSERT INTO in_app_receipts AS r (organization_id, user_id, item_id, deleted_at)
      SELECT $1::text, $2::text, i.id, $3::timestamptz
      FROM in_app_items i
      LEFT JOIN in_app_receipts k ON k.organization_id = $1::text AND k.user_id = $2::text AND k.item_id = i.id
      WHERE i.organization_id = $1::text AND i.user_id IS NULL AND k.deleted_at IS NULL AND ${WANTED}
      ORDER BY i.id LIMIT $5::int FOR KEY SHARE OF i
      ON CONFLICT (organization_id, user_id, item_id) DO UPDATE
      SET deleted_at = COALESCE(r.deleted_at, EXCLUDED.deleted_at) RETURNING 1`,
  },
};

const TELL = `
  INSERT INTO in_app_changes (organization_id, user_id, kind, created_at, written_by)
  VALUES ($1, $2, $3, $4, pg_current_xact_id()::text::bigint)`;
