// The api_keys table: issue, find, list, rotate, revoke.
import { AppError } from '@parley/envelopes';
import { SCOPES, type Scope } from '@parley/server/http';
import { notifyChanged, type Sql } from '@parley/server/postgres';
import { toDisplay, computeHash, generateApiKey, type KeyEnvironment, type Product } from './api-key.ts';

/** Notifies replicas of a changed key; the payload is `toCacheKey(hash)`. */
export const API_KEYS_CHANNEL = 'parley_api_keys';

/** A stored key. Only its issuer sees the key itself, once. */
export interface ApiKeyRecord {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly display: string;
  readonly scopes: readonly Scope[];
  /** Allowed addresses and blocks; empty: any. */
  readonly allowedIps: readonly string[];
  /** Bots that it is bound to; empty: not bound, it accesses everything of its organisation. */
  readonly botIds: readonly string[];
  readonly createdAt: Date;
  readonly createdBy: string;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
  /** The id of the key that replaced this one. */
  readonly rotatedTo: string | null;
  /** Chosen by the organisation; the successor of a rotated key takes it over. */
  readonly externalId: string | null;
}

export interface IssueApiKey {
  readonly product: Product;
  readonly environment: KeyEnvironment;
  readonly organizationId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Principal of the issuer, or `cli`. */
  readonly createdBy: string;
  readonly expiresAt?: Date | null;
  readonly allowedIps?: readonly string[];
  readonly botIds?: readonly string[];
  readonly externalId?: string | null;
  readonly nowMs: number;
  readonly id: string;
}

const COLUMNS = `id, organization_id AS "organizationId", name, display, scopes, allowed_ips AS "allowedIps", bot_ids AS "botIds",
  created_at AS "createdAt",
  created_by AS "createdBy", expires_at AS "expiresAt", revoked_at AS "revokedAt", last_used_at AS "lastUsedAt",
  rotated_to AS "rotatedTo", external_id AS "externalId"`;

/** Generates and stores a key. Only the returned `key` ever holds its text. */
export async function issueApiKey(
  sql: Sql,
  issue: IssueApiKey,
): Promise<{ key: string; record: ApiKeyRecord }> {
  const key = generateApiKey(issue.product, issue.environment);
  const [record] = await sql<ApiKeyRecord>(
    `INSERT INTO api_keys (id, organization_id, name, display, hash, scopes, created_at, created_by, expires_at, allowed_ips, bot_ids, external_id)
     VALUES ($1, $2, $3, $4, $5, $6::text[], $7, $8, $9, $10::text[], $11::text[], $12) RETURNING ${COLUMNS}`,
    [
      issue.id,
      issue.organizationId,
      issue.name,
      toDisplay(key),
      computeHash(key),
      sortScopes(issue.scopes),
      new Date(issue.nowMs),
      issue.createdBy,
      issue.expiresAt ?? null,
      issue.allowedIps ?? [],
      issue.botIds ?? [],
      issue.externalId ?? null,
    ],
  );
  return { key, record: record! };
}

/** As they are stored. */
export const sortScopes = (scopes: readonly Scope[]) => SCOPES.filter((scope) => scopes.includes(scope));

export async function findApiKeyByHash(sql: Sql, hash: Buffer): Promise<ApiKeyRecord | null> {
  const [record] = await sql<ApiKeyRecord>(`SELECT ${COLUMNS} FROM api_keys WHERE hash = $1`, [hash]);
  return record ?? null;
}

/**
 * Keys that are not revoked, newest first; one row more than `limit`, for the page. `beforeId` is
 * exclusive.
 */
export function listApiKeys(sql: Sql, organizationId: string, limit: number, beforeId: string | null) {
  return sql<ApiKeyRecord>(
    `SELECT ${COLUMNS} FROM api_keys
     WHERE organization_id = $1 AND revoked_at IS NULL AND ($2::text IS NULL OR id < $2)
     ORDER BY id DESC LIMIT $3::int`,
    [organizationId, beforeId, limit + 1],
  );
}

