// Sends batches of deliveries; one sender a worker process. Jobs only pass batches on, so they
// never wait for a receiver:
//
//   claim ── each delivery to the lane of its receiver ── attempt ── result, recorded in groups
//
// The library manages leases, lanes and the amount in flight (docs/platform.md#lanes).
import { setTimeout as delay } from 'node:timers/promises';
import {
  createWorkInFlight,
  computeLaneKey,
  type Claim,
  type AttemptTiming,
  type WorkInFlight,
} from '@parley/jobs';
import { inTransaction } from '@parley/server/postgres';
import { findRecordedTrace } from '@parley/server/tracing';
import {
  createGroupCommit,
  repeat,
  retryUntilSuccess,
  type GroupCommit,
  type RepeatedTask,
} from '@parley/server/runtime';
import { createDeliveryClaim } from './claim-deliveries.ts';
import type { DeliveryStatus } from './delivery.rules.ts';
import { deliveryBatches, type DeliveryBatch } from './delivery-batches.ts';
import {
  attemptRequest,
  buildRequest,
  findReceiver,
  peekReceiver,
  toAttemptLog,
  toEntry,
  type AttemptOutcome,
  type DeliveryEntry,
} from './delivery-request.ts';
import type { Deps } from './deps.ts';
import { createDeferredBatches, type DeferredBatches } from './pace/deferred-batches.ts';
import { assignSlots, waitForSlot } from './pace/rate-slots.ts';
import { BATCH_DELIVERIES_MAX } from './plan-deliveries.rules.ts';
import { recordResults, type DeliveryResult } from './record-results.ts';
import { decideAfterFailure } from './retry-schedule.ts';
import { traceAttempt } from './trace-attempt.ts';

/** Deliveries in flight: enough for a hundred receivers at their limit. */
const IN_FLIGHT_MAX = 1_000;
/** Bytes of their bodies, each up to a mebibyte. */
const IN_FLIGHT_BYTES_MAX = 40 * 1024 * 1024;
/** How soon deferred deliveries return after their receiver answers again. */
const BRING_FORWARD_EVERY_MS = 500;
/** Wait after a failure of ours. It does not count as an attempt. */
const OUR_FAILURE_WAIT_MS = 10_000;
/** Results of one transaction: it takes milliseconds, and a failure repeats little. */
const RESULTS_MAX = 500;
/** Under load a group gathers for this long: large transactions cost little more. */
const GATHER_MS = 20;
/** Pause between attempts to record while Postgres is unavailable. */
const RECORD_AGAIN_MS = 500;

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

interface EntryResult extends DeliveryResult {
  readonly entry: DeliveryEntry;
}

export function createDeliverySender(deps: SenderDeps): DeliverySender {
  return new Sender(deps);
}

class Sender implements DeliverySender {
  readonly #deps: SenderDeps;
  readonly #claimDeliveries: ReturnType<typeof createDeliveryClaim>;
  readonly #inFlight: WorkInFlight<DeliveryEntry>;
  readonly #deferred: DeferredBatches;
  readonly #forwarding: RepeatedTask;
  readonly #results: GroupCommit<EntryResult, void>;
  readonly #abandoned = new AbortController();

