// Works off batches of deliveries: claim, check, send, write down. Made once a worker process (worker.ts); a job of the queue only
// hands batches over, so that it never waits for a receiver.
//
//   take(batches) ── claimed in Postgres ── each delivery to the lane of its receiver ── attempt ── results, in groups
//
// What is in hand is leased in Postgres and the leases are renewed: a killed process's deliveries are free again after 10 s.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { repeat } from '@parley/queues';
import type { Deps } from '../deps.ts';
import { attemptFacts, attemptRequest, type Attempted } from './attempt-delivery.ts';
import {
  claimBatches,
  deleteBatches,
  LEASE_MS,
  releaseBatches,
  RENEW_EVERY_MS,
  renewLeases,
  type Claim,
  type ClaimedDelivery,
} from './claim-batches.ts';
import { createDeliveryLanes, type LaneEntry } from './delivery-lanes.ts';
import { receiverOf, requestOf, type Receiver } from './delivery-receiver.ts';
import { afterFailure, beforeAttempt, type DeliveryStatus } from './delivery.rules.ts';
import { createDoubtedBatches } from './deferred-batches.ts';
import { BATCH_DELIVERIES_MAX } from './plan-deliveries.rules.ts';
import type { Result } from './record-results.ts';
import { createResultsRecorder } from './results-recorder.ts';
import { createRoom } from './room.ts';

/** Deliveries in hand at once, bodies included: with bodies of 40 KB that is 40 MB. Room for a hundred receivers at their cap. */
const IN_HAND_MAX = 1_000;
/**
 * Lanes are looked through as often: a delivery leaves a receiver that hangs at most so long after its patience is over, and
 * comes back so soon after the receiver has answered again.
 */
const TIDY_EVERY_MS = 500;
/** When stopping, what is under way gets so long; with the workers' own grace within the 25 s of a process (platform §7). */
const STOP_MS = 6_000;
const STOP_LOOK_EVERY_MS = 20;
/** A failure of ours is hardly over sooner, and counts for nothing. */
const OUR_FAILURE_WAIT_MS = 10_000;

export interface DeliverySender {
  /** Claims batches and hands their deliveries over; waits while too much is in hand. */
  take(batchIds: readonly string[], signal: AbortSignal): Promise<void>;
  /** Waits for what is under way, writes it down and hands the rest back. Close the workers first. */
  close(): Promise<void>;
}

/** A batch that is ours. */
interface Batch {
  readonly id: string;
  /** Of its deliveries, those without a written result. */
  open: number;
  /** Of its deliveries, those under way. */
  underWay: number;
  leasedUntilMs: number;
}

interface Entry extends LaneEntry, Receiver {
  readonly delivery: ClaimedDelivery;
  readonly batch: Batch;
}

type SettledWith = Partial<Pick<Result, 'attempt' | 'nextAttemptAtMs' | 'doubtedLane' | 'disable'>>;

interface HeldResult extends Result {
  readonly batch: Batch;
}

export type SenderDeps = Pick<
  Deps,
  | 'pool'
  | 'sql'
  | 'clock'
  | 'ids'
  | 'config'
  | 'log'
  | 'deliveryMetrics'
  | 'outbox'
  | 'outbound'
  | 'dataSealer'
  | 'deliveryBell'
  | 'knownWebhooks'
>;

