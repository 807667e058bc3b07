// Works off the deliveries of every channel. A job only claims its row and hands it over, so that no receiver holds up the queue:
//
//   take ── claim ── the lane of its receiver (docs/platform.md#lanes) ── one attempt ── its outcome, and the next attempt
//
// Made once a worker process.
import {
  createGroupCommit,
  createWorkInFlight,
  computeFailureWaitMs,
  type AttemptTiming,
  type WorkEntry,
} from '@parley/queues';
import { Secret } from '@parley/runtime';
import { deliveryContext } from '@parley/sealed-columns';
import type { Delivery, Outcome } from '../channels/channel.ts';
import type { Deps } from '../deps.ts';
import { claimingDeliveries, recordOutcome, type Claimed, type Result } from './claim-delivery.ts';
import { insteadOf } from '../timing/before-attempt.ts';
import { sayDigest } from '../timing/digest.ts';
import { wholePlan, wholeSealed } from '../topics/shared-content.ts';
import { noticeFor, ofSendIn, ofSendInText } from './delivery-plan.ts';
import { scheduleOf } from './delivery-config.ts';
import { channelOf, deliveryTable, NOTICE_BYTES, type DueDelivery } from './delivery-table.ts';
import { nextOf, type Next } from './outcome.rules.ts';
import { deliveriesSetAside } from './set-aside.ts';

/** In hand at once, waiting or under way: fifty receivers at their cap. */
const IN_HAND_MAX = 500;
/** With what they are to send, which may be a mebibyte each. */
const IN_HAND_BYTES_MAX = 32 * 1024 * 1024;
/** A delivery whose channel this deployment has not looks so often whether it has it again, and for so long. */
const CHANNEL_WAIT_MS = 60_000;
const CHANNEL_WAIT_MAX_MS = 30 * 24 * 60 * 60_000;
/** Classes after which a receiver is in doubt. */
const TIMED_OUT: ReadonlySet<string> = new Set(['timeout', 'attachment_timeout']);
/** Jobs that come together share a claim. */
const CLAIMED_TOGETHER = 20;
/**
 * An attempt that failed so often for a reason of ours ends as failed. With the waits of `ownFailureWaitMs` that is a day: long enough
 * to mend what is broken, and a notification that is older is nobody's wish any more.
 */
export const OWN_FAILURES_MAX = 150;

export interface DeliverySender {
  /** Claims a delivery and hands it over. A bell may ring twice: what is not due, or in another hand, is left alone. */
  take(id: string, signal: AbortSignal): Promise<void>;
  /** One round of the sweeper. Gives how many deliveries were rung, or taken here because their channel has no queue. */
  sweep(): Promise<number>;
  /** Waits for what is under way and hands the rest back. Close the workers first. */
  close(): Promise<void>;
}

interface Entry extends WorkEntry {
  readonly claimed: Claimed;
}

