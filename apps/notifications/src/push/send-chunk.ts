// Works off the chunks of broadcasts: up to 500 devices each, fifty at a time, each fifty recorded before the next is sent. A worker
// that is killed repeats at most the fifty that it had not recorded. Made once a worker process.
//
// A broadcast is a lane (docs/platform.md#lanes), so one whose devices do not answer holds up no other. There is one chunk of it that
// nobody has begun; whoever begins it opens the next one. What this process cannot begin at once goes back for another process, and
// whoever is done with a chunk looks for it.
import { inTransaction } from '@parley/postgres';
import {
  createWorkInFlight,
  computeFailureWaitMs,
  type AttemptTiming,
  type WorkEntry,
  type WorkRow,
} from '@parley/queues';
import { ignoreFailure } from '@parley/runtime';
import { chunkTable } from './chunk-table.ts';
import { FANOUT_COLUMNS, newChunk, settleIfDone, type Fanout } from './fanout.ts';
import { judged, recordBatch } from './record-devices.ts';
import { BATCH_DEVICES, prepareDevices, sendPrepared, type Device, type PushDeps } from './send-devices.ts';

/** Devices read at once, whatever the size of the audience: what bounds the memory of a broadcast. */
export const CHUNK_DEVICES = 500;
/** Broadcasts that a process can have under way, with as many chunks of each as it may. */
const BROADCASTS_AT_ONCE = 16;

export interface ChunkSender {
  /** Claims chunks and hands them over. A bell may ring twice: what is done, or in another hand, is left alone. */
  take(ids: readonly string[], signal: AbortSignal): Promise<void>;
  /** Waits for what is under way and hands the rest back. Close the workers first. */
  close(): Promise<void>;
}

interface Chunk extends Fanout {
  readonly id: string;
  readonly doneId: string;
  readonly untilId: string | null;
  /** How often it was rung again. */
  readonly rings: number;
}

interface Entry extends WorkEntry {
  readonly chunk: Chunk;
}

