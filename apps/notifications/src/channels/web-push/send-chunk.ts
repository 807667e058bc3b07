// Sends the chunks of broadcasts: up to 500 devices each, in batches of fifty. Each batch is
// recorded before the next is sent, so a killed worker repeats at most fifty. Created once per
// worker process.
// A broadcast is a lane (docs/platform.md#lanes), so slow devices of one do not delay another. It
// has one chunk that nobody has begun. The worker that begins it opens the next one. Chunks that
// this process cannot begin at once are released for others, and a worker that finishes a chunk
// looks for the next.
import { inTransaction } from '@parley/server/postgres';
import {
  claimEach,
  createWorkInFlight,
  computeFailureWaitMs,
  type AttemptTiming,
  type WorkEntry,
  type WorkRow,
} from '@parley/jobs';
import { ignoreFailure } from '@parley/server/runtime';
import { chunkTable } from './chunk-table.ts';
import { FANOUT_COLUMNS, insertChunk, settleIfDone, type Fanout } from './fanout.ts';
import { toRecordedDevices, recordBatch } from './record-devices.ts';
import { BATCH_DEVICES, prepareDevices, sendPrepared, type Device, type PushDeps } from './send-devices.ts';

/** Devices read at once, for any size of audience. Bounds the memory of a broadcast. */
export const CHUNK_DEVICES = 500;
/** Concurrent broadcasts of a process, each with the allowed number of chunks. */
const BROADCASTS_MAX = 16;

export interface ChunkSender {
  /** Jobs may repeat: skips chunks that are done or held elsewhere. */
  accept(ids: readonly string[], signal: AbortSignal): Promise<void>;
  /** Waits for chunks in flight and releases the rest. Close the workers first. */
  close(): Promise<void>;
}

