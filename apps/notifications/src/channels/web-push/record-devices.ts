// Records the results of a batch of devices in one statement, so that progress, counts, registry,
// retries and history commit together.
import type { BaseDeps } from '../../base-deps.ts';
import { toOwnPayload } from './payload.rules.ts';
import { handOver, insertFanout, insertHistory, type FanoutProgress, type Fanout } from './fanout.ts';
import { computeEnd, toDeviceResult, type DeviceCounts, type DeviceResult } from './fanout.rules.ts';
import type { Message, AttemptedDevice } from './send-devices.ts';
import { type PushCause, toCause } from '../../push-engine/push-outcome.rules.ts';

export interface RecordedDevice {
  readonly id: string;
  readonly userId: string | null;
  readonly recorded: DeviceResult;
  /** Why this attempt did not reach it. */
  readonly cause?: PushCause | null;
  /** It expired without any attempt. */
  readonly untried?: boolean;
}

type ResultDeps = Pick<BaseDeps, 'clock' | 'random' | 'config'>;

/** `attemptsBefore`: attempts of a device before this one; 0 for those of a chunk. */
export function toRecordedDevices(
  { clock, random, config }: ResultDeps,
  { expiresAtMs }: Message,
  devices: readonly AttemptedDevice[],
  attemptsBefore: (id: string) => number = () => 0,
): RecordedDevice[] {
  const nowMs = clock();
  const schedule = config.DELIVERY_RETRY_WAITS_MS;
  return devices.map(({ id, userId, tried }) => {
    const attempts = attemptsBefore(id);
    const recorded = toDeviceResult(tried, { attempts, expiresAtMs, nowMs, random: random() }, schedule);
    const isUntried = attempts === 0 && (tried.kind === 'expired' || tried.kind === 'deferred');
    return {
      id,
      userId,
      recorded,
      cause: toCause(tried),
      untried: isUntried && recorded.kind === 'expired',
    };
  });
}

/** The number of untried devices, and the last cause of a failed and a waiting one. */
function summarizeCauses(devices: readonly RecordedDevice[]) {
  const failed = devices.filter(({ cause, recorded }) => cause && recorded.kind !== 'retry');
  const waiting = devices.find(({ cause, recorded }) => cause && recorded.kind === 'retry');
  return {
    untried: devices.filter(({ untried }) => untried).length,
    final: causeJson(failed.at(-1)?.cause),
    waiting: causeJson(waiting?.cause),
  };
}

const causeJson = (cause: PushCause | null | undefined) => (cause ? JSON.stringify(cause) : null);

/** Why devices of a user were not reached. */
export function findCause(devices: readonly RecordedDevice[]): PushCause | null {
  const { final, waiting } = summarizeCauses(devices);
  const text = final ?? waiting;
  return text === null ? null : (JSON.parse(text) as PushCause);
}

const filterIds = (devices: readonly RecordedDevice[], kind: DeviceResult['kind']): string[] =>
  devices.filter(({ recorded }) => recorded.kind === kind).map(({ id }) => id);

/** Counts devices with a known outcome; `targeted` is their contribution to that count. */
export function countDevices(devices: readonly RecordedDevice[], targeted: number): DeviceCounts {
  const count = (...kinds: DeviceResult['kind'][]) =>
    devices.filter(({ recorded }) => kinds.includes(recorded.kind)).length;
  return {
    targeted,
    sent: count('sent'),
    gone: count('gone', 'left'),
    failed: count('failed', 'key_mismatch'),
    expired: count('expired'),
  };
}

/**
 * Effects on the registry, from parameters $1 to $4; `batch` is the claim that they depend on.
 * Joins devices by key one by one: with `id = ANY (…)` and the organisation, or the index of
 * gone_at, Postgres may scan the whole audience for every batch (54 us instead of 14 us a device on
 * a registry without statistics).
 */
