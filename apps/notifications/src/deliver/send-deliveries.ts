// Sends the deliveries of every channel. A job only claims its row and passes it on, so no receiver
// blocks the queue:
// accept ── claim ── lane of the receiver (docs/platform.md#lanes) ── one attempt ── record
// Created once per worker process.
import { createGroupCommit, Secret } from '@parley/server/runtime';
import {
  claimEach,
  createWorkInFlight,
  computeFailureWaitMs,
  type AttemptTiming,
  type WorkEntry,
  type WorkInFlight,
  type WorkTable,
} from '@parley/jobs';
import { deliveryContext } from '@parley/server/sealed-columns';
import type { Delivery } from '../channels/channel.ts';
import type { Deps } from '../deps.ts';
import { endWithoutAttempt, toEnd } from './end-without-attempt.ts';
import { renderDigest } from './render-digest.ts';
import { mergePlan, mergeSealed } from './shared-content.ts';
import { noticeFor, readSendOptions } from './send-options.ts';
import {
  createDeliveryClaim,
  deliveryTable,
  findChannel,
  NOTICE_BYTES,
  recordOutcome,
  type AttemptResult,
  type ClaimedDelivery,
  type DueDelivery,
} from './delivery-table.ts';
import { decideNext } from '../outcomes/retry-schedule.rules.ts';
import { traceAttempt } from './trace-attempt.ts';
import { quarantineDeliveries } from '../outcomes/quarantine.ts';
import type { Outcome } from '../outcomes/outcome.ts';

/** Deliveries in flight, waiting included: fifty receivers at their limit. */
const IN_FLIGHT_MAX = 500;
/** Their content, up to a mebibyte each. */
const IN_FLIGHT_BYTES_MAX = 32 * 1024 * 1024;
/** Error classes that mark a receiver as slow. */
const TIMED_OUT: ReadonlySet<string> = new Set(['timeout', 'attachment_timeout']);
/** Jobs that arrive together share one claim. */
const CLAIM_ROWS_MAX = 20;
/** Failures of ours until a delivery fails: a day with the waits of `computeFailureWaitMs`. */
export const OWN_FAILURES_MAX = 150;

export interface DeliverySender {
  /** Jobs may repeat: skips a row that is not due or held elsewhere. */
  accept(id: string, signal: AbortSignal): Promise<void>;
  /** Returns how many deliveries it re-enqueued, or claimed since their channel has no queue. */
  sweep(): Promise<number>;
  /** Waits for attempts in flight and releases the rest. Close the workers first. */
  close(): Promise<void>;
}

interface Entry extends WorkEntry {
  readonly claimed: ClaimedDelivery;
}

/** What a worker process sends with. */
interface Sending {
  readonly deps: Deps;
  readonly table: WorkTable<DueDelivery>;
  readonly inFlight: WorkInFlight<Entry>;
}

export function createDeliverySender(deps: Deps): DeliverySender {
  const { clock, config, log } = deps;
  const table = deliveryTable(deps, {
    onQuarantine: (sql, rows) =>
      quarantineDeliveries(
        deps,
        sql,
        rows.map(({ id }) => id),
      ),
  });
  const claim = createDeliveryClaim(table);
  const inFlight: WorkInFlight<Entry> = createWorkInFlight<DueDelivery, Entry>({
    table,
    clock,
    log,
    placesMax: IN_FLIGHT_MAX,
    bytesMax: IN_FLIGHT_BYTES_MAX,
    entriesPerClaim: CLAIM_ROWS_MAX,
    pauseMs: config.DELIVERY_TIMEOUT_MS,
    claim: claimEach(claim, (row) => toEntry(deps, row)),
    attempt: (entry, signal) => deliver({ deps, table, inFlight }, entry, signal),
  });
  const claims = createGroupCommit<{ readonly id: string; readonly signal: AbortSignal }, boolean>({
    groupMax: CLAIM_ROWS_MAX,
    write: async (jobs) => {
      const ids = jobs.map(({ id }) => id);
      const left = new Set(await inFlight.acceptFitting(ids, jobs[0]!.signal));
      return ids.map((id) => left.has(id));
    },
  });

  /** Rows that did not fit join the next claim, so that small ones need not wait for them. */
  async function accept(id: string, signal: AbortSignal): Promise<void> {
    while (await claims.add({ id, signal }));
  }

  return {
    accept,
    sweep: async () => {
      const { enqueued, jobless } = await table.sweep();
      const { signal } = new AbortController();
      await Promise.all(jobless.map(({ id }) => accept(id, signal)));
      return enqueued + jobless.length;
    },
    close: inFlight.close,
  };
}

function toEntry(deps: Deps, row: ClaimedDelivery): Entry {
  const { id, channel: name, organizationId, attempts, sealed, sharedPlan } = row;
  const own = JSON.parse(row.plan) as unknown;
  const plain = sharedPlan === null ? own : mergePlan(own, sharedPlan);
  const plan = sharedPlan === null ? row.plan : JSON.stringify(plain);
  const claimed = { ...row, plan };
  const receiverName = findChannel(deps, name)?.receiver(plain) ?? null;
  const receiver = receiverName === null ? null : `${name} ${receiverName}`;
  const bytes =
    NOTICE_BYTES + Buffer.byteLength(plan) + (sealed?.length ?? 0) + (row.sharedSealed?.length ?? 0);
  return { rowId: id, organizationId, receiver, retry: attempts > 1, bytes, claimed };
}