export function createDeliverySender(deps: SenderDeps): DeliverySender {
  const { sql, clock, config, log } = deps;
  const lease = randomUUID();
  const batches = new Map<string, Batch>();
  const inHand = createRoom(IN_HAND_MAX);
  const doubted = createDoubtedBatches(deps);
  let closing = false;

  const recorder = createResultsRecorder<HeldResult>(deps, lease, {
    finishedBy: (results) => {
      for (const { batch } of results) batch.open -= 1;
      const done = new Set(results.map(({ batch }) => batch).filter(({ open }) => open === 0));
      return [...done].map(({ id }) => id);
    },
    recorded: (results, later) => {
      for (const { batch } of results) if (batch.open === 0) drop(batch);
      inHand.leave(results.length);
      for (const batch of later) if (batch.doubtedLane !== null) doubted.keep(batch.doubtedLane, batch);
    },
  });

  const lanes = createDeliveryLanes<Entry>(clock, config.WEBHOOK_TIMEOUT_MS, {
    start: send,
    sendBack: (entries, dueAtMs, inDoubt) => {
      for (const entry of entries) {
        const doubtedLane = inDoubt ? entry.lane : null;
        settle(entry, 'pending', { nextAttemptAtMs: dueAtMs, doubtedLane });
      }
    },
  });

  function settle(
    { delivery, batch }: Pick<Entry, 'delivery' | 'batch'>,
    status: DeliveryStatus,
    { attempt = null, nextAttemptAtMs = null, doubtedLane = null, disable = null }: SettledWith = {},
  ): void {
    recorder.add({ delivery, batch, status, attempt, nextAttemptAtMs, doubtedLane, disable });
  }

  function drop(batch: Batch): void {
    if (batches.get(batch.id) === batch) batches.delete(batch.id);
  }

  async function take(batchIds: readonly string[], signal: AbortSignal): Promise<void> {
    // Places for as many as a job may carry, until it is known how many there are.
    if (!(await inHand.enter(BATCH_DELIVERIES_MAX, signal))) return; // the bell is lost, and the sweeper rings again
    let claimed: Claim = { batchIds: [], deliveries: [] };
    try {
      if (!closing) claimed = await claimBatches(sql, batchIds, lease, clock());
    } finally {
      inHand.leave(BATCH_DELIVERIES_MAX - claimed.deliveries.length);
    }
    const leasedUntilMs = clock() + LEASE_MS;
    const fresh = new Map(
      claimed.batchIds.map((id) => [id, { id, open: 0, underWay: 0, leasedUntilMs } satisfies Batch]),
    );
    for (const { batchId } of claimed.deliveries) (fresh.get(batchId) as Batch).open += 1;
    for (const batch of fresh.values()) if (batch.open > 0) batches.set(batch.id, batch);
    const entries: Entry[] = [];
    for (const delivery of claimed.deliveries) {
      const entry = await checked(delivery, fresh.get(delivery.batchId) as Batch);
      if (entry) entries.push(entry);
    }
    lanes.add(entries);
    // Last, because it may fail: what is claimed has to be in its lanes by then, or it would be leased and never sent.
    const empty = [...fresh.values()].filter(({ open }) => open === 0).map(({ id }) => id);
    if (empty.length > 0) await deleteBatches(sql, empty, lease);
  }

  /** What there is to send; null when the delivery was settled without an attempt. */
  async function checked(delivery: ClaimedDelivery, batch: Batch): Promise<Entry | null> {
    try {
      const { lane, webhook, target } = await receiverOf(deps, delivery);
      const state = webhook === null ? 'gone' : webhook.active ? 'active' : 'disabled';
      const { kind, source, attempts } = delivery;
      const due = { attempt: attempts + 1, kind, superseded: source.superseded };
      const verdict = beforeAttempt(due, state);
      if (verdict === 'send') return { delivery, batch, retry: attempts > 0, lane, webhook, target };
      settle({ delivery, batch }, verdict);
    } catch (error) {
      notAttempted({ delivery, batch }, error);
    }
    return null;
  }

  /** Our failure (no file descriptor, no key for a seal, Postgres away): counts for nothing and is tried again. */
  function notAttempted(entry: Pick<Entry, 'delivery' | 'batch'>, error: unknown): void {
    log.error({ err: error, delivery_id: entry.delivery.id }, 'delivery.not_attempted');
    settle(entry, 'pending', { nextAttemptAtMs: clock() + OUR_FAILURE_WAIT_MS });
  }

  /** The lane's turn has come. */
  async function send(entry: Entry): Promise<{ ms: number; timedOut: boolean }> {
    const { delivery, batch } = entry;
    const nowMs = clock();
    if (batch.leasedUntilMs <= nowMs) {
      // The process or Postgres stood still for too long: somebody else may have it by now.
      log.warn({ delivery_id: delivery.id, batch_id: batch.id }, 'delivery.lease_lost');
      drop(batch);
      inHand.leave(1);
      return { ms: 0, timedOut: false };
    }
    batch.underWay += 1;
    const attempt = delivery.attempts + 1;
    deps.deliveryMetrics.started(attempt, nowMs - delivery.createdAt.getTime());
    try {
      const attempted = await attemptRequest(deps, requestOf(entry, delivery, attempt, nowMs), attempt);
      conclude(entry, attempted);
      return { ms: attempted.made.ms, timedOut: attempted.timedOut };
    } catch (error) {
      notAttempted(entry, error);
      return { ms: 0, timedOut: false };
    } finally {
      batch.underWay -= 1;
    }
  }

  function conclude(entry: Entry, { made, retryAfterMs }: Attempted): void {
    const { delivery, webhook } = entry;
    deps.deliveryMetrics.ended(made.errorClass);
    log.info(attemptFacts(delivery, made), 'delivery.attempted');
    if (made.ok) return settle(entry, 'delivered', { attempt: made });
    const failed = {
      attempt: made.attempt,
      kind: delivery.kind,
      interim: delivery.event === 'speech.interim',
      status: made.status ?? undefined,
      retryAfterMs,
    };
    const after = afterFailure(failed, config.WEBHOOK_RETRY_WAITS_MS, Math.random());
    const disable =
      after.disable && webhook !== null
        ? `A delivery failed ${made.attempt} times, the last time with ${made.errorClass}: ${made.message}`
        : null;
    if (after.next === 'exhausted') settle(entry, 'exhausted', { attempt: made, disable });
    else settle(entry, 'pending', { attempt: made, nextAttemptAtMs: clock() + after.waitMs, disable });
  }

  const renewing = repeat(
    { everyMs: RENEW_EVERY_MS, firstAfterMs: RENEW_EVERY_MS, name: 'delivery.renew', log },
    async () => {
      const asked = [...batches.values()];
      if (asked.length === 0) return;
      const nowMs = clock();
      const ids = asked.map(({ id }) => id);
      const ours = await renewLeases(sql, ids, lease, nowMs);
      for (const batch of asked) batch.leasedUntilMs = ours.has(batch.id) ? nowMs + LEASE_MS : 0;
    },
  );
  const tidying = repeat(
    { everyMs: TIDY_EVERY_MS, firstAfterMs: TIDY_EVERY_MS, name: 'delivery.tidy', log },
    async () => {
      lanes.tidy();
      for (const lane of doubted.lanes()) if (lanes.isFree(lane)) await doubted.bringForward(lane);
    },
  );

  async function close(): Promise<void> {
    closing = true;
    const deadlineMs = clock() + STOP_MS;
    await tidying.close();
    inHand.leave(lanes.clear().length);
    while (clock() < deadlineMs && [...batches.values()].some(({ underWay }) => underWay > 0)) {
      await delay(STOP_LOOK_EVERY_MS);
    }
    await recorder.close(deadlineMs);
    await renewing.close();
    // Those with an attempt under way keep their lease until it runs out: it must not be made twice at once.
    const idle = [...batches.values()].filter(({ underWay }) => underWay === 0).map(({ id }) => id);
    if (idle.length > 0) deps.deliveryBell.ring(await releaseBatches(sql, idle, lease, clock()));
  }

  return { take, close };
}
