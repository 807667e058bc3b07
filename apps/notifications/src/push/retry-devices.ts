// Further attempts for single devices, when their time has come: fifty at a time, of whatever sends they belong to. Run every
// second by every worker process; several may at once.
import { inTransaction } from '@parley/postgres';
import { ignoreFailure } from '@parley/runtime';
import { FANOUT_COLUMNS, settleIfDone, type Fanout } from './fanout.ts';
import { judged, recordRetries, type RecordedDevice } from './record-devices.ts';
import { BATCH_DEVICES, prepareDevices, sendPrepared, type Device, type PushDeps } from './send-devices.ts';

/** Above the time that fifty attempts take: a time-out each, twice after a 401, and the encryption. */
const CLAIM_MARGIN_MS = 15_000;
/** Batches of one round; a larger backlog goes on in the next one. */
const BATCHES_MAX = 20;

/** One round. Gives how many devices were tried. */
export async function retryDevices(deps: PushDeps, signal: AbortSignal): Promise<number> {
  let tried = 0;
  for (let batch = 0; batch < BATCHES_MAX && !signal.aborted; batch += 1) {
    const claimedUntil = new Date(deps.clock() + 2 * deps.config.DELIVERY_TIMEOUT_MS + CLAIM_MARGIN_MS);
    const due = await claimRetries(deps, claimedUntil);
    // A failure of ours with one send, or a service that hangs, is none of the others: its devices are due again when the claim is over.
    const retried = [...groupByDelivery(due)].map(([deliveryId, retries]) =>
      ignoreFailure(
        retryOf(deps, deliveryId, retries, claimedUntil),
        'the devices are tried again',
        deps.log,
      ),
    );
    await Promise.all(retried);
    tried += due.length;
    if (due.length < BATCH_DEVICES) break;
  }
  return tried;
}

interface Retry {
  readonly delivery_id: string;
  readonly subscription_id: string;
  readonly attempts: number;
}

/** The claim is the moved time: a killed worker's devices are due again when it has passed. */
function claimRetries({ sql, clock }: PushDeps, claimedUntil: Date): Promise<Retry[]> {
  return sql<Retry>(
    `UPDATE push_retries SET next_attempt_at = $2 FROM
       (SELECT delivery_id, subscription_id FROM push_retries WHERE next_attempt_at <= $1
        ORDER BY next_attempt_at LIMIT $3 FOR UPDATE SKIP LOCKED) AS due
     WHERE push_retries.delivery_id = due.delivery_id AND push_retries.subscription_id = due.subscription_id
     RETURNING push_retries.delivery_id, push_retries.subscription_id, attempts`,
    [new Date(clock()), claimedUntil, BATCH_DEVICES],
  );
}

function groupByDelivery(retries: readonly Retry[]): Map<string, Retry[]> {
  const groups = new Map<string, Retry[]>();
  for (const retry of retries)
    groups.set(retry.delivery_id, [...(groups.get(retry.delivery_id) ?? []), retry]);
  return groups;
}

async function retryOf(
  deps: PushDeps,
  deliveryId: string,
  retries: readonly Retry[],
  claimedUntil: Date,
): Promise<void> {
  const [fanout] = await deps.sql<Fanout>(
    `SELECT ${FANOUT_COLUMNS} FROM push_fanouts WHERE delivery_id = $1`,
    [deliveryId],
  );
  if (!fanout) return; // deleted with its notification, and its retries with it
  const attempts = new Map(retries.map((retry) => [retry.subscription_id, retry.attempts]));
  const devices = await deps.sql<Device>(
    `SELECT id, user_id AS "userId", key_id AS "keyId", sealed FROM push_subscriptions
     WHERE organization_id = $1 AND id = ANY($2::text[]) AND gone_at IS NULL AND ($3::text IS NULL OR user_id = $3::text)`,
    [fanout.organizationId, [...attempts.keys()], fanout.userId],
  );
  const sent = await sendPrepared(deps, fanout, await prepareDevices(deps, fanout, devices));
  const recorded = judged(deps, fanout, sent, (id) => attempts.get(id) ?? 0);
  // Unsubscribed while it waited, or taken over by another user, for whom the message is not.
  const left = retries
    .filter(({ subscription_id: id }) => !devices.some((device) => device.id === id))
    .map(({ subscription_id: id }): RecordedDevice => ({ id, userId: null, recorded: { kind: 'left' } }));
  if (!(await recordRetries(deps, deliveryId, claimedUntil, [...recorded, ...left]))) return;
  await inTransaction(deps.pool, (sql) => settleIfDone(deps, sql, deliveryId));
  deps.log.info(
    {
      delivery_id: deliveryId,
      notification_id: fanout.notificationId,
      organization_id: fanout.organizationId,
      devices: retries.length,
      sent: recorded.filter((device) => device.recorded.kind === 'sent').length,
    },
    'push.devices_retried',
  );
}