export function createDeliverySender(deps: Deps): DeliverySender {
  const { clock, config, log } = deps;
  const table = deliveryTable(deps, {
    onQuarantine: (sql, rows) =>
      deliveriesSetAside(
        deps,
        sql,
        rows.map(({ id }) => id),
      ),
  });
  const claim = claimingDeliveries(table);
  const inHand = createWorkInFlight<DueDelivery, Entry>({
    table,
    clock,
    log,
    placesMax: IN_HAND_MAX,
    bytesMax: IN_HAND_BYTES_MAX,
    entriesPerClaim: CLAIMED_TOGETHER,
    pauseMs: config.DELIVERY_TIMEOUT_MS,
    claim: async (ids, lease, alone) => {
      const rows = await claim(ids, lease, [], alone);
      return { rowIds: rows.map(({ id }) => id), entries: rows.map(entryOf) };
    },
    attempt: deliver,
  });
  const claims = createGroupCommit<{ readonly id: string; readonly signal: AbortSignal }, boolean>({
    groupMax: CLAIMED_TOGETHER,
    write: async (jobs) => {
      const ids = jobs.map(({ id }) => id);
      const left = new Set(await inHand.acceptFitting(ids, jobs[0]!.signal));
      return ids.map((id) => left.has(id));
    },
  });

  /** What did not fit into a claim goes into another one, with whoever has come meanwhile: nobody waits for the large ones of others. */
  async function take(id: string, signal: AbortSignal): Promise<void> {
    while (await claims.add({ id, signal }));
  }

  function entryOf(row: Claimed): Entry {
    const { id, channel: name, organizationId, attempts, sealed, sharedPlan } = row;
    const channel = channelOf(deps, name);
    const plain = wholePlan(JSON.parse(row.plan) as unknown, sharedPlan);
    const plan = sharedPlan === null ? row.plan : JSON.stringify(plain);
    const claimed = { ...row, plan };
    const called = channel?.receiver(plain) ?? null;
    const receiver = called === null ? null : `${name} ${called}`;
    const bytes =
      NOTICE_BYTES + Buffer.byteLength(plan) + (sealed?.length ?? 0) + (row.sharedSealed?.length ?? 0);
    return { rowId: id, organizationId, receiver, retry: attempts > 1, bytes, claimed };
  }

  async function deliver(entry: Entry, signal: () => AbortSignal): Promise<AttemptTiming | null> {
    const { claimed } = entry;
    const startedAtMs = clock();
    const instead = insteadOfAnAttempt(deps, claimed, startedAtMs);
    if (instead) return conclude(entry, { ...instead, startedAtMs, made: false });
    let outcome: Outcome;
    try {
      const waits = await insteadByTiming(deps, claimed, startedAtMs);
      if (waits) return await conclude(entry, { ...waits, startedAtMs, made: false });
      outcome = await attempt(deps, claimed, signal());
    } catch (error) {
      log.error({ err: error, delivery_id: claimed.id }, 'delivery.not_attempted');
      return giveBack(entry, startedAtMs);
    }
    const situation = {
      attempt: claimed.attempts,
      expiresAtMs: claimed.expiresAt?.getTime() ?? null,
      nowMs: clock(),
      random: deps.random(),
    };
    const next = nextOf(outcome, situation, scheduleOf(config));
    return conclude(entry, { outcome, next, startedAtMs, made: true });
  }

  async function conclude(entry: Entry, result: Result): Promise<AttemptTiming | null> {
    const { claimed } = entry;
    const { outcome, next, made } = result;
    const ms = made ? clock() - result.startedAtMs : 0;
    try {
      const kept = await recordOutcome(deps, claimed, result);
      report(deps, claimed, outcome, next, ms);
      // Handed over, it may have been settled already: nothing was lost.
      if (!kept && next.kind !== 'open')
        log.warn({ delivery_id: claimed.id, attempt: claimed.attempts }, 'delivery.claim_lost');
      if (kept && next.kind === 'again') {
        const { id, channel, attempts } = claimed;
        const dueAt = new Date(next.atMs);
        await table.enqueue([{ id, channel, status: 'queued', attempts, rings: 0, dueAt }]);
      }
    } catch (error) {
      // Its lease runs out, and it is attempted again.
      log.error({ err: error, delivery_id: claimed.id }, 'delivery.outcome_not_written');
    }
    inHand.closeEntries([entry]);
    inHand.freePlaces([entry]);
    return made ? { ms, timedOut: 'errorClass' in outcome && TIMED_OUT.has(outcome.errorClass) } : null;
  }

  /** After a failure of ours: the attempt was not theirs to fail, so it is not counted and comes again, but not for ever. */
  async function giveBack(entry: Entry, startedAtMs: number): Promise<null> {
    const { ownFailures } = entry.claimed;
    if (ownFailures >= OWN_FAILURES_MAX) {
      const end = ended('failed', 'internal_error', 'This service failed to send it for a day.');
      await conclude(entry, { ...end, startedAtMs, made: false });
      return null;
    }
    const dueAtMs = clock() + computeFailureWaitMs(ownFailures);
    await inHand.release([entry], dueAtMs, 'own_failures = own_failures + 1');
    return null;
  }

  return {
    take,
    sweep: async () => {
      const { enqueued, jobless } = await table.sweep();
      const { signal } = new AbortController();
      await Promise.all(jobless.map(({ id }) => take(id, signal)));
      return enqueued + jobless.length;
    },
    close: inHand.close,
  };
}