/** Attempts a claimed delivery and records the outcome. */
async function deliver(
  sending: Sending,
  entry: Entry,
  signal: () => AbortSignal,
): Promise<AttemptTiming | null> {
  const { deps, inFlight } = sending;
  const { clock, log } = deps;
  const { claimed } = entry;
  const startedAtMs = clock();
  let result: AttemptResult;
  try {
    result = await traceAttempt(claimed, (traced) => attempt(deps, traced, startedAtMs, signal));
  } catch (error) {
    log.error({ err: error, delivery_id: claimed.id }, 'delivery.not_attempted');
    if (claimed.ownFailures < OWN_FAILURES_MAX) {
      // After a failure of ours the attempt does not count and is repeated.
      const dueAtMs = clock() + computeFailureWaitMs(claimed.ownFailures);
      await inFlight.release([entry], dueAtMs, 'own_failures = own_failures + 1');
      return null;
    }
    const end = toEnd('failed', 'internal_error', 'This service failed to send it for a day.');
    result = { ...end, startedAtMs, isAttempted: false };
  }
  const ms = result.isAttempted ? clock() - startedAtMs : 0;
  await record(sending, claimed, result, ms);
  inFlight.finish(entry);
  if (!result.isAttempted) return null;
  const { outcome } = result;
  return { ms, timedOut: 'errorClass' in outcome && TIMED_OUT.has(outcome.errorClass) };
}

async function record(
  { deps, table }: Sending,
  claimed: ClaimedDelivery,
  result: AttemptResult,
  ms: number,
): Promise<void> {
  const { id, channel, attempts } = claimed;
  const { next } = result;
  try {
    const isRecorded = await recordOutcome(deps, claimed, result);
    report(deps, claimed, result, ms);
    // A handed-over delivery may already be settled; nothing was lost.
    if (!isRecorded && next.kind !== 'open')
      deps.log.warn({ delivery_id: id, attempt: attempts }, 'delivery.claim_lost');
    if (isRecorded && next.kind === 'again')
      await table.enqueue([
        { id, channel, status: 'queued', attempts, rings: 0, dueAt: new Date(next.atMs) },
      ]);
  } catch (error) {
    // Its lease runs out, and another worker attempts it again.
    deps.log.error({ err: error, delivery_id: id }, 'delivery.outcome_not_written');
  }
}

/**
 * Ends or postpones the delivery without an attempt, or sends it once. Throws a failure of ours.
 */
async function attempt(
  deps: Deps,
  claimed: ClaimedDelivery,
  startedAtMs: number,
  signal: () => AbortSignal,
): Promise<AttemptResult> {
  const instead = await endWithoutAttempt(deps, claimed, startedAtMs);
  if (instead) return { ...instead, startedAtMs, isAttempted: false };
  const outcome = await send(deps, claimed, signal());
  const situation = {
    attempt: claimed.attempts,
    expiresAtMs: claimed.expiresAt?.getTime() ?? null,
    nowMs: deps.clock(),
    random: deps.random(),
  };
  const next = decideNext(outcome, situation, deps.config.DELIVERY_RETRY_WAITS_MS);
  const isAttempted = !(outcome.kind === 'final' && outcome.status === 'suppressed');
  return { outcome, next, startedAtMs, isAttempted };
}

async function send(deps: Deps, claimed: ClaimedDelivery, signal: AbortSignal): Promise<Outcome> {
  const { id, notificationId, plan, sealed } = claimed;
  const channel = findChannel(deps, claimed.channel);
  if (!channel) throw new Error(`"${claimed.channel}" is not a channel`); // ended above
  const delivery: Delivery = {
    id,
    channel: channel.name,
    attempt: claimed.attempts,
    plain: JSON.parse(plan) as unknown,
    sealed: sealed === null ? undefined : new Secret(await unsealSecrets(deps, claimed, sealed)),
  };
  const notice = noticeFor({ ...claimed, id: notificationId }, delivery.plain);
  const { digest } = readSendOptions(delivery.plain);
  if (!digest) return channel.send(deps, notice, delivery, { signal });
  const rendered = await renderDigest(deps, notice, channel, delivery.plain, digest);
  if (!rendered.ok)
    return { kind: 'final', status: 'failed', errorClass: rendered.errorClass, message: rendered.message };
  return channel.send(deps, rendered.notice, delivery, { signal });
}

async function unsealSecrets(
  deps: Pick<Deps, 'dataSealer'>,
  { id, organizationId, channel, contentId, sharedSealed }: ClaimedDelivery,
  sealed: string,
): Promise<string> {
  const own = await deps.dataSealer.unseal(sealed, deliveryContext({ organizationId, id }));
  if (!contentId || sharedSealed === null) return own;
  return mergeSealed(deps, own, { organizationId, contentId, sharedSealed }, channel);
}

/** The canonical log line of an attempt. */
function report(deps: Deps, claimed: ClaimedDelivery, { outcome, next }: AttemptResult, ms: number): void {
  const failure = 'errorClass' in outcome ? outcome : undefined;
  const word = next.kind === 'again' ? 'retry' : next.kind === 'settled' ? next.status : outcome.kind;
  deps.count.attempted(claimed.channel, word);
  deps.log.info(
    {
      delivery_id: claimed.id,
      notification_id: claimed.notificationId,
      organization_id: claimed.organizationId,
      request_id: claimed.requestId,
      channel: claimed.channel,
      attempt: claimed.attempts,
      outcome: word,
      error_class: failure?.errorClass,
      http_status: failure?.httpStatus,
      error: failure?.message,
      next_attempt_at: next.kind === 'again' ? new Date(next.atMs) : undefined,
      ms,
    },
    'delivery.attempted',
  );
}
