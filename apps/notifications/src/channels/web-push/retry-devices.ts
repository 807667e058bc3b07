// Retries single devices when they are due, fifty at a time across all sends. Every worker process
// runs a round each second; rounds may overlap.
import { inTransaction } from '@parley/server/postgres';
import { deathsSql, NEVER, QUARANTINE_DEATHS, ISOLATION_DEATHS } from '@parley/jobs';
import { ignoreFailure } from '@parley/server/runtime';
import { quarantineParts } from '../../outcomes/quarantine.ts';
import { FANOUT_COLUMNS, settleIfDone, type Fanout } from './fanout.ts';
import { SHARED_TEXT, sharedText, mergePayload } from './payload.rules.ts';
import { toRecordedDevices, recordRetries, type RecordedDevice } from './record-devices.ts';
import { BATCH_DEVICES, prepareDevices, sendPrepared, type Device, type PushDeps } from './send-devices.ts';

/** Above the duration of fifty attempts: a time-out each, twice after a 401, plus encryption. */
const CLAIM_MARGIN_MS = 15_000;
/** Batches of one round; the next round continues a larger backlog. */
const BATCHES_MAX = 20;

/** Suspected rows of one round, each processed in isolation. */
const SUSPECTED_MAX = 10;

/** One round. Returns the number of devices tried. */
export async function retryDevices(deps: PushDeps, signal: AbortSignal): Promise<number> {
  const { isolation } = deps.queues;
  let tried = 0;
  for (let batch = 0; batch < BATCHES_MAX && !signal.aborted; batch += 1) {
    const due = await isolation.runConcurrent(() => retrySome(deps, UNSUSPECTED, BATCH_DEVICES));
    tried += due;
    if (due < BATCH_DEVICES) break;
  }
  const [suspected] = await deps.sql<{ most: number | null }>(MAX_DEATHS, [new Date(deps.clock())]);
  if (!suspected || suspected.most === null || signal.aborted) return tried;
  if (suspected.most >= QUARANTINE_DEATHS) await quarantineRetries(deps);
  for (let one = 0; one < SUSPECTED_MAX; one += 1)
    if ((await isolation.runIsolated(null, () => retrySome(deps, SUSPECTED, 1))) === 0) break;
  return tried;
}

async function retrySome(deps: PushDeps, which: string, devicesMax: number): Promise<number> {
  const claimedUntil = new Date(deps.clock() + 2 * deps.config.DELIVERY_TIMEOUT_MS + CLAIM_MARGIN_MS);
  const due = await claimRetries(deps, claimedUntil, which, devicesMax);
  // A failing or slow send delays no other: its devices are due when the claim ends.
  const retried = [...groupByDelivery(due)].map(([deliveryId, retries]) =>
    ignoreFailure(
      retryDelivery(deps, deliveryId, retries, claimedUntil).catch(async (error: unknown) => {
        await deps.sql(CLEAR_LEASE, [deliveryId, claimedUntil]);
        throw error;
      }),
      'the devices are tried again',
      deps.log,
    ),
  );
  await Promise.all(retried);
  return due.length;
}

interface Retry {
  readonly delivery_id: string;
  readonly subscription_id: string;
  readonly attempts: number;
}

const DEATHS = deathsSql('push_retries', '$1', 'leased_until');
const UNSUSPECTED = `${DEATHS} < ${ISOLATION_DEATHS}`;
export const SUSPECTED = `${DEATHS} = ${ISOLATION_DEATHS}`;
const MAX_DEATHS = `
  SELECT max(${DEATHS}) AS most FROM push_retries WHERE next_attempt_at <= $1 AND ${DEATHS} >= ${ISOLATION_DEATHS}`;
/** The worker failed without dying. */
const CLEAR_LEASE =
  'UPDATE push_retries SET leased_until = NULL WHERE delivery_id = $1 AND next_attempt_at = $2';

/** The claim is the postponed due time, so a killed worker's devices become due again. */
export function claimRetries(
  { sql, clock }: Pick<PushDeps, 'sql' | 'clock'>,
  claimedUntil: Date,
  which = UNSUSPECTED,
  devicesMax = BATCH_DEVICES,
): Promise<Retry[]> {
  return sql<Retry>(
    `UPDATE push_retries SET next_attempt_at = $2, leased_until = $2, deaths = due.died FROM
       (SELECT delivery_id, subscription_id, ${DEATHS} AS died FROM push_retries WHERE next_attempt_at <= $1 AND ${which}
        ORDER BY next_attempt_at LIMIT $3 FOR UPDATE SKIP LOCKED) AS due
     WHERE push_retries.delivery_id = due.delivery_id AND push_retries.subscription_id = due.subscription_id
     RETURNING push_retries.delivery_id, push_retries.subscription_id, attempts`,
    [new Date(clock()), claimedUntil, devicesMax],
  );
}

/** Quarantines retries that workers died with even in isolation (docs/platform.md#quarantine). */
async function quarantineRetries(deps: PushDeps): Promise<void> {
  await inTransaction(deps.pool, async (sql) => {
    const rows = await sql<{ delivery_id: string }>(
      `UPDATE push_retries SET deaths = ${QUARANTINE_DEATHS}, quarantined_at = $1, next_attempt_at = $2, leased_until = NULL
       WHERE next_attempt_at <= $1 AND ${DEATHS} >= ${QUARANTINE_DEATHS} RETURNING delivery_id`,
      [new Date(deps.clock()), NEVER],
    );
    await quarantineParts(deps, sql, 'push_retries', [...new Set(rows.map(({ delivery_id: id }) => id))]);
  });
}

function groupByDelivery(retries: readonly Retry[]): Map<string, Retry[]> {
  const groups = new Map<string, Retry[]>();
  for (const retry of retries)
    groups.set(retry.delivery_id, [...(groups.get(retry.delivery_id) ?? []), retry]);
  return groups;
}

async function retryDelivery(
  deps: PushDeps,
  deliveryId: string,
  retries: readonly Retry[],
  claimedUntil: Date,
): Promise<void> {
  const [row] = await deps.sql<Fanout & { readonly shared: unknown }>(
    `SELECT ${FANOUT_COLUMNS}, ${SHARED_TEXT} AS shared FROM push_fanouts WHERE delivery_id = $1`,
    [deliveryId],
  );
  if (!row) return; // deleted with its notification and its retries
  const fanout: Fanout = { ...row, payload: mergePayload(row.payload, sharedText.parse(row.shared)) };
  const attempts = new Map(retries.map((retry) => [retry.subscription_id, retry.attempts]));
  const devices = await deps.sql<Device>(
    `SELECT id, user_id AS "userId", key_id AS "keyId", sealed FROM push_subscriptions
     WHERE organization_id = $1 AND id = ANY($2::text[]) AND gone_at IS NULL AND ($3::text IS NULL OR user_id = $3::text)`,
    [fanout.organizationId, [...attempts.keys()], fanout.userId],
  );
  const sent = await sendPrepared(deps, fanout, await prepareDevices(deps, fanout, devices));
  const recorded = toRecordedDevices(deps, fanout, sent, (id) => attempts.get(id) ?? 0);
  // Unsubscribed in the meantime, or now of another user, who must not get the message.
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
