// Changes one item for one user: PUT …/{id}/read, …/archive and so on, and DELETE …/{id}. A user's
// own item changes itself; an item for everybody changes only the user's receipt. The same
// statement writes the stream event.
import { WRITTEN_BY } from '@parley/server/event-streams';
import { AppError } from '@parley/envelopes';
import type { Caller } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { type Change, type ItemRow, getItem, stateColumns, toItem } from '../inbox-items/item.ts';
import { withdrawPushes } from './withdraw-pushes.ts';
import { fillItemLinks } from '../inbox-items/item-links.ts';
import type { LinkDeps } from '../people/message-links.ts';
import { getReader, requireUser, type Reader } from '../callers/reader.ts';

type ChangeDeps = Parameters<typeof withdrawPushes>[0] & Pick<Deps, 'inboxBell'> & LinkDeps;

const FOR_EVERY_USER = 'the notification is for every user, and the change is for one of them';

/** No item is stored for longer by default. */
const SNOOZE_DAYS_MAX = 365;

/** Idempotent. @returns the record. */
export async function changeItem(
  deps: ChangeDeps,
  caller: Caller,
  id: string,
  userId: string | undefined,
  change: Exclude<Change, 'snoozed'> | { readonly snoozedUntil: Date },
) {
  const reader = getReader(caller, userId);
  const nowMs = deps.clock();
  const row = await getItem(deps.sql, reader, id, nowMs);
  const owner = getOwner(row, reader);
  const kind = typeof change === 'string' ? change : 'snoozed';
  const until = typeof change === 'string' ? null : change.snoozedUntil;
  if (until && !(until.getTime() > nowMs && until.getTime() <= nowMs + SNOOZE_DAYS_MAX * 86_400_000)) {
    const message = `must be in the future, at most ${SNOOZE_DAYS_MAX} days ahead`;
    throw new AppError('invalid_request', 'the request is not valid', {
      fields: [{ path: '/until', message }],
    });
  }
  const [changed] = await deps.sql<Pick<ItemRow, 'seen_at' | 'read_at' | 'archived_at' | 'snoozed_until'>>(
    row.user_id === null ? changeShared(kind) : changeOwn(kind),
    [owner.organizationId, owner.userId, id, row.notification_id, new Date(nowMs), until],
  );
  if (!changed) return toReadItem(deps, reader, await getItem(deps.sql, reader, id, nowMs));
  deps.inboxBell.notify(owner.organizationId);
  if (changed.read_at?.getTime() === nowMs && row.user_id !== null)
    await withdrawPushes(deps, { ...owner, readAt: changed.read_at });
  return toReadItem(deps, reader, { ...row, ...changed });
}

async function toReadItem(deps: LinkDeps, { seesLinks }: Reader, row: ItemRow) {
  return toItem(seesLinks ? (await fillItemLinks(deps, [row]))[0]! : row);
}

/** Deletes an item from one user's inbox. */
export async function deleteItem(
  deps: ChangeDeps,
  caller: Caller,
  id: string,
  userId: string | undefined,
): Promise<void> {
  const reader = getReader(caller, userId);
  const nowMs = deps.clock();
  const row = await getItem(deps.sql, reader, id, nowMs);
  const owner = getOwner(row, reader);
  await deps.sql(row.user_id === null ? DELETE_SHARED : DELETE_OWN, [
    owner.organizationId,
    owner.userId,
    id,
    row.notification_id,
    new Date(nowMs),
    null,
  ]);
  deps.inboxBell.notify(owner.organizationId);
}

/** The user whose state changes. @throws AppError invalid_request when it is not named. */
function getOwner(row: ItemRow, reader: ReturnType<typeof getReader>) {
  return requireUser(row.user_id === null ? reader : { ...reader, userId: row.user_id }, FOR_EVERY_USER);
}

/** $1 organisation, $2 user, $3 item, $4 notification, $5 now, $6 the end of a snooze. */
const insertChange = (kind: Change | 'deleted') => `
  INSERT INTO in_app_changes (organization_id, user_id, kind, item_id, notification_id, created_at, snoozed_until, written_by)
  SELECT $1::text, $2::text, '${kind}', $3::text, $4::text, $5::timestamptz, $6::timestamptz, ${WRITTEN_BY}
  FROM changed`;

