// The registry of subscriptions: register, list, remove.
import { createHash } from 'node:crypto';
import { AppError, decodeCursor, notificationsDialect, toPage } from '@parley/envelopes';
import { Reply, type Caller, type EndpointTransaction } from '@parley/server/http';
import type { Sql } from '@parley/server/postgres';
import { subscriptionContext } from '@parley/server/sealed-columns';
import type { BaseDeps } from '../../base-deps.ts';
import { getReader } from '../../callers/reader.ts';
import { checkSubscription } from './check-subscription.ts';
import type { Push } from '../../push-engine/push.ts';
import type { RegisterRequest } from './schemas.ts';

const { time } = notificationsDialect;

/** Devices of one user (docs/notifications.md#registrations). One more drops the oldest unused. */
export const DEVICES_PER_USER_MAX = 50;

interface Row {
  readonly id: string;
  readonly user_id: string | null;
  readonly site_id: string | null;
  readonly endpoint_host: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const COLUMNS = 'id, user_id, site_id, endpoint_host, created_at, updated_at';

function toWire(row: Row) {
  return {
    sub_id: row.id,
    user_id: row.user_id,
    site_id: row.site_id,
    platform: 'web' as const,
    endpoint_host: row.endpoint_host,
    created_at: time(row.created_at),
    updated_at: time(row.updated_at),
  };
}

/**
 * Upserts on (organisation, endpoint). The last registration owns the endpoint: a shared browser
 * belongs to the user who signed in. It keeps its key unless another is named, since browsers do
 * not change it.
 * @throws AppError invalid_request with every path; insufficient_scope for another user's device;
 * limit_exceeded
 */
export async function registerSubscription(
  deps: BaseDeps & { readonly push: Push },
  caller: Caller,
  body: RegisterRequest,
  { sql }: EndpointTransaction,
) {
  const { organizationId } = caller;
  const userId = getReader(caller, body.user_id).userId;
  const keys = await deps.push.vapidKeys();
  const checked = checkSubscription(deps.outbound, body.subscription);
  const problems = checked.ok
    ? []
    : checked.problems.map(({ path, message }) => ({ path: `/subscription${path}`, message }));
  if (body.key_id !== undefined && !keys.byId.has(body.key_id))
    problems.push({ path: '/key_id', message: 'is not a VAPID key of this installation' });
  if (problems.length > 0 || !checked.ok)
    throw new AppError('invalid_request', 'the request is not valid', { fields: problems });

  const { endpoint, host, secret } = checked.subscription;
  const hash = createHash('sha256').update(endpoint).digest();
  // Locks the endpoint before the user everywhere, so that registrations cannot deadlock.
  await lock(sql, `push endpoint ${organizationId} ${hash.toString('hex')}`);
  const [known] = await sql<{ id: string; gone_at: Date | null }>(
    'SELECT id, gone_at FROM push_subscriptions WHERE organization_id = $1::text AND endpoint_hash = $2::bytea',
    [organizationId, hash],
  );
  const id = known?.id ?? deps.ids('sub');
  const sealed = await deps.dataSealer.seal(secret, subscriptionContext({ organizationId, id }));
  const now = new Date(deps.clock());
  const [row] = await sql<Row>(
    `INSERT INTO push_subscriptions
       (id, organization_id, endpoint_hash, endpoint_host, sealed, user_id, site_id, platform, key_id, created_at, updated_at)
     VALUES ($1::text, $2::text, $3::bytea, $4::text, $5::text, $6::text, $7::text, 'web', $8::text, $9::timestamptz, $9::timestamptz)
     ON CONFLICT (organization_id, endpoint_hash) DO UPDATE SET
       sealed = excluded.sealed, user_id = excluded.user_id, site_id = excluded.site_id, updated_at = excluded.updated_at,
       key_id = COALESCE($10::text, push_subscriptions.key_id), key_mismatch_at = NULL, gone_at = NULL
     RETURNING ${COLUMNS}`,
    [
      id,
      organizationId,
      hash,
      host,
      sealed,
      userId,
      body.site_id ?? null,
      body.key_id ?? keys.current.id,
      now,
      body.key_id ?? null,
    ],
  );
  if (userId !== null) await dropOldest(sql, organizationId, userId);
  const isNew = known === undefined || known.gone_at !== null;
  if (isNew) await deps.limits.caps.added(sql, organizationId, 'push_registrations');
  return new Reply(toWire(row!), { status: isNew ? 201 : 200 });
}

async function lock(sql: Sql, what: string): Promise<void> {
  await sql('SELECT pg_advisory_xact_lock(hashtextextended($1::text, 0))::text', [what]);
}

async function dropOldest(sql: Sql, organizationId: string, userId: string): Promise<void> {
  await lock(sql, `push user ${organizationId} ${userId}`);
  await sql(
    `DELETE FROM push_subscriptions WHERE id IN
       (SELECT id FROM push_subscriptions WHERE organization_id = $1::text AND user_id = $2::text AND gone_at IS NULL
        ORDER BY GREATEST(updated_at, last_used_at) DESC, id DESC OFFSET $3::int)`,
    [organizationId, userId, DEVICES_PER_USER_MAX],
  );
}

/** Newest first: an end user's own devices, or those of the organisation or named user. */
export async function listSubscriptions(
  { sql }: Pick<BaseDeps, 'sql'>,
  caller: Caller,
  query: {
    user_id?: string | undefined;
    site_id?: string | undefined;
    limit: number;
    cursor?: string | undefined;
  },
) {
  const userId =
    caller.endUser === undefined ? (query.user_id ?? null) : getReader(caller, query.user_id).userId;
  const [before] = query.cursor === undefined ? [null] : decodeCursor(query.cursor, 'text');
  const rows = await sql<Row>(
    `SELECT ${COLUMNS} FROM push_subscriptions
     WHERE organization_id = $1 AND gone_at IS NULL AND ($2::text IS NULL OR user_id = $2)
       AND ($3::text IS NULL OR site_id = $3) AND ($4::text IS NULL OR id < $4)
     ORDER BY id DESC LIMIT $5`,
    [caller.organizationId, userId, query.site_id ?? null, before, query.limit + 1],
  );
  return toPage(rows, query.limit, ({ id }) => [id], toWire);
}

/** @throws AppError not_found, also for another user's device. */
export async function removeSubscription(
  { sql }: Pick<BaseDeps, 'sql'>,
  caller: Caller,
  id: string,
): Promise<void> {
  const removed = await sql(
    `DELETE FROM push_subscriptions WHERE organization_id = $1 AND id = $2 AND gone_at IS NULL
       AND ($3::text IS NULL OR user_id = $3) RETURNING 1 AS one`,
    [caller.organizationId, id, caller.endUser ?? null],
  );
  if (removed.length === 0) throw new AppError('not_found', `there is no registration "${id}"`);
}
