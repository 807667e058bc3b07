// Writes down what became of a batch of devices, in one statement: the progress, the counts, the registry, the retries and the
// rows of a broadcast's history stand or fall together. Called by send-chunk.ts and retry-devices.ts.
import type { Deps } from '../deps.ts';
import { scheduleOf } from '../notify/delivery-config.ts';
import { recordedOf, type Recorded } from './fanout.rules.ts';
import type { Message, TriedDevice } from './send-devices.ts';

export interface RecordedDevice {
  readonly id: string;
  readonly userId: string | null;
  readonly recorded: Recorded;
}

type Judging = Pick<Deps, 'clock' | 'random' | 'config'>;

/** `attemptsBefore`: of a device, before this attempt; 0 for those of a chunk. */
export function judged(
  { clock, random, config }: Judging,
  { expiresAtMs }: Message,
  devices: readonly TriedDevice[],
  attemptsBefore: (id: string) => number = () => 0,
): RecordedDevice[] {
  const nowMs = clock();
  const schedule = scheduleOf(config);
  return devices.map(({ id, userId, tried }) => ({
    id,
    userId,
    recorded: recordedOf(
      tried,
      { attempts: attemptsBefore(id), expiresAtMs, nowMs, random: random() },
      schedule,
    ),
  }));
}

/**
 * The effects on registry and counts, from parameters $1 to $8; `batch` is the claim that they depend on. Devices are joined by their
 * key one by one: with `id = ANY (…)` beside the organisation, or a look at gone_at's index, Postgres may walk through the whole
 * audience for every batch (a registry just imported has no statistics that would tell it better: 54 us a device in place of 14).
 */
const EFFECTS = `
  counted AS (
    UPDATE push_fanouts SET sent = sent + cardinality($2::text[]), gone = gone + cardinality($3::text[]) + $8::int,
      failed = failed + cardinality($4::text[]) + $5::int, expired = expired + $6::int, targeted = targeted + $7::int
    FROM batch WHERE push_fanouts.delivery_id = batch.delivery_id),
  used AS (
    UPDATE push_subscriptions AS device SET last_used_at = $1::timestamptz, key_mismatch_at = NULL
    FROM batch, unnest($2::text[]) AS one (id) WHERE device.id = one.id AND device.organization_id = batch.organization_id
      AND (last_used_at IS NULL OR last_used_at < $1::timestamptz - interval '1 day' OR key_mismatch_at IS NOT NULL)),
  removed AS (
    UPDATE push_subscriptions AS device SET gone_at = COALESCE(gone_at, $1::timestamptz)
    FROM batch, unnest($3::text[]) AS one (id)
    WHERE device.id = one.id AND device.organization_id = batch.organization_id),
  mismatched AS (
    UPDATE push_subscriptions AS device SET key_mismatch_at = $1::timestamptz
    FROM batch, unnest($4::text[]) AS one (id)
    WHERE device.id = one.id AND device.organization_id = batch.organization_id AND key_mismatch_at IS NULL)`;

const idsOf = (devices: readonly RecordedDevice[], kind: Recorded['kind']): string[] =>
  devices.filter(({ recorded }) => recorded.kind === kind).map(({ id }) => id);

function effectsOf(devices: readonly RecordedDevice[], nowMs: number, targeted: number): unknown[] {
  return [
    new Date(nowMs),
    idsOf(devices, 'sent'),
    idsOf(devices, 'gone'),
    idsOf(devices, 'key_mismatch'),
    idsOf(devices, 'failed').length,
    idsOf(devices, 'expired').length,
    targeted,
    idsOf(devices, 'left').length,
  ];
}

interface RetryColumns {
  readonly ids: string[];
  readonly attempts: number[];
  readonly at: Date[];
  readonly errorClasses: string[];
}

function retriesOf(devices: readonly RecordedDevice[]): RetryColumns {
  const columns: RetryColumns = { ids: [], attempts: [], at: [], errorClasses: [] };
  for (const { id, recorded } of devices) {
    if (recorded.kind !== 'retry') continue;
    columns.ids.push(id);
    columns.attempts.push(recorded.attempts);
    columns.at.push(new Date(recorded.atMs));
    columns.errorClasses.push(recorded.errorClass);
  }
  return columns;
}