/** @throws AppError not_found when the organisation has no such key, or it is revoked. */
export async function getApiKey(sql: Sql, organizationId: string, id: string): Promise<ApiKeyRecord> {
  const record = await findApiKey(sql, organizationId, id);
  if (!record) throw new AppError('not_found', `api key: there is no key "${id}"`);
  return record;
}

/** By our id or that of the organisation. Null when there is no such key, or it is revoked. */
export async function findApiKey(sql: Sql, organizationId: string, id: string): Promise<ApiKeyRecord | null> {
  const [record] = await sql<ApiKeyRecord>(
    `SELECT ${COLUMNS} FROM api_keys
     WHERE organization_id = $1 AND (id = $2 OR external_id = $2 AND rotated_to IS NULL) AND revoked_at IS NULL`,
    [organizationId, id],
  );
  return record ?? null;
}

/** Whether a key is valid at `nowMs`, as long as it does not change. */
export function isUsable({ revokedAt, expiresAt }: ApiKeyRecord, nowMs: number): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt.getTime() > nowMs);
}

/** SQL: the row `key` may manage keys at $3, is not bound to bots, and was not rotated. */
const LASTING_ADMIN = `'admin' = ANY (key.scopes) AND key.bot_ids = '{}' AND key.revoked_at IS NULL AND key.rotated_to IS NULL
  AND (key.expires_at IS NULL OR key.expires_at > $3::timestamptz)`;

/**
 * Revokes immediately; every replica applies it within a second. The last admin key stays unless
 * the operator revokes it, because nobody else could issue another one. Of two keys that revoke
 * each other the second waits (FOR UPDATE) and is refused.
 * @throws AppError not_found, last_admin_key
 */
export async function revokeApiKey(
  sql: Sql,
  organizationId: string,
  id: string,
  nowMs: number,
  by: 'organization' | 'operator',
): Promise<void> {
  const [revoked] = await sql<{ hash: Uint8Array }>(
    `WITH admins AS (
       SELECT key.id FROM api_keys AS key WHERE key.organization_id = $1 AND ${LASTING_ADMIN} ORDER BY key.id FOR UPDATE
     )
     UPDATE api_keys AS key SET revoked_at = $3::timestamptz
     WHERE key.organization_id = $1 AND key.id = $2 AND key.revoked_at IS NULL
       AND ($4 = 'operator' OR NOT (${LASTING_ADMIN}) OR EXISTS (SELECT 1 FROM admins WHERE admins.id <> $2))
     RETURNING key.hash`,
    [organizationId, id, new Date(nowMs), by],
  );
  if (!revoked) {
    await getApiKey(sql, organizationId, id);
    throw isLastAdmin(id);
  }
  await notifyChanged(sql, API_KEYS_CHANNEL, toCacheKey(revoked.hash));
}

const isLastAdmin = (id: string) =>
  new AppError('last_admin_key', `api key: "${id}" is the last one with the scope admin`);
const isRotated = (id: string) => new AppError('conflict', `api key: "${id}" has been rotated already`);

/** What a key may, which can change. */
export type KeySettings = Pick<ApiKeyRecord, 'name' | 'scopes' | 'expiresAt' | 'allowedIps' | 'botIds'>;

/**
 * Changes what a key may; every replica applies it within a second.
 * @throws AppError not_found, conflict: rotated; last_admin_key, as a revocation
 */
