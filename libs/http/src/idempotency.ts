// Idempotency-Key: the answer of a creating POST is stored in the transaction of its effect, and given again when the
// same request comes again (docs/platform.md#idempotency). Rows live in `idempotency_keys` of the service's own database.
import { createHash } from 'node:crypto';
import { AppError, problemIn } from '@parley/envelopes';
import type { Sql } from '@parley/postgres';
import type { Sealer } from '@parley/runtime';
import type { TextReply } from './reply.ts';

/** Long enough for any client's retries; the platform's promise (docs/platform.md#idempotency). */
const KEPT_MS = 24 * 60 * 60_000;
/** Length of a key, in characters (docs/platform.md#idempotency). */
const KEY_CHARACTERS_MAX = 255;
/** A request of ours ends within its deadline of 30 s; most end within one. */
const RETRY_AFTER_SECONDS = '1';
/** Rows deleted in one statement, so that housekeeping never holds many locks. */
const DELETE_BATCH_MAX = 1_000;

/** What identifies a request that may be repeated. */
export interface Idempotent {
  readonly organizationId: string;
  /** Method, path and caller. */
  readonly route: string;
  readonly key: string;
  readonly bodyHash: Buffer;
}

/** A stored answer. `shown`: its data, where the endpoint shows a secret that may be revoked. */
export interface KeptReply extends TextReply {
  readonly shown?: unknown;
}

/** @throws AppError invalid_request when the header is not a usable key. */
export function idempotentRequest(
  organizationId: string,
  route: string,
  key: string,
  body: unknown,
): Idempotent {
  if (key.length > KEY_CHARACTERS_MAX || !/^[\x21-\x7e]+$/.test(key)) {
    const message = `must be 1 to ${KEY_CHARACTERS_MAX} printable ASCII characters`;
    throw new AppError('invalid_request', 'the Idempotency-Key is not usable', {
      fields: [problemIn('header', ['Idempotency-Key'], message)],
    });
  }
  const bodyHash = createHash('sha256').update(JSON.stringify(body)).digest();
  return { organizationId, route, key, bodyHash };
}

/**
 * Takes the key for this transaction. Gives the stored reply when the request was answered before, else null.
 * The lock is held until the transaction ends, so nothing is left behind when the process is killed.
 * @throws AppError idempotency_in_progress while the first request runs; idempotency_mismatch for another body.
 */
export async function claimIdempotencyKey(
  sql: Sql,
  sealer: Sealer,
  request: Idempotent,
  nowMs: number,
): Promise<KeptReply | null> {
  const { organizationId, route, key, bodyHash } = request;
  const [lock] = await sql<{ taken: boolean }>(
    'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS taken',
    [JSON.stringify([organizationId, route, key])],
  );
  if (!lock?.taken) {
    throw new AppError(
      'idempotency_in_progress',
      'the first request with this Idempotency-Key is still running',
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
    throw new AppError('idempotency_mismatch', 'this Idempotency-Key was used before with another body');
  }
  const kept = JSON.parse(await sealer.unseal(stored.reply, contextOf(request))) as Omit<KeptReply, 'status'>;
  return { ...kept, status: stored.status };
}

/** Keeps the reply, sealed (an answer may show a new key once), for 24 hours. */
export async function storeIdempotentReply(
  sql: Sql,
  sealer: Sealer,
  request: Idempotent,
  { status, ...reply }: KeptReply,
  nowMs: number,
): Promise<void> {
  const sealed = await sealer.seal(JSON.stringify(reply), contextOf(request));
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
      new Date(nowMs + KEPT_MS),
    ],
  );
}

/** Deletes keys that expired, at most DELETE_BATCH_MAX at once. Gives how many. */
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
function contextOf(request: Idempotent): string {
  return JSON.stringify(['idempotency', request.organizationId, request.route, request.key]);
}