  constructor(deps: SenderDeps) {
    const { clock, config, log } = deps;
    const table = deliveryBatches(deps);
    this.#deps = deps;
    this.#claimDeliveries = createDeliveryClaim(deps, table);
    this.#inFlight = createWorkInFlight<DeliveryBatch, DeliveryEntry>({
      table,
      clock,
      log,
      placesMax: IN_FLIGHT_MAX,
      bytesMax: IN_FLIGHT_BYTES_MAX,
      entriesPerClaim: BATCH_DELIVERIES_MAX,
      pauseMs: config.DELIVERY_TIMEOUT_MS,
      claim: (batchIds, lease, isIsolated) => this.#claim(batchIds, lease, isIsolated),
      attempt: (entry) => this.#attempt(entry),
      defer: (entries, dueAtMs, isInDoubt) => this.#defer(entries, dueAtMs, isInDoubt),
      flush: (deadlineMs) => this.#flush(deadlineMs),
    });
    this.#results = createGroupCommit<EntryResult>({
      groupMax: RESULTS_MAX,
      pauseMs: GATHER_MS,
      write: (results) => this.#record(results),
    });
    this.#deferred = createDeferredBatches(deps, table);
    const everyMs = BRING_FORWARD_EVERY_MS;
    this.#forwarding = repeat({ everyMs, name: 'delivery.bring_forward', log }, () =>
      this.#deferred.bringForward(this.#inFlight.lanes.isFree),
    );
  }

  accept(batchIds: readonly string[], signal: AbortSignal): Promise<void> {
    return this.#inFlight.accept(batchIds, signal);
  }

  async #claim(
    batchIds: readonly string[],
    lease: string,
    isIsolated: boolean,
  ): Promise<Claim<DeliveryEntry>> {
    const claimed = await this.#claimDeliveries(batchIds, lease, isIsolated);
    const entries: DeliveryEntry[] = [];
    for (const delivery of claimed.deliveries) {
      const to = peekReceiver(this.#deps, delivery) ?? (await findReceiver(this.#deps, delivery));
      entries.push(toEntry(delivery, to));
    }
    const isLimited = entries.some(({ to }) => to.webhook?.ratePerSecond);
    return {
      rowIds: claimed.batchIds,
      entries: isLimited ? await assignSlots(this.#deps, entries) : entries,
    };
  }

  /** Called by the lane scheduler. Entries with nothing to send bypass the lane. */
  async #attempt(entry: DeliveryEntry): Promise<AttemptTiming | null> {
    const { delivery, to, verdict, backAtMs, startsAtMs } = entry;
    const { clock, deliveryMetrics, log } = this.#deps;
    if (verdict !== 'send') return this.#addResult(entry, verdict);
    if (backAtMs !== undefined) return this.#addResult(entry, 'pending', { nextAttemptAtMs: backAtMs });
    if (startsAtMs !== undefined) await waitForSlot(this.#deps, entry);
    const attempt = delivery.attempts + 1;
    const nowMs = clock();
    try {
      const traceId = findRecordedTrace(delivery.source.traceparent);
      deliveryMetrics.started(attempt, nowMs - delivery.createdAt.getTime(), traceId);
      const attempted = await traceAttempt(delivery, attempt, (traced) =>
        attemptRequest(this.#deps, buildRequest(to, traced, attempt, nowMs), attempt),
      );
      this.#decide(entry, attempted);
      return { ms: attempted.attempt.ms, timedOut: attempted.timedOut };
    } catch (error) {
      // A failure of ours (no file descriptor, no key, Postgres unavailable) does not count as an
      // attempt.
      log.error({ err: error, delivery_id: delivery.id }, 'delivery.not_attempted');
      return this.#addResult(entry, 'pending', { nextAttemptAtMs: clock() + OUR_FAILURE_WAIT_MS });
    }
  }

  /** Delivered, a retry, or exhausted. */
  #decide(entry: DeliveryEntry, { attempt, retryAfterMs }: AttemptOutcome): void {
    const { delivery, to } = entry;
    const { clock, config, deliveryMetrics, log } = this.#deps;
    deliveryMetrics.ended(attempt.errorClass);
    log.info(toAttemptLog(delivery, attempt), 'delivery.attempted');
    if (attempt.ok) return void this.#addResult(entry, 'delivered', { attempt });
    const failed = {
      attempt: attempt.attempt,
      kind: delivery.kind,
      interim: delivery.event === 'speech.interim',
      status: attempt.status ?? undefined,
      retryAfterMs,
    };
    const after = decideAfterFailure(failed, config.DELIVERY_RETRY_WAITS_MS, Math.random());
    const failing = `A delivery failed ${attempt.attempt} ${attempt.attempt === 1 ? 'time' : 'times'}, the last time with ${attempt.errorClass}: ${attempt.message}`;
    const disable = after.disable && to.webhook !== null ? failing : null;
    const warning = after.warn && to.webhook !== null ? failing : null;
    if (after.next === 'exhausted') this.#addResult(entry, 'exhausted', { attempt, disable });
    else {
      const nextAttemptAtMs = clock() + after.waitMs;
      this.#addResult(entry, 'pending', { attempt, nextAttemptAtMs, disable, warning });
    }
  }

  /** Called for entries that would wait too long for their receiver. */
  #defer(entries: readonly DeliveryEntry[], dueAtMs: number, isInDoubt: boolean): void {
    for (const entry of entries) {
      const deferredLane = isInDoubt ? computeLaneKey(entry) : null;
      this.#addResult(entry, 'pending', { nextAttemptAtMs: dueAtMs, deferredLane });
    }
  }

  /** Null, as `attempt` returns it when no attempt was made. */
  #addResult(entry: DeliveryEntry, status: DeliveryStatus, rest: Partial<DeliveryResult> = {}): null {
    const { delivery } = entry;
    void this.#results.add({ ...NO_ATTEMPT, ...rest, entry, delivery, status });
    return null;
  }

  /**
   * Records results in one transaction, then enqueues later attempts and drops disabled webhooks
   * from the cache. Retries until recorded: the requests were made, and the next holder of the
   * batches would repeat them.
   */
  async #record(results: readonly EntryResult[]): Promise<void> {
    const { pool, deliveryEnqueuer, webhookCache, deliveryMetrics, log } = this.#deps;
    const entries = results.map(({ entry }) => entry);
    const { lease, closeEntries, freePlaces } = this.#inFlight;
    const done = closeEntries(entries);
    const recorded = await retryUntilSuccess(
      () => inTransaction(pool, (sql) => recordResults(this.#deps, sql, results, done, lease)),
      {
        everyMs: RECORD_AGAIN_MS,
        signal: this.#abandoned.signal,
        onFailure: (error) =>
          log.warn({ err: error, results: results.length }, 'delivery.results_not_written'),
      },
    );
    if (!recorded) return;
    deliveryEnqueuer.enqueue(recorded.batches);
    for (const { webhookId, organizationId, reason } of recorded.disabled) {
      webhookCache.drop(webhookId);
      log.warn({ webhook_id: webhookId, organization_id: organizationId, reason }, 'webhook.disabled');
    }
    deliveryMetrics.disabled(recorded.disabled.length);
    freePlaces(entries);
    for (const batch of recorded.batches)
      if (batch.deferredLane !== null) this.#deferred.keep(batch.deferredLane, batch);
  }

  /** Waits until all results are recorded, or until `deadlineMs` (epoch). */
  async #flush(deadlineMs: number): Promise<void> {
    const late = delay(Math.max(0, deadlineMs - this.#deps.clock()), undefined, { ref: false });
    await Promise.race([this.#results.close(), late]);
    this.#abandoned.abort();
  }

  async close(): Promise<void> {
    await this.#forwarding.close();
    await this.#inFlight.close();
  }
}

const NO_ATTEMPT = {
  attempt: null,
  nextAttemptAtMs: null,
  deferredLane: null,
  disable: null,
  warning: null,
} as const;