export async function changeApiKey(
  sql: Sql,
  { organizationId, id }: Pick<ApiKeyRecord, 'organizationId' | 'id'>,
  settings: KeySettings,
  nowMs: number,
): Promise<ApiKeyRecord> {
  const { name, scopes, expiresAt, allowedIps, botIds } = settings;
  const [changed] = await sql<ApiKeyRecord & { hash: Uint8Array }>(
    `WITH admins AS (
       SELECT key.id FROM api_keys AS key WHERE key.organization_id = $1 AND ${LASTING_ADMIN} ORDER BY key.id FOR UPDATE
     )
     UPDATE api_keys AS key
     SET name = $4, scopes = $5::text[], expires_at = $6::timestamptz, allowed_ips = $7::text[], bot_ids = $8::text[]
     WHERE key.organization_id = $1 AND key.id = $2 AND key.revoked_at IS NULL AND key.rotated_to IS NULL
       AND ($9::boolean OR NOT (${LASTING_ADMIN}) OR EXISTS (SELECT 1 FROM admins WHERE admins.id <> $2))
     RETURNING ${COLUMNS}, hash`,
    [
      organizationId,
      id,
      new Date(nowMs),
      name,
      scopes,
      expiresAt,
      allowedIps,
      botIds,
      scopes.includes('admin') && botIds.length === 0 && (expiresAt === null || expiresAt.getTime() > nowMs),
    ],
  );
  if (!changed) {
    const { rotatedTo } = await getApiKey(sql, organizationId, id);
    throw rotatedTo === null ? isLastAdmin(id) : isRotated(id);
  }
  const { hash, ...record } = changed;
  await notifyChanged(sql, API_KEYS_CHANNEL, toCacheKey(hash));
  return record;
}

/**
 * Ends the old key `graceSeconds` from now (never later than before) and records its successor.
 * Before the successor is issued, which takes the external id over.
 */
export async function retireApiKey(
  sql: Sql,
  organizationId: string,
  id: string,
  retire: { successorId: string; graceSeconds: number; nowMs: number },
): Promise<void> {
  const [retired] = await sql<{ hash: Uint8Array }>(
    `UPDATE api_keys SET expires_at = LEAST(expires_at, $3), rotated_to = $4
     WHERE organization_id = $1 AND id = $2 AND revoked_at IS NULL AND rotated_to IS NULL RETURNING hash`,
    [organizationId, id, new Date(retire.nowMs + retire.graceSeconds * 1000), retire.successorId],
  );
  if (!retired) throw isRotated(id);
  await notifyChanged(sql, API_KEYS_CHANNEL, toCacheKey(retired.hash));
}

/** What the journal has of a key that was revoked or rotated (libs/platform/src/journal). */
interface EndedKey {
  /** The id of the key. */
  readonly subject: string;
  /** `revoked_at` and `expires_at`. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Ends keys again that a restore brought back, the last one of an organisation too. */
export async function endApiKeys(
  sql: Sql,
  organizationId: string,
  ended: readonly EndedKey[],
): Promise<void> {
  const keys = await sql<{ hash: Uint8Array }>(
    `UPDATE api_keys AS key SET revoked_at = LEAST(key.revoked_at, ended.revoked_at::timestamptz),
       expires_at = LEAST(key.expires_at, ended.expires_at::timestamptz)
     FROM unnest($2::text[], $3::text[], $4::text[]) AS ended (id, revoked_at, expires_at)
     WHERE key.organization_id = $1 AND key.id = ended.id RETURNING key.hash`,
    [
      organizationId,
      ended.map(({ subject }) => subject),
      ended.map(({ detail }) => detail['revoked_at'] ?? null),
      ended.map(({ detail }) => detail['expires_at'] ?? null),
    ],
  );
  for (const { hash } of keys) await notifyChanged(sql, API_KEYS_CHANNEL, toCacheKey(hash));
}

/** One UPDATE for all keys that were used since the last flush. */
export async function recordKeyUse(sql: Sql, lastUsedMs: ReadonlyMap<string, number>): Promise<void> {
  if (lastUsedMs.size === 0) return;
  await sql(
    `UPDATE api_keys SET last_used_at = GREATEST(last_used_at, used.at)
     FROM unnest($1::text[], $2::timestamptz[]) AS used (id, at) WHERE api_keys.id = used.id`,
    [[...lastUsedMs.keys()], [...lastUsedMs.values()].map((ms) => new Date(ms).toISOString())],
  );
}

/** Keys that count for an organisation's cap: those that are still valid. */
export const COUNTED_KEYS =
  'api_keys WHERE organization_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > clock_timestamp())';

/** The form of a key's hash in caches and notices. */
export function toCacheKey(hash: Uint8Array): string {
  return Buffer.from(hash).toString('base64url');
}
