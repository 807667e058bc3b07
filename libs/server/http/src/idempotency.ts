// Idempotency-Key: stores the answer of a creating POST in the transaction of its effect, and
// repeats it for the same request (docs/platform.md#idempotency). Rows are in `idempotency_keys` of
// the service's database.
import { createHash } from 'node:crypto';
import { AppError, problemIn } from '@parley/envelopes';
import type { Sql } from '@parley/server/postgres';
import type { Sealer } from '@parley/server/runtime';
import type { TextReply } from './reply.ts';

/** Long enough for any client's retries; promised in docs/platform.md#idempotency. */
const RETENTION_MS = 24 * 60 * 60_000;
/** Maximum characters of a key (docs/platform.md#idempotency). */
const KEY_CHARACTERS_MAX = 255;
/** A request ends within its deadline of 30 s, most within 1 s. */
const RETRY_AFTER_SECONDS = '1';
/** Bounds the locks of one statement. */
const DELETE_BATCH_MAX = 1_000;

/** Identifies a request that may be repeated. */
export interface IdempotentRequest {
  readonly organizationId: string;
  /** Method, path and caller. */
  readonly route: string;
  readonly key: string;
  readonly bodyHash: Buffer;
}

/** A stored answer. `shown`: its data, if the endpoint shows a secret that may be revoked. */
export interface StoredReply extends TextReply {
  readonly shown?: unknown;
}

/** @throws AppError invalid_request when the header is not a usable key. */
export function toIdempotentRequest(
  organizationId: string,
  route: string,
  key: string,
  body: unknown,
): IdempotentRequest {
  if (key.length > KEY_CHARACTERS_MAX || !/^[\x20-\x7e]+$/.test(key)) {
    const message = `must be 1 to ${KEY_CHARACTERS_MAX} printable ASCII characters`;
    throw new AppError('invalid_request', 'the Idempotency-Key is not usable', {
      fields: [problemIn('header', ['Idempotency-Key'], message)],
    });
  }
  const bodyHash = createHash('sha256').update(JSON.stringify(body)).digest();
  return { organizationId, route, key, bodyHash };
}

/**
 * Claims the key for this transaction. Returns the stored reply of an earlier request, else null.
 * The lock lasts until the transaction ends, so a killed process leaves nothing behind.
 * @throws AppError idempotency_in_progress while the first request runs; idempotency_mismatch for
 * another body.
 */
export async function claimIdempotencyKey(
  sql: Sql,
  sealer: Sealer,
  request: IdempotentRequest,
  nowMs: number,
): Promise<StoredReply | null> {
  const { organizationId, route, key, bodyHash } = request;
  const [lock] = await sql<{ taken: boolean }>(
    'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS taken',
    [JSON.stringify([organizationId, route, key])],
  );
  if (!lock?.taken) {
    throw new AppError(
      'idempotency_in_progress',
      'the first request with this Idempotency-Key is still running: try again in a second',
      {
        headers: { 'retry-after': RETRY_AFTER_SECONDS },
      },
    );
  }
  const [stored] = await sql<{ body_hash: Uint8Array; status: number; reply: string }>(
    `SELECT body_hash, status, reply FROM idempotency_keys
     WHERE organization_id = $1 AND route = $2 AND key = $3 AND expires_at > $4`,
    [organizationId, route, key, new Date(nowMs)],
  );
  if (!stored) return null;
  if (!bodyHash.equals(stored.body_hash)) {
    throw new AppError(
      'idempotency_mismatch',
      'this Idempotency-Key was used before with another body: use a new key',
    );
  }
  const kept = JSON.parse(await sealer.unseal(stored.reply, buildSealContext(request))) as Omit<
    StoredReply,
    'status'
  >;
  return { ...kept, status: stored.status };
}

/** Stores the reply for 24 hours, sealed because it may show a new key. */
export async function storeIdempotentReply(
  sql: Sql,
  sealer: Sealer,
  request: IdempotentRequest,
  { status, ...reply }: StoredReply,
  nowMs: number,
): Promise<void> {
  const sealed = await sealer.seal(JSON.stringify(reply), buildSealContext(request));
  await sql(
    `INSERT INTO idempotency_keys (organization_id, route, key, body_hash, status, reply, created_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (organization_id, route, key) DO UPDATE
     SET body_hash = EXCLUDED.body_hash, status = EXCLUDED.status, reply = EXCLUDED.reply,
         created_at = EXCLUDED.created_at, expires_at = EXCLUDED.expires_at`,
    [
      request.organizationId,
      request.route,
      request.key,
      request.bodyHash,
      status,
      sealed,
      new Date(nowMs),
      new Date(nowMs + RETENTION_MS),
    ],
  );
}

/** Deletes at most DELETE_BATCH_MAX expired keys. Returns their number. */
export async function deleteExpiredIdempotencyKeys(sql: Sql, nowMs: number): Promise<number> {
  const deleted = await sql(
    `DELETE FROM idempotency_keys WHERE ctid IN
       (SELECT ctid FROM idempotency_keys WHERE expires_at <= $1 LIMIT ${DELETE_BATCH_MAX})
     RETURNING 1 AS one`,
    [new Date(nowMs)],
  );
  return deleted.length;
}

/** Binds a sealed reply to its row: it does not open under another organisation, route or key. */
function buildSealContext(request: IdempotentRequest): string {
  return JSON.stringify(['idempotency', request.organizationId, request.route, request.key]);
}
