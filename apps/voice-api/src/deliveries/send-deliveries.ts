// Sends batches of deliveries; one sender a worker process. Jobs only pass batches on, so they
// never wait for a receiver:
//
//   claim ── each delivery to the lane of its receiver ── attempt ── result, written in groups
//
// The library manages leases, lanes and the amount in flight (docs/platform.md#lanes).
import {
  createWorkInFlight,
  computeLaneKey,
  type Claim,
  type AttemptTiming,
  type WorkInFlight,
} from '@parley/jobs';
import { repeat } from '@parley/server/runtime';
import type { Deps } from './deps.ts';
import { toAttemptLog, attemptRequest, type AttemptOutcome } from './attempt-delivery.ts';
import { createDeliveryClaim } from './claim-deliveries.ts';
import { createDeferredBatches } from './pace/deferred-batches.ts';
import { deliveryBatches, type DeliveryBatch } from './delivery-batches.ts';
import {
  toEntry,
  findReceiver,
  peekReceiver,
  buildRequest,
  type DeliveryEntry,
} from './delivery-receiver.ts';
import type { DeliveryStatus } from './delivery.rules.ts';
import { decideAfterFailure } from './retry-schedule.ts';
import { BATCH_DELIVERIES_MAX } from './plan-deliveries.rules.ts';
import { assignSlots, waitForSlot } from './pace/rate-slots.ts';
import type { DeliveryResult } from './record-results.ts';
import { createResultsRecorder } from './results-recorder.ts';

/** Deliveries in flight: enough for a hundred receivers at their limit. */
const IN_HAND_MAX = 1_000;
/** Bytes of their bodies, each up to a mebibyte. */
const IN_HAND_BYTES_MAX = 40 * 1024 * 1024;
/** How soon deferred deliveries return after their receiver answers again. */
const BRING_FORWARD_EVERY_MS = 500;
/** Wait after a failure of ours. It does not count as an attempt. */
const OUR_FAILURE_WAIT_MS = 10_000;

export interface DeliverySender {
  /** Claims batches and accepts their deliveries; waits while too much is in flight. */
  accept(batchIds: readonly string[], signal: AbortSignal): Promise<void>;
  /** Completes deliveries in flight and releases the rest. Close the workers first. */
  close(): Promise<void>;
}

export type SenderDeps = Pick<
  Deps,
  | 'pool'
  | 'sql'
  | 'queues'
  | 'clock'
  | 'ids'
  | 'config'
  | 'log'
  | 'deliveryMetrics'
  | 'outbound'
  | 'dataSealer'
  | 'deliveryEnqueuer'
  | 'webhookCache'
>;

export function createDeliverySender(deps: SenderDeps): DeliverySender {
  const { clock, config, log } = deps;
  const table = deliveryBatches(deps);
  const claimDeliveries = createDeliveryClaim(deps, table);
  const deferred = createDeferredBatches(deps, table);
  const results = createResultsRecorder(deps, deferred, () => inHand);
  const inHand: WorkInFlight<DeliveryEntry> = createWorkInFlight<DeliveryBatch, DeliveryEntry>({
    table,
    clock,
    log,
    placesMax: IN_HAND_MAX,
    bytesMax: IN_HAND_BYTES_MAX,
    entriesPerClaim: BATCH_DELIVERIES_MAX,
    pauseMs: config.WEBHOOK_TIMEOUT_MS,
    claim,
    attempt,
    defer,
    flush: results.close,
  });
  const everyMs = BRING_FORWARD_EVERY_MS;
  const forwarding = repeat({ everyMs, firstAfterMs: everyMs, name: 'delivery.bring_forward', log }, () =>
    deferred.bringForward(inHand.lanes.isFree),
  );

  async function claim(
    batchIds: readonly string[],
    lease: string,
    alone: boolean,
  ): Promise<Claim<DeliveryEntry>> {
    const claimed = await claimDeliveries(batchIds, lease, alone);
    const entries: DeliveryEntry[] = [];
    for (const delivery of claimed.deliveries) {
      const to = peekReceiver(deps, delivery) ?? (await findReceiver(deps, delivery));
      entries.push(toEntry(delivery, to));
    }
    return { rowIds: claimed.batchIds, entries: await assignSlots(deps, entries) };
  }

  /** Called by the lane scheduler. Entries with nothing to send bypass the lane. */
  async function attempt(entry: DeliveryEntry): Promise<AttemptTiming | null> {
    const { delivery, to, verdict } = entry;
    if (verdict !== 'send') {
      addResult(entry, verdict);
      return null;
    }
    if (entry.backAtMs !== undefined) {
      addResult(entry, 'pending', { nextAttemptAtMs: entry.backAtMs });
      return null;
    }
    await waitForSlot(deps, entry);
    const attempt = delivery.attempts + 1;
    const nowMs = clock();
    try {
      const request = buildRequest(to, delivery, attempt, nowMs);
      deps.deliveryMetrics.started(attempt, nowMs - delivery.createdAt.getTime());
      const attempted = await attemptRequest(deps, request, attempt);
      recordAttempt(entry, attempted);
      return { ms: attempted.attempt.ms, timedOut: attempted.timedOut };
    } catch (error) {
      // A failure of ours (no file descriptor, no key, Postgres unavailable) does not count as an
      // attempt.
      log.error({ err: error, delivery_id: delivery.id }, 'delivery.not_attempted');
      addResult(entry, 'pending', { nextAttemptAtMs: clock() + OUR_FAILURE_WAIT_MS });
      return null;
    }
  }

  function recordAttempt(entry: DeliveryEntry, { attempt, retryAfterMs }: AttemptOutcome): void {
    const { delivery, to } = entry;
    deps.deliveryMetrics.ended(attempt.errorClass);
    log.info(toAttemptLog(delivery, attempt), 'delivery.attempted');
    if (attempt.ok) return addResult(entry, 'delivered', { attempt: attempt });
    const failed = {
      attempt: attempt.attempt,
      kind: delivery.kind,
      interim: delivery.event === 'speech.interim',
      status: attempt.status ?? undefined,
      retryAfterMs,
    };
    const after = decideAfterFailure(failed, config.WEBHOOK_RETRY_WAITS_MS, Math.random());
    const failing = `A delivery failed ${attempt.attempt} ${attempt.attempt === 1 ? 'time' : 'times'}, the last time with ${attempt.errorClass}: ${attempt.message}`;
    const disable = after.disable && to.webhook !== null ? failing : null;
    const warning = after.warn && to.webhook !== null ? failing : null;
    if (after.next === 'exhausted') addResult(entry, 'exhausted', { attempt, disable });
    else addResult(entry, 'pending', { attempt, nextAttemptAtMs: clock() + after.waitMs, disable, warning });
  }

  /** Called for entries that would wait too long for their receiver. */
  function defer(entries: readonly DeliveryEntry[], dueAtMs: number, inDoubt: boolean): void {
    for (const entry of entries)
      addResult(entry, 'pending', {
        nextAttemptAtMs: dueAtMs,
        deferredLane: inDoubt ? computeLaneKey(entry) : null,
      });
  }

  function addResult(
    entry: DeliveryEntry,
    status: DeliveryStatus,
    {
      attempt = null,
      nextAttemptAtMs = null,
      deferredLane = null,
      disable = null,
      warning = null,
    }: Partial<DeliveryResult> = {},
  ): void {
    const { delivery } = entry;
    results.add({ entry, delivery, status, attempt, nextAttemptAtMs, deferredLane, disable, warning });
  }

  return {
    accept: inHand.accept,
    close: async () => {
      await forwarding.close();
      await inHand.close();
    },
  };
}