export function createChunkSender(deps: PushDeps): ChunkSender {
  const { clock, config, log } = deps;
  const table = chunkTable(deps);
  const claim = table.prepareClaim<Chunk>({
    select: `SELECT claimed.id, done_id AS "doneId", until_id AS "untilId", rings, ${FANOUT_COLUMNS}
      FROM claimed JOIN push_fanouts ON push_fanouts.delivery_id = claimed.delivery_id`,
  });
  const inHand = createWorkInFlight<WorkRow, Entry>({
    table,
    clock,
    log,
    placesMax: BROADCASTS_AT_ONCE * config.PUSH_CHUNKS_AT_ONCE,
    entriesPerClaim: 1,
    pauseMs: config.DELIVERY_TIMEOUT_MS,
    limits: { concurrencyMax: config.PUSH_CHUNKS_AT_ONCE, patienceMs: 0 },
    claim: async (ids, lease, alone) => {
      const rows = await claim(ids, lease, [], alone);
      return { rowIds: rows.map(({ id }) => id), entries: rows.map(entryOf) };
    },
    attempt: sendChunk,
  });
  const { lease } = inHand;
  let closing = false;

  async function sendChunk(entry: Entry, signalOf: () => AbortSignal): Promise<AttemptTiming> {
    const signal = signalOf();
    const { chunk } = entry;
    const startedAtMs = performance.now();
    let next: string | null = null;
    try {
      const devices = await planChunk(chunk);
      const sent = devices === null ? 'lost' : await sendBatches(chunk, devices, signal);
      if (typeof sent === 'object') {
        await inHand.release([entry], clock() + sent.waitMs);
        return { ms: performance.now() - startedAtMs, timedOut: false };
      }
      if (sent === 'done') next = await endChunk(chunk);
      if (sent === 'stopped') await inHand.release([entry]);
      else {
        inHand.closeEntries([entry]);
        inHand.freePlaces([entry]);
      }
      log.info(
        {
          chunk_id: chunk.id,
          delivery_id: chunk.deliveryId,
          notification_id: chunk.notificationId,
          organization_id: chunk.organizationId,
          devices: devices?.length ?? 0,
          outcome: sent,
          ms: Math.round(performance.now() - startedAtMs),
        },
        'push.chunk_sent',
      );
    } catch (error) {
      log.error({ err: error, chunk_id: chunk.id, delivery_id: chunk.deliveryId }, 'push.chunk_failed');
      await inHand.release([entry], clock() + computeFailureWaitMs(chunk.rings));
    }
    if (next !== null && !closing)
      void ignoreFailure(goOn(next, signal), 'it is rung for when it is due', log);
    return { ms: performance.now() - startedAtMs, timedOut: false };
  }

  /** The chunk that nobody has begun, here and now; unless another process was quicker. */
  async function goOn(id: string, signal: AbortSignal): Promise<void> {
    await table.bringForward([id]);
    await inHand.accept([id], signal);
  }

  /**
   * The devices that are left of the chunk; null when it is another worker's by now. The first worker that has it in hand says where it
   * ends and opens the next chunk behind it, in one statement: the audience is paged by key, and nobody holds more than a chunk of it.
   */
  async function planChunk(chunk: Chunk): Promise<readonly Device[] | null> {
    const { id, organizationId, userId, siteId, doneId, untilId } = chunk;
    const created = new Date(chunk.createdAtMs);
    const audience = [organizationId, doneId, untilId, created, siteId, CHUNK_DEVICES];
    const devices = await deps.sql<Device>(
      pageOf(userId),
      userId === null ? audience : [...audience, userId],
    );
    if (untilId !== null) return devices;
    const end = devices.at(-1)?.id ?? doneId;
    const nextId = devices.length < CHUNK_DEVICES ? null : deps.ids('pch');
    const dueAt = new Date(clock());
    const planned = await deps.sql(PLAN, [id, lease, end, nextId, dueAt]);
    if (planned.length === 0) return null;
    if (nextId !== null) await table.enqueue([{ id: nextId, rings: 0, dueAt }]);
    return devices;
  }

  /**
   * `lost`: another worker has the chunk now. `stopped`: the process ends; the rest is for another one. `waitMs`: until the organisation
   * may send more.
   */
  async function sendBatches(
    chunk: Chunk,
    devices: readonly Device[],
    signal: AbortSignal,
  ): Promise<'done' | 'lost' | 'stopped' | { readonly waitMs: number }> {
    const { id } = chunk;
    const isBroadcast = chunk.userId === null;
    const prepare = (from: number) => prepareDevices(deps, chunk, devices.slice(from, from + BATCH_DEVICES));
    let { doneId } = chunk;
    let ready = devices.length > 0 ? prepare(0) : undefined;
    for (let from = 0; ready; from += BATCH_DEVICES) {
      const prepared = await ready;
      if (signal.aborted) return 'stopped';
      const more = from + BATCH_DEVICES < devices.length;
      ready = more ? prepare(from + BATCH_DEVICES) : undefined;
      ready?.catch(() => undefined); // awaited in its turn; a failure before that must not go unhandled
      const { granted, waitMs } = await grant(chunk, doneId, prepared.length);
      if (granted === 0) return { waitMs };
      const batch = prepared.slice(0, granted);
      const recorded = judged(deps, chunk, await sendPrepared(deps, chunk, batch));
      if (!(await recordBatch(deps, { id, lease, doneId, isBroadcast }, chunk, recorded))) return 'lost';
      doneId = recorded.at(-1)!.id;
      if (granted < prepared.length) return { waitMs: 0 };
    }
    return 'done';
  }

  /** Devices are counted as sends; the call that was accepted has paid for the first. What has expired leaves for nobody. */
  async function grant({ organizationId, expiresAtMs }: Chunk, doneId: string, wanted: number) {
    if (clock() >= expiresAtMs) return { granted: wanted, waitMs: 0 };
    const paid = doneId === '' ? 1 : 0;
    const { granted, waitMs } = await deps.limits.spend(organizationId, wanted - paid);
    return { granted: granted + paid, waitMs };
  }

  /** Gives the chunk of the same broadcast that nobody has in hand, if there is one. */
  async function endChunk({ id, deliveryId }: Chunk): Promise<string | null> {
    const [ended] = await deps.sql<{ open: number; next: string | null }>(END, [id, lease]);
    if (ended?.open === 0) await inTransaction(deps.pool, (sql) => settleIfDone(deps, sql, deliveryId));
    return ended?.next ?? null;
  }

  return {
    take: inHand.accept,
    close: async () => {
      closing = true;
      await inHand.close();
    },
  };
}

function entryOf(chunk: Chunk): Entry {
  const { id: rowId, organizationId, deliveryId: receiver } = chunk;
  return { rowId, organizationId, receiver, retry: false, chunk };
}

/**
 * The devices behind `done`, in the order of their ids. Two texts, since a filter that may be absent spoils the plan. Those of a user:
 * of a fan-out that a release before this one began in chunks.
 */
function pageOf(userId: string | null): string {
  return `SELECT id, user_id AS "userId", key_id AS "keyId", sealed FROM push_subscriptions
    WHERE organization_id = $1 AND id > $2 AND ($3::text IS NULL OR id <= $3) AND gone_at IS NULL AND created_at <= $4
      AND ($5::text IS NULL OR site_id = $5) ${userId === null ? '' : 'AND user_id = $7'}
    ORDER BY id LIMIT $6`;
}

const PLAN = `
  WITH planned AS (
    UPDATE push_chunks SET until_id = $3::text WHERE id = $1::text AND claim = $2::text AND until_id IS NULL
    RETURNING delivery_id, organization_id),
  counted AS (
    UPDATE push_fanouts SET chunks_open = chunks_open + 1
    FROM planned WHERE push_fanouts.delivery_id = planned.delivery_id AND $4::text IS NOT NULL),
  ${newChunk('planned', '$4', '$3', '$5')}
  SELECT 1 AS one FROM planned`;

const END = `
  WITH ended AS (DELETE FROM push_chunks WHERE id = $1 AND claim = $2 RETURNING delivery_id),
  counted AS (
    UPDATE push_fanouts SET chunks_open = chunks_open - 1
    FROM ended WHERE push_fanouts.delivery_id = ended.delivery_id RETURNING push_fanouts.delivery_id, chunks_open AS open)
  SELECT open, (SELECT id FROM push_chunks WHERE delivery_id = counted.delivery_id AND claim IS NULL LIMIT 1) AS next
  FROM counted`;