const RECORD_BATCH = `
  WITH batch AS (
    UPDATE push_chunks SET done_id = $11::text, leased_until = $12::timestamptz, next_ring_at = $12::timestamptz
    WHERE id = $9::text AND claim = $10::text RETURNING delivery_id, organization_id),
  ${EFFECTS},
  retried AS (
    INSERT INTO push_retries (delivery_id, subscription_id, organization_id, attempts, next_attempt_at, last_error_class)
    SELECT batch.delivery_id, retry.id, batch.organization_id, retry.attempts, retry.at, retry.error_class
    FROM batch, unnest($13::text[], $14::int[], $15::timestamptz[], $16::text[]) AS retry (id, attempts, at, error_class)
    ON CONFLICT (delivery_id, subscription_id) DO NOTHING),
  history AS (
    INSERT INTO push_history (organization_id, user_id, notification_id, delivery_id, status, delivered_count, created_at)
    SELECT batch.organization_id, reached.user_id, $18::text, batch.delivery_id, 'broadcast', 0, $19::timestamptz
    FROM batch, unnest($17::text[]) AS reached (user_id)
    ON CONFLICT (organization_id, user_id, notification_id) DO NOTHING)
  SELECT 1 AS one FROM batch`;

/**
 * The batch of a chunk. `isBroadcast`: a history row for every user with a device among them.
 * @returns false when the claim was lost: nothing was written, another worker has the chunk.
 */
export async function recordBatch(
  { sql, clock, config }: Pick<Deps, 'sql' | 'clock' | 'config'>,
  chunk: { readonly id: string; readonly claim: string; readonly isBroadcast: boolean },
  message: Message,
  devices: readonly RecordedDevice[],
): Promise<boolean> {
  const nowMs = clock();
  const retries = retriesOf(devices);
  const users = chunk.isBroadcast ? [...new Set(devices.flatMap(({ userId }) => userId ?? []))] : [];
  const recorded = await sql(RECORD_BATCH, [
    ...effectsOf(devices, nowMs, devices.length),
    chunk.id,
    chunk.claim,
    devices.at(-1)!.id,
    new Date(nowMs + config.DELIVERY_LEASE_MS),
    retries.ids,
    retries.attempts,
    retries.at,
    retries.errorClasses,
    users,
    message.notificationId,
    new Date(message.createdAtMs),
  ]);
  return recorded.length > 0;
}

/** The claim is in the time: who lost it finds other rows, and its counts fall away with them. */
const RECORD_RETRIES = `
  WITH held AS (
    SELECT subscription_id FROM push_retries
    WHERE delivery_id = $9::text AND next_attempt_at = $10::timestamptz AND subscription_id = ANY($11::text[]) FOR UPDATE),
  batch AS (
    SELECT delivery_id, organization_id FROM push_fanouts
    WHERE delivery_id = $9::text AND (SELECT count(*) FROM held) = cardinality($11::text[])),
  ${EFFECTS},
  ended AS (
    DELETE FROM push_retries USING batch WHERE push_retries.delivery_id = batch.delivery_id
      AND subscription_id = ANY($11::text[]) AND NOT subscription_id = ANY($12::text[])),
  retried AS (
    UPDATE push_retries SET attempts = retry.attempts, next_attempt_at = retry.at, last_error_class = retry.error_class
    FROM batch, unnest($12::text[], $13::int[], $14::timestamptz[], $15::text[]) AS retry (id, attempts, at, error_class)
    WHERE push_retries.delivery_id = batch.delivery_id AND subscription_id = retry.id)
  SELECT 1 AS one FROM batch`;

/** Devices of one fan-out that were tried again. @returns false when the claim was lost: nothing was written. */
export async function recordRetries(
  { sql, clock }: Pick<Deps, 'sql' | 'clock'>,
  deliveryId: string,
  claimedUntil: Date,
  devices: readonly RecordedDevice[],
): Promise<boolean> {
  const retries = retriesOf(devices);
  const recorded = await sql(RECORD_RETRIES, [
    ...effectsOf(devices, clock(), 0), // counted as targeted when they were first tried
    deliveryId,
    claimedUntil,
    devices.map(({ id }) => id),
    retries.ids,
    retries.attempts,
    retries.at,
    retries.errorClasses,
  ]);
  return recorded.length > 0;
}
