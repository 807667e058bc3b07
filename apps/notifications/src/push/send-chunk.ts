// One chunk of a fan-out: up to 500 devices, fifty at a time, each fifty recorded before the next is sent. A worker that is
// killed repeats at most the fifty that it had not recorded. Called by the worker of the queue `push-chunks`, and by the
// channel for a user's devices, which are one chunk.
import { randomUUID } from 'node:crypto';
import { inTransaction } from '@parley/postgres';
import { ignoreFailure } from '@parley/runtime';
import { ownFailureWaitMs } from '../notify/ring.rules.ts';
import { addChunk, MESSAGE_COLUMNS, messageOf, settleIfDone, type MessageRow } from './fanout.ts';
import { judged, recordBatch } from './record-devices.ts';
import { ringChunks } from './ring-chunks.ts';
import {
  BATCH_DEVICES,
  prepareDevices,
  sendPrepared,
  type Device,
  type Message,
  type PushDeps,
} from './send-devices.ts';

/** Devices read at once, whatever the size of the audience: what bounds the memory of a broadcast. */
export const CHUNK_DEVICES = 500;
/** Renewed this often within its time, a lease survives one lost renewal. */
const RENEWALS_PER_LEASE = 3;

interface Chunk {
  readonly id: string;
  readonly claim: string;
  readonly deliveryId: string;
  readonly organizationId: string;
  readonly userId: string | null;
  readonly siteId: string | null;
  readonly doneId: string;
  readonly untilId: string | null;
  /** How often it was rung again. */
  readonly rings: number;
  readonly message: Message;
}

/**
 * Does nothing when the chunk is done or in another worker's hand: a bell may ring twice.
 * @throws what is a failure of ours; the claim is given back, and the chunk goes on where its record ends.
 */
export async function sendChunk(deps: PushDeps, id: string, signal: AbortSignal): Promise<void> {
  const chunk = await claimChunk(deps, id);
  if (!chunk) return;
  const startedAtMs = performance.now();
  const renewing = setInterval(
    () => void ignoreFailure(renewClaim(deps, chunk), 'the claim is renewed again soon', deps.log),
    deps.config.DELIVERY_LEASE_MS / RENEWALS_PER_LEASE,
  );
  try {
    const devices = await planChunk(deps, chunk);
    const sent = await sendBatches(deps, chunk, devices, signal);
    if (sent === 'done') await endChunk(deps, chunk);
    else if (sent === 'stopped') await releaseChunk(deps, chunk, 0);
    deps.log.info(
      {
        chunk_id: id,
        delivery_id: chunk.deliveryId,
        notification_id: chunk.message.notificationId,
        organization_id: chunk.organizationId,
        devices: devices.length,
        outcome: sent,
        ms: Math.round(performance.now() - startedAtMs),
      },
      'push.chunk_sent',
    );
  } catch (error) {
    const released = releaseChunk(deps, chunk, ownFailureWaitMs(chunk.rings));
    await ignoreFailure(released, 'the claim ends by itself', deps.log);
    throw error;
  } finally {
    clearInterval(renewing);
  }
}

/** `lost`: another worker has the chunk now. `stopped`: the process ends; the rest is for another one. */
async function sendBatches(
  deps: PushDeps,
  chunk: Chunk,
  devices: readonly Device[],
  signal: AbortSignal,
): Promise<'done' | 'lost' | 'stopped'> {
  const { message } = chunk;
  const isBroadcast = chunk.userId === null;
  const prepare = (from: number) => prepareDevices(deps, message, devices.slice(from, from + BATCH_DEVICES));
  let ready = devices.length > 0 ? prepare(0) : undefined;
  for (let from = 0; ready; from += BATCH_DEVICES) {
    const batch = await ready;
    if (signal.aborted) return 'stopped';
    const more = from + BATCH_DEVICES < devices.length;
    ready = more ? prepare(from + BATCH_DEVICES) : undefined;
    ready?.catch(() => undefined); // awaited in its turn; a failure before that must not go unhandled
    const tried = await sendPrepared(deps, message, batch);
    const recorded = judged(deps, message, tried);
    if (!(await recordBatch(deps, { ...chunk, isBroadcast }, message, recorded))) return 'lost';
  }
  return 'done';
}

interface ChunkRow extends MessageRow {
  readonly delivery_id: string;
  readonly done_id: string;
  readonly until_id: string | null;
  readonly rings: number;
}

