// Applies throttles and digests to sends, in the transaction that writes them
// (docs/notifications.md#timing).
import type { Sql } from '@parley/server/postgres';
import type { Deps } from '../deps.ts';
import type { NewNotification } from './send.ts';

/** Data that a digest stores for its template. Later sends are only counted. */
export const DIGEST_ITEMS_MAX = 100;
export const DIGEST_BYTES_MAX = 64 * 1024;

export interface DigestState {
  readonly closesAt: Date;
  /** Sends so far, including this one. */
  readonly count: number;
}

export type Admitted =
  | { readonly kind: 'new'; readonly notification: NewNotification; readonly digest?: DigestState }
  /** Written without deliveries: every channel rejects it. */
  | { readonly kind: 'throttled'; readonly notification: NewNotification }
  /** Writes no row of its own: the send joins another notification. */
  | { readonly kind: 'joined'; readonly notificationId: string; readonly digest: DigestState };

/** A digest that this request opens; its other sends may join. */
interface OpenDigest {
  readonly notification: NewNotification;
  readonly fingerprint: Buffer;
  readonly closesAt: Date;
  readonly items: string[];
  count: number;
  bytes: number;
}

export interface Admission {
  readonly admitted: readonly Admitted[];
  /** Call after the notifications are written. */
  saveDigests(sql: Sql): Promise<void>;
}

/** Runs no query without timed sends. Works in key order, so two requests cannot deadlock. */
export async function admitAll(
  deps: Pick<Deps, 'clock'>,
  sql: Sql,
  all: readonly NewNotification[],
): Promise<Admission> {
  const admitted: Admitted[] = all.map((notification) => ({ kind: 'new', notification }));
  const opened = new Map<string, OpenDigest>();
  const now = new Date(deps.clock());
  for (const { index, notification } of sortByKey(all)) {
    const { throttle, digest } = notification.timed!;
    if (throttle) {
      const until = await claimKey(sql, notification.notice.organizationId, throttle, now);
      if (until) admitted[index] = { kind: 'throttled', notification: rejectThrottled(notification, until) };
    }
    if (digest) admitted[index] = await joinOrOpen(sql, notification, digest, opened, now);
  }
  return { admitted, saveDigests: (then) => insertDigests(then, [...opened.values()]) };
}

function sortByKey(all: readonly NewNotification[]) {
  const getKey = ({ timed }: NewNotification) => timed?.throttle?.key ?? timed?.digest?.fingerprint;
  return all
    .map((notification, index) => ({ notification, index, key: getKey(notification) }))
    .filter((one): one is typeof one & { key: Buffer } => one.key !== undefined)
    .sort((one, other) => Buffer.compare(one.key, other.key) || one.index - other.index);
}

/** Undefined when the key was free; else the end of the throttle. */
async function claimKey(
  sql: Sql,
  organizationId: string,
  { key, until }: { readonly key: Buffer; readonly until: Date },
  now: Date,
): Promise<Date | undefined> {
  const [claimed] = await sql(
    `INSERT INTO throttles (organization_id, key_hash, until) VALUES ($1, $2, $3)
     ON CONFLICT (organization_id, key_hash) DO UPDATE SET until = excluded.until WHERE throttles.until <= $4
     RETURNING 1 AS one`,
    [organizationId, key, until, now],
  );
  if (claimed) return undefined;
  const [held] = await sql<{ until: Date }>(
    'SELECT until FROM throttles WHERE organization_id = $1 AND key_hash = $2',
    [organizationId, key],
  );
  return held!.until;
}

function rejectThrottled(notification: NewNotification, until: Date): NewNotification {
  const reason = `throttled until ${until.toISOString()}`;
  const rejected = notification.deliveries.map(({ channel }) => ({ channel, reason }));
  return { ...notification, deliveries: [], rejected: [...notification.rejected, ...rejected] };
}

async function joinOrOpen(
  sql: Sql,
  notification: NewNotification,
  { fingerprint, closesAt, data }: NonNullable<NonNullable<NewNotification['timed']>['digest']>,
  opened: Map<string, OpenDigest>,
  now: Date,
): Promise<Admitted> {
  const { organizationId } = notification.notice;
  const name = fingerprint.toString('hex');
  const bytes = Buffer.byteLength(data);
  const ours = opened.get(name);
  if (ours) {
    ours.count += 1;
    ours.bytes += bytes;
    if (fits(ours)) ours.items.push(data);
    const digest = { closesAt: ours.closesAt, count: ours.count };
    return { kind: 'joined', notificationId: ours.notification.notice.id, digest };
  }
  await sql('SELECT pg_advisory_xact_lock(hashtextextended($1::text, 0))::text', [
    `digest ${organizationId} ${name}`,
  ]);
  const [joined] = await sql<{ notification_id: string; count: number; bytes: number; closes_at: Date }>(
    `UPDATE digests SET count = count + 1, bytes = bytes + $3::int
     WHERE organization_id = $1 AND fingerprint = $2 AND closes_at > $4
     RETURNING notification_id, count, bytes, closes_at`,
    [organizationId, fingerprint, bytes, now],
  );
  if (joined) {
    if (fits(joined))
      await sql('INSERT INTO digest_items (notification_id, position, data) VALUES ($1, $2::int, $3)', [
        joined.notification_id,
        joined.count,
        data,
      ]);
    const digest = { closesAt: joined.closes_at, count: joined.count };
    return { kind: 'joined', notificationId: joined.notification_id, digest };
  }
  // A digest whose window has ended and whose delivery is about to close it.
  await sql('UPDATE digests SET fingerprint = NULL WHERE organization_id = $1 AND fingerprint = $2', [
    organizationId,
    fingerprint,
  ]);
  opened.set(name, { notification, fingerprint, closesAt, items: [data], count: 1, bytes });
  return { kind: 'new', notification, digest: { closesAt, count: 1 } };
}

function fits({ count, bytes }: { readonly count: number; readonly bytes: number }): boolean {
  return count <= DIGEST_ITEMS_MAX && bytes <= DIGEST_BYTES_MAX;
}

async function insertDigests(sql: Sql, opened: readonly OpenDigest[]): Promise<void> {
  if (opened.length === 0) return;
  const ids = opened.map(({ notification }) => notification.notice.id);
  await sql(
    `INSERT INTO digests (notification_id, organization_id, fingerprint, closes_at, count, bytes)
     SELECT id, $1::text, fingerprint, closes_at, count, bytes
     FROM unnest($2::text[], $3::bytea[], $4::timestamptz[], $5::int[], $6::int[]) AS digest (id, fingerprint, closes_at, count, bytes)`,
    [
      opened[0]!.notification.notice.organizationId,
      ids,
      opened.map(({ fingerprint }) => fingerprint),
      opened.map(({ closesAt }) => closesAt),
      opened.map(({ count }) => count),
      opened.map(({ bytes }) => bytes),
    ],
  );
  const items = opened.flatMap(({ items: own }, index) =>
    own.map((data, position) => ({ id: ids[index]!, position: position + 1, data })),
  );
  await sql(
    `INSERT INTO digest_items (notification_id, position, data)
     SELECT * FROM unnest($1::text[], $2::int[], $3::text[])`,
    [items.map(({ id }) => id), items.map(({ position }) => position), items.map(({ data }) => data)],
  );
}
