// One attempt on one channel: claim the row, send, record what it came to, choose the next attempt. Called by the workers
// of the channel queues, and by the sweeper for channels that have no queue.
import { ignoreFailure, Secret } from '@parley/runtime';
import type { Delivery, Notice, Outcome } from '../channels/channel.ts';
import type { Deps } from '../deps.ts';
import { sealContext } from './accept-notification.ts';
import { claimDelivery, recordOutcome, releaseClaim, renewLease, type Claimed } from './claim-delivery.ts';
import { scheduleOf } from './delivery-config.ts';
import { nextOf, type Next } from './outcome.rules.ts';
import { isChannelName, ringDeliveries } from './ring-deliveries.ts';
import { OWN_FAILURE_RINGS_MAX } from './ring.rules.ts';

/** Renewed this often within its time, a lease survives one lost renewal and the pause of a busy process. */
const RENEWALS_PER_LEASE = 3;

/**
 * Does nothing when the delivery is not due, or in another worker's hand: a bell may ring twice.
 * @throws what is a failure of ours; the claim is given back and the same attempt comes again.
 */
export async function deliverChannel(deps: Deps, id: string, signal: AbortSignal): Promise<void> {
  const claimed = await claimDelivery(deps, id);
  if (!claimed) return;
  const startedAtMs = deps.clock();
  const instead = insteadOfAnAttempt(deps, claimed, startedAtMs);
  if (instead) {
    await recordOutcome(deps, claimed, {
      outcome: instead.outcome,
      next: instead.next,
      startedAtMs,
      made: false,
    });
    report(deps, claimed, instead.outcome, instead.next, 0);
    return;
  }
  const renewing = keepLease(deps, claimed);
  let outcome: Outcome;
  try {
    outcome = await attempt(deps, claimed, signal);
  } catch (error) {
    await ignoreFailure(giveBack(deps, claimed, startedAtMs), 'the lease ends by itself', deps.log);
    throw error;
  } finally {
    clearInterval(renewing);
  }
  const next = nextOf(
    outcome,
    {
      attempt: claimed.attempts,
      expiresAtMs: claimed.expiresAt?.getTime() ?? null,
      nowMs: deps.clock(),
      random: deps.random(),
    },
    scheduleOf(deps.config),
  );
  const kept = await recordOutcome(deps, claimed, { outcome, next, startedAtMs, made: true });
  report(deps, claimed, outcome, next, deps.clock() - startedAtMs);
  // Handed over, it may have been settled already: nothing was lost.
  if (!kept && next.kind !== 'open')
    deps.log.warn({ delivery_id: id, attempt: claimed.attempts }, 'delivery.claim_lost');
  if (kept && next.kind === 'again') {
    const delayMs = Math.max(0, next.atMs - deps.clock());
    await ringDeliveries(deps, [
      { id, channel: claimed.channel, attempts: claimed.attempts, rings: 0, delayMs },
    ]);
  }
}

/** After a failure of ours: the same attempt comes again, unless that has gone on for a day. */
async function giveBack(deps: Deps, claimed: Claimed, startedAtMs: number): Promise<void> {
  if (claimed.rings < OWN_FAILURE_RINGS_MAX) return releaseClaim(deps, claimed);
  const message = 'This service failed to send it for a day.';
  const outcome = { kind: 'final', status: 'failed', errorClass: 'internal_error', message } as const;
  const next = { kind: 'settled', status: 'failed' } as const;
  await recordOutcome(deps, claimed, { outcome, next, startedAtMs, made: false });
  report(deps, claimed, outcome, next, deps.clock() - startedAtMs);
}

/** What ends a delivery without an attempt: nothing leaves for a notification that is over. */
function insteadOfAnAttempt(
  deps: Deps,
  claimed: Claimed,
  nowMs: number,
): { outcome: Outcome; next: Next } | undefined {
  const end = (status: string, errorClass: string, message: string) => ({
    outcome: { kind: 'final', status: 'failed', errorClass, message } as const,
    next: { kind: 'settled', status } as const,
  });
  if (claimed.canceledAt) return end('canceled', 'canceled', 'The notification was canceled.');
  const channel = isChannelName(claimed.channel) ? deps.channels.get(claimed.channel) : undefined;
  if (claimed.expiresAt && claimed.expiresAt.getTime() <= nowMs && channel?.endsExpired !== true)
    return end('expired', 'expired', 'The notification expired before it was sent.');
  if (claimed.attempts > deps.config.DELIVERY_ATTEMPTS_MAX)
    return end('failed', 'interrupted', 'Every attempt was broken off before its outcome was known.');
  if (!channel) return end('failed', 'unknown_channel', 'This deployment does not have the channel.');
  return undefined;
}

async function attempt(deps: Deps, claimed: Claimed, signal: AbortSignal): Promise<Outcome> {
  const { id, channel: name, attempts, organizationId, plan, sealed } = claimed;
  if (!isChannelName(name)) throw new Error(`"${name}" is not a channel`); // ended above
  const delivery: Delivery = {
    id,
    channel: name,
    attempt: attempts,
    plain: JSON.parse(plan) as unknown,
    sealed:
      sealed === null
        ? undefined
        : new Secret(await deps.dataSealer.unseal(sealed, sealContext(organizationId, id))),
  };
  return deps.channels.get(name)!.send(deps, noticeOf(claimed), delivery, { signal });
}

function noticeOf(claimed: Claimed): Notice {
  const { notificationId, organizationId, subject, subjectGiven, message } = claimed;
  const { createdAt, sendAt, expiresAt, requestId, traceparent } = claimed;
  return {
    id: notificationId,
    organizationId,
    subject,
    subjectGiven,
    message,
    createdAt,
    sendAt,
    expiresAt,
    requestId,
    traceparent,
  };
}

/** A slow provider must not let the claim run out. Quick attempts end before the first renewal and cost nothing. */
function keepLease(deps: Deps, claimed: Claimed): NodeJS.Timeout {
  const renew = () =>
    void ignoreFailure(renewLease(deps, claimed), 'the lease is renewed again soon', deps.log);
  return setInterval(renew, deps.config.DELIVERY_LEASE_MS / RENEWALS_PER_LEASE);
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
      next_attempt_at: next.kind === 'again' ? new Date(next.atMs) : undefined,
      ms,
    },
    'delivery.attempted',
  );
}