/** What ends a delivery without an attempt: nothing leaves for a notification that is over. */
function insteadOfAnAttempt(
  deps: Deps,
  claimed: Claimed,
  nowMs: number,
): { readonly outcome: Outcome; readonly next: Next } | undefined {
  if (claimed.canceledAt) return ended('canceled', 'canceled', 'The notification was canceled.');
  if (claimed.switchedOff)
    return ended('suppressed', 'preference', 'The recipient has switched off its category on this channel.');
  const channel = channelOf(deps, claimed.channel);
  if (claimed.expiresAt && claimed.expiresAt.getTime() <= nowMs && channel?.endsExpired !== true)
    return ended('expired', 'expired', 'The notification expired before it was sent.');
  if (claimed.attempts > deps.config.DELIVERY_ATTEMPTS_MAX)
    return ended('failed', 'interrupted', 'Every attempt was broken off before its outcome was known.');
  if (!channel) return withoutChannel(claimed, nowMs);
  return undefined;
}

/** What its send asks before an attempt: a step that is not needed any more, hours that are not to be disturbed. */
async function insteadByTiming({ sql }: Deps, claimed: Claimed, nowMs: number) {
  const instead = await insteadOf(sql, ofSendInText(claimed.plan), claimed, nowMs);
  if (!instead) return undefined;
  if (instead.kind === 'not_needed') return ended('canceled', 'not_needed', instead.message);
  const message = 'It waits for the hours in which its receiver may be disturbed.';
  const outcome = { kind: 'retry', errorClass: 'waits_for_hours', message } as const;
  return { outcome, next: { kind: 'again', atMs: instead.atMs } as const };
}

/** Switched off, or not yet known to every replica of a rolling deploy: what was accepted waits for it. */
function withoutChannel({ sendAt, createdAt }: Claimed, nowMs: number) {
  const [errorClass, message] = ['unknown_channel', 'This deployment does not have the channel.'];
  if (nowMs >= (sendAt ?? createdAt).getTime() + CHANNEL_WAIT_MAX_MS)
    return ended('failed', errorClass, message);
  const outcome = { kind: 'retry', errorClass, message } as const;
  return { outcome, next: { kind: 'again', atMs: nowMs + CHANNEL_WAIT_MS } as const };
}

function ended(status: string, errorClass: string, message: string) {
  const outcome = { kind: 'final', status: 'failed', errorClass, message } as const;
  return { outcome, next: { kind: 'settled', status } as const };
}

async function attempt(deps: Deps, claimed: Claimed, signal: AbortSignal): Promise<Outcome> {
  const { id, notificationId, plan, sealed } = claimed;
  const channel = channelOf(deps, claimed.channel);
  if (!channel) throw new Error(`"${claimed.channel}" is not a channel`); // ended above
  const delivery: Delivery = {
    id,
    channel: channel.name,
    attempt: claimed.attempts,
    plain: JSON.parse(plan) as unknown,
    sealed: sealed === null ? undefined : new Secret(await unsealed(deps, claimed, sealed)),
  };
  const notice = noticeFor({ ...claimed, id: notificationId }, delivery.plain);
  const { digest } = ofSendIn(delivery.plain);
  if (!digest) return channel.send(deps, notice, delivery, { signal });
  const said = await sayDigest(deps, notice, channel, delivery.plain, digest);
  if (!said.ok)
    return { kind: 'final', status: 'failed', errorClass: said.errorClass, message: said.message };
  return channel.send(deps, said.notice, delivery, { signal });
}

async function unsealed(
  deps: Pick<Deps, 'dataSealer'>,
  { id, organizationId, channel, contentId, sharedSealed }: Claimed,
  sealed: string,
): Promise<string> {
  const own = await deps.dataSealer.unseal(sealed, deliveryContext({ organizationId, id }));
  if (!contentId || sharedSealed === null) return own;
  return wholeSealed(deps, own, { organizationId, contentId, sharedSealed }, channel);
}

/** The canonical line of an attempt. */
function report(deps: Deps, claimed: Claimed, outcome: Outcome, next: Next, ms: number): void {
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