async function claimChunk({ sql, clock, config }: PushDeps, id: string): Promise<Chunk | undefined> {
  const nowMs = clock();
  const claim = randomUUID();
  const [row] = await sql<ChunkRow>(
    `UPDATE push_chunks SET claim = $2, leased_until = $4, next_ring_at = $4 FROM push_fanouts
     WHERE push_chunks.id = $1 AND (leased_until IS NULL OR leased_until <= $3)
       AND push_fanouts.delivery_id = push_chunks.delivery_id
     RETURNING push_chunks.delivery_id, done_id, until_id, rings, ${MESSAGE_COLUMNS}`,
    [id, claim, new Date(nowMs), new Date(nowMs + config.DELIVERY_LEASE_MS)],
  );
  if (!row) return undefined;
  return {
    id,
    claim,
    deliveryId: row.delivery_id,
    organizationId: row.organization_id,
    userId: row.user_id,
    siteId: row.site_id,
    doneId: row.done_id,
    untilId: row.until_id,
    rings: row.rings,
    message: messageOf(row),
  };
}

async function renewClaim({ sql, clock, config }: PushDeps, { id, claim }: Chunk): Promise<void> {
  await sql('UPDATE push_chunks SET leased_until = $3, next_ring_at = $3 WHERE id = $1 AND claim = $2', [
    id,
    claim,
    new Date(clock() + config.DELIVERY_LEASE_MS),
  ]);
}

/** The sweeper rings for it after `waitMs`. */
async function releaseChunk({ sql, clock }: PushDeps, { id, claim }: Chunk, waitMs: number): Promise<void> {
  await sql(
    'UPDATE push_chunks SET claim = NULL, leased_until = NULL, next_ring_at = $3 WHERE id = $1 AND claim = $2',
    [id, claim, new Date(clock() + waitMs)],
  );
}

/** The devices behind `done`, in the order of their ids. Two texts, since a filter that may be absent spoils the plan. */
function pageOf(userId: string | null): string {
  return `SELECT id, user_id AS "userId", key_id AS "keyId", sealed FROM push_subscriptions
    WHERE organization_id = $1 AND id > $2 AND ($3::text IS NULL OR id <= $3) AND gone_at IS NULL AND created_at <= $4
      AND ($5::text IS NULL OR site_id = $5) ${userId === null ? '' : 'AND user_id = $7'}
    ORDER BY id LIMIT $6`;
}

/**
 * The devices that are left of the chunk. The first worker that has it in hand says where it ends and opens the next chunk
 * behind it, in one transaction: the audience is paged by key, and nobody holds more than a chunk of it.
 */
async function planChunk(deps: PushDeps, chunk: Chunk): Promise<Device[]> {
  const { organizationId, userId, siteId, doneId, untilId, message } = chunk;
  const audience = [organizationId, doneId, untilId, new Date(message.createdAtMs), siteId, CHUNK_DEVICES];
  const devices = await deps.sql<Device>(pageOf(userId), userId === null ? audience : [...audience, userId]);
  if (untilId !== null) return devices;
  const end = devices.at(-1)?.id ?? doneId;
  const next = await inTransaction(deps.pool, async (sql) => {
    const held = await sql(
      'UPDATE push_chunks SET until_id = $3 WHERE id = $1 AND claim = $2 RETURNING 1 AS one',
      [chunk.id, chunk.claim, end],
    );
    if (held.length === 0 || devices.length < CHUNK_DEVICES) return undefined;
    await sql('UPDATE push_fanouts SET chunks_open = chunks_open + 1 WHERE delivery_id = $1', [
      chunk.deliveryId,
    ]);
    return addChunk(deps, sql, chunk, end);
  });
  if (next !== undefined) await ringChunks(deps, [{ id: next, rings: 0 }]);
  return devices;
}

async function endChunk(deps: PushDeps, { id, claim, deliveryId }: Chunk): Promise<void> {
  await inTransaction(deps.pool, async (sql) => {
    const ended = await sql('DELETE FROM push_chunks WHERE id = $1 AND claim = $2 RETURNING 1 AS one', [
      id,
      claim,
    ]);
    if (ended.length === 0) return;
    await sql('UPDATE push_fanouts SET chunks_open = chunks_open - 1 WHERE delivery_id = $1', [deliveryId]);
    await settleIfDone(deps, sql, deliveryId);
  });
}