interface Chunk extends Fanout {
  readonly id: string;
  readonly doneId: string;
  readonly untilId: string | null;
  /** How often it was re-enqueued. */
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
  const inFlight = createWorkInFlight<WorkRow, Entry>({
    table,
    clock,
    log,
    placesMax: BROADCASTS_MAX * config.PUSH_CHUNKS_AT_ONCE,
    entriesPerClaim: 1,
    pauseMs: config.DELIVERY_TIMEOUT_MS,
    limits: { concurrencyMax: config.PUSH_CHUNKS_AT_ONCE, patienceMs: 0 },
    claim: claimEach(claim, toEntry),
    attempt: sendChunk,
  });
  const { lease } = inFlight;
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
        await inFlight.release([entry], clock() + sent.waitMs);
        return { ms: performance.now() - startedAtMs, timedOut: false };
      }
      if (sent === 'done') next = await endChunk(chunk);
      if (sent === 'stopped') await inFlight.release([entry]);
      else inFlight.finish(entry);
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
      await inFlight.release([entry], clock() + computeFailureWaitMs(chunk.rings));
    }
    if (next !== null && !closing)
      void ignoreFailure(continueWith(next, signal), 'it is rung for when it is due', log);
    return { ms: performance.now() - startedAtMs, timedOut: false };
  }

  /** Continues here with the chunk that nobody has begun, unless another process was faster. */
  async function continueWith(id: string, signal: AbortSignal): Promise<void> {
    await table.bringForward([id]);
    await inFlight.accept([id], signal);
  }

  /**
   * The remaining devices of the chunk; null when another worker holds it. The first worker that
   * holds it sets its end and opens the next chunk in one statement. So the audience is paged by
   * key, one chunk at a time.
   */
  async function planChunk(chunk: Chunk): Promise<readonly Device[] | null> {
    const { id, organizationId, siteId, doneId, untilId } = chunk;
    const created = new Date(chunk.createdAtMs);
    const audience = [organizationId, doneId, untilId, created, siteId, CHUNK_DEVICES];
    const devices = await deps.sql<Device>(PAGE, audience);
    if (untilId !== null) return devices;
    const end = devices.at(-1)?.id ?? doneId;
    const nextId = devices.length < CHUNK_DEVICES ? null : deps.ids('pch');
    const dueAt = new Date(clock());
    const planned = await deps.sql(PLAN, [id, lease, end, nextId, dueAt]);
    if (planned.length === 0) return null;
    if (nextId !== null) await table.enqueue([{ id: nextId, rings: 0, dueAt }]);
    return devices;
  }

  /** `lost`: another worker holds the chunk. `waitMs`: until the organisation may send more. */
  async function sendBatches(
    chunk: Chunk,
    devices: readonly Device[],
    signal: AbortSignal,
  ): Promise<'done' | 'lost' | 'stopped' | { readonly waitMs: number }> {
    const { id } = chunk;
    const prepare = (from: number) => prepareDevices(deps, chunk, devices.slice(from, from + BATCH_DEVICES));
    let { doneId } = chunk;
    let ready = devices.length > 0 ? prepare(0) : undefined;
    for (let from = 0; ready; from += BATCH_DEVICES) {
      const prepared = await ready;
      if (signal.aborted) return 'stopped';
      const more = from + BATCH_DEVICES < devices.length;
      ready = more ? prepare(from + BATCH_DEVICES) : undefined;
      ready?.catch(() => undefined); // awaited later; an earlier failure must not be unhandled
      const { granted, waitMs } = await grant(chunk, doneId, prepared.length);
      if (granted === 0) return { waitMs };
      const batch = prepared.slice(0, granted);
      const recorded = toRecordedDevices(deps, chunk, await sendPrepared(deps, chunk, batch));
      if (!(await recordBatch(deps, { id, lease, doneId }, chunk, recorded))) return 'lost';
      doneId = recorded.at(-1)!.id;
      if (granted < prepared.length) return { waitMs: 0 };
    }
    return 'done';
  }

  /** Each device counts as a send; the accepted call paid for the first. */
  async function grant({ organizationId, expiresAtMs }: Chunk, doneId: string, wanted: number) {
    if (clock() >= expiresAtMs) return { granted: wanted, waitMs: 0 };
    const paid = doneId === '' ? 1 : 0;
    const { granted, waitMs } = await deps.limits.spend(organizationId, wanted - paid);
    return { granted: granted + paid, waitMs };
  }

  /** Returns the chunk of this broadcast that no worker holds, if any. */
  async function endChunk({ id, deliveryId }: Chunk): Promise<string | null> {
    const [ended] = await deps.sql<{ open: number; next: string | null }>(END, [id, lease]);
    if (ended?.open === 0) await inTransaction(deps.pool, (sql) => settleIfDone(deps, sql, deliveryId));
    return ended?.next ?? null;
  }

  return {
    accept: inFlight.accept,
    close: async () => {
      closing = true;
      await inFlight.close();
    },
  };
}

function toEntry(chunk: Chunk): Entry {
  const { id: rowId, organizationId, deliveryId: receiver } = chunk;
  return { rowId, organizationId, receiver, retry: false, chunk };
}

/** In id order. */
const PAGE = `
  SELECT id, user_id AS "userId", key_id AS "keyId", sealed FROM push_subscriptions
  WHERE organization_id = $1 AND id > $2 AND ($3::text IS NULL OR id <= $3) AND gone_at IS NULL AND created_at <= $4
    AND ($5::text IS NULL OR site_id = $5)
  ORDER BY id LIMIT $6`;

const PLAN = `
  WITH planned AS (
    UPDATE push_chunks SET until_id = $3::text WHERE id = $1::text AND claim = $2::text AND until_id IS NULL
    RETURNING delivery_id, organization_id),
  counted AS (
    UPDATE push_fanouts SET chunks_open = chunks_open + 1
    FROM planned WHERE push_fanouts.delivery_id = planned.delivery_id AND $4::text IS NOT NULL),
  ${insertChunk('planned', '$4', '$3', '$5')}
  SELECT 1 AS one FROM planned`;

const END = `
  WITH ended AS (DELETE FROM push_chunks WHERE id = $1 AND claim = $2 RETURNING delivery_id),
  counted AS (
    UPDATE push_fanouts SET chunks_open = chunks_open - 1
    FROM ended WHERE push_fanouts.delivery_id = ended.delivery_id RETURNING push_fanouts.delivery_id, chunks_open AS open)
  SELECT open, (SELECT id FROM push_chunks WHERE delivery_id = counted.delivery_id AND claim IS NULL LIMIT 1) AS next
  FROM counted`;