const REGISTRY = `
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

/** Devices with another attempt. */
const RETRIES =
  'unnest($5::text[], $6::int[], $7::timestamptz[], $8::text[]) AS retry (id, attempts, at, error_class)';

const RETRIED = `
  retried AS (
    INSERT INTO push_retries (delivery_id, subscription_id, organization_id, attempts, next_attempt_at, last_error_class)
    SELECT batch.delivery_id, retry.id, batch.organization_id, retry.attempts, retry.at, retry.error_class
    FROM batch, ${RETRIES} ON CONFLICT (delivery_id, subscription_id) DO NOTHING)`;

/** Parameters $1 to $8. */
function toEffectParameters(devices: readonly RecordedDevice[], nowMs: number): unknown[] {
  const retries = devices.flatMap(({ id, recorded }) =>
    recorded.kind === 'retry' ? [{ id, ...recorded }] : [],
  );
  return [
    new Date(nowMs),
    filterIds(devices, 'sent'),
    filterIds(devices, 'gone'),
    filterIds(devices, 'key_mismatch'),
    retries.map(({ id }) => id),
    retries.map(({ attempts }) => attempts),
    retries.map(({ atMs }) => new Date(atMs)),
    retries.map(({ errorClass }) => errorClass),
  ];
}

/** $9 to $13: `countDevices`; from `first`: `summarizeCauses`. A final cause stays. */
const addCounts = (first: number) => `
  counted AS (
    UPDATE push_fanouts SET targeted = targeted + $9::int, sent = sent + $10::int, gone = gone + $11::int,
      failed = failed + $12::int, expired = expired + $13::int, untried = untried + $${first}::int,
      cause = COALESCE($${first + 1}::text, cause, $${first + 2}::text)
    FROM batch WHERE push_fanouts.delivery_id = batch.delivery_id)`;

const RECORD_BATCH = `
  WITH batch AS (
    UPDATE push_chunks SET done_id = $17::text
    WHERE id = $14::text AND claim = $15::text AND done_id = $16::text RETURNING delivery_id, organization_id),
  ${addCounts(21)}, ${REGISTRY}, ${RETRIED},
  history AS (
    INSERT INTO push_history (organization_id, user_id, notification_id, delivery_id, status, delivered_count, created_at)
    SELECT batch.organization_id, reached.user_id, $19::text, batch.delivery_id, 'broadcast', 0, $20::timestamptz
    FROM batch, unnest($18::text[]) AS reached (user_id)
    ON CONFLICT (organization_id, user_id, notification_id) DO NOTHING)
  SELECT 1 AS one FROM batch`;

/** With a history row for every user. @returns false when the claim was lost. */
export async function recordBatch(
  { sql, clock }: Pick<BaseDeps, 'sql' | 'clock'>,
  chunk: {
    readonly id: string;
    readonly lease: string;
    readonly doneId: string;
  },
  message: Message,
  devices: readonly RecordedDevice[],
): Promise<boolean> {
  const users = [...new Set(devices.flatMap(({ userId }) => userId ?? []))];
  const recorded = await sql(RECORD_BATCH, [
    ...toEffectParameters(devices, clock()),
    ...(Object.values(countDevices(devices, devices.length)) as number[]),
    chunk.id,
    chunk.lease,
    chunk.doneId,
    devices.at(-1)!.id,
    users,
    message.notificationId,
    new Date(message.createdAtMs),
    ...Object.values(summarizeCauses(devices)),
  ]);
  return recorded.length > 0;
}

const RECORD_USER = `
  WITH ${insertFanout('$9')}, ${handOver('$10')}, ${REGISTRY}, ${RETRIED}, ${insertHistory('$11')}
  SELECT 1 AS one FROM batch`;

/**
 * Records all devices of a user together with their fan-out, which is settled with its history, or
 * open while devices have another attempt.
 * @returns false when the fan-out already existed: nothing was written.
 */
export async function recordUser(
  { sql, clock }: Pick<BaseDeps, 'sql' | 'clock'>,
  fanout: Fanout,
  attempt: number,
  devices: readonly RecordedDevice[],
): Promise<boolean> {
  const nowMs = clock();
  const counts = countDevices(devices, devices.length);
  const { untried, final, waiting } = summarizeCauses(devices);
  const settledAtMs = isOpen(devices) ? null : nowMs;
  const payload = fanout.contentId === null ? fanout.payload : toOwnPayload(fanout.payload);
  const begun: FanoutProgress = { ...counts, untried, cause: final ?? waiting, chunksOpen: 0, settledAtMs };
  const recorded = await sql(RECORD_USER, [
    ...toEffectParameters(devices, nowMs),
    JSON.stringify({ ...fanout, ...begun, payload }),
    attempt,
    computeEnd(counts),
  ]);
  return recorded.length > 0;
}

/** Whether some devices have another attempt. */
export function isOpen(devices: readonly RecordedDevice[]): boolean {
  return devices.some(({ recorded }) => recorded.kind === 'retry');
}

/** The time is the claim: a worker that lost it finds other rows, and its counts are dropped. */
const RECORD_RETRIES = `
  WITH held AS (
    SELECT subscription_id FROM push_retries
    WHERE delivery_id = $14::text AND next_attempt_at = $15::timestamptz AND subscription_id = ANY($16::text[]) FOR UPDATE),
  batch AS (
    SELECT delivery_id, organization_id FROM push_fanouts
    WHERE delivery_id = $14::text AND (SELECT count(*) FROM held) = cardinality($16::text[])),
  ${addCounts(17)}, ${REGISTRY},
  ended AS (
    DELETE FROM push_retries USING batch WHERE push_retries.delivery_id = batch.delivery_id
      AND subscription_id = ANY($16::text[]) AND NOT subscription_id = ANY($5::text[])),
  retried AS (
    UPDATE push_retries SET attempts = retry.attempts, next_attempt_at = retry.at, last_error_class = retry.error_class,
      leased_until = NULL, deaths = 0
    FROM batch, ${RETRIES} WHERE push_retries.delivery_id = batch.delivery_id AND subscription_id = retry.id)
  SELECT 1 AS one FROM batch`;

/** @returns false when the claim was lost: nothing was written. */
export async function recordRetries(
  { sql, clock }: Pick<BaseDeps, 'sql' | 'clock'>,
  deliveryId: string,
  claimedUntil: Date,
  devices: readonly RecordedDevice[],
): Promise<boolean> {
  const recorded = await sql(RECORD_RETRIES, [
    ...toEffectParameters(devices, clock()),
    // counted as targeted at their first attempt
    ...(Object.values(countDevices(devices, 0)) as number[]),
    deliveryId,
    claimedUntil,
    devices.map(({ id }) => id),
    ...Object.values(summarizeCauses(devices)),
  ]);
  return recorded.length > 0;
}