/** Locks the item until the receipt is written; housekeeping may be deleting it. */
const FROM_SHARED = `FROM in_app_items WHERE organization_id = $1::text AND id = $3::text FOR KEY SHARE`;

const NOW = '$5::timestamptz';
const UNTIL = '$6::timestamptz';
const SEEN = `seen_at = COALESCE(r.seen_at, ${NOW})`;

/** Writes to an item or receipt `r`, unless made. `first`: for a user without a receipt. */
const WRITES: Readonly<
  Record<
    Change,
    { readonly set: string; readonly unless: string; readonly first?: Readonly<Record<string, string>> }
  >
> = {
  read: {
    set: `read_at = ${NOW}, ${SEEN}`,
    unless: 'r.read_at IS NOT NULL',
    first: { read_at: NOW, seen_at: NOW },
  },
  unread: { set: 'read_at = NULL, archived_at = NULL', unless: 'r.read_at IS NULL' },
  archived: {
    set: `archived_at = ${NOW}, snoozed_until = NULL, read_at = COALESCE(r.read_at, ${NOW}), ${SEEN}`,
    unless: 'r.archived_at IS NOT NULL',
    first: { archived_at: NOW, read_at: NOW, seen_at: NOW },
  },
  unarchived: { set: 'archived_at = NULL', unless: 'r.archived_at IS NULL' },
  snoozed: {
    set: `snoozed_until = ${UNTIL}, archived_at = NULL`,
    unless: `COALESCE(r.snoozed_until = ${UNTIL}, false)`,
    first: { snoozed_until: UNTIL },
  },
  unsnoozed: { set: 'snoozed_until = NULL', unless: 'r.snoozed_until IS NULL' },
};

const insertChangeAndSelect = (kind: Change) => `), event AS (${insertChange(kind)})
  SELECT seen_at, read_at, archived_at, snoozed_until FROM changed`;

function changeOwn(kind: Change): string {
  const { set, unless } = WRITES[kind];
  return `
  WITH changed AS (
    UPDATE in_app_items AS r SET ${set}
    WHERE r.id = $3::text AND r.organization_id = $1::text AND r.user_id = $2::text AND NOT (${unless})
    RETURNING ${stateColumns('r')}
  ${insertChangeAndSelect(kind)}`;
}

function changeShared(kind: Change): string {
  const { set, unless, first } = WRITES[kind];
  const written = first
    ? `
    INSERT INTO in_app_receipts AS r (organization_id, user_id, item_id, ${Object.keys(first).join(', ')})
    SELECT $1::text, $2::text, id, ${Object.values(first).join(', ')} ${FROM_SHARED}
    ON CONFLICT (organization_id, user_id, item_id) DO UPDATE SET ${set} WHERE`
    : `
    UPDATE in_app_receipts AS r SET ${set}
    WHERE r.organization_id = $1::text AND r.user_id = $2::text AND r.item_id = $3::text AND`;
  return `
  WITH changed AS (${written} NOT (${unless}) AND r.deleted_at IS NULL
    RETURNING ${stateColumns('r')}
  ${insertChangeAndSelect(kind)}`;
}

const DELETE_OWN = `
  WITH changed AS (
    DELETE FROM in_app_items WHERE id = $3::text AND organization_id = $1::text AND user_id = $2::text RETURNING 1
  )${insertChange('deleted')}`;

const DELETE_SHARED = `
  WITH changed AS (
    INSERT INTO in_app_receipts AS r (organization_id, user_id, item_id, deleted_at)
    SELECT $1::text, $2::text, id, $5::timestamptz ${FROM_SHARED}
    ON CONFLICT (organization_id, user_id, item_id) DO UPDATE SET deleted_at = EXCLUDED.deleted_at
    WHERE r.deleted_at IS NULL
    RETURNING 1
  )${insertChange('deleted')}`;
