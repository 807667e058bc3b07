// Writes down what became of a batch of devices, in one statement: the progress, the counts, the registry, the retries and the
// rows of the history stand or fall together.
import type { Deps } from '../deps.ts';
import { scheduleOf } from '../notify/delivery-config.ts';
import { ownPayload } from './payload.rules.ts';
import { handOver, newFanout, newHistory, type Begun, type Fanout } from './fanout.ts';
import {
  causeOf,
  endOf,
  recordedOf,
  type DeviceCounts,
  type PushCause,
  type Recorded,
} from './fanout.rules.ts';
import type { Message, TriedDevice } from './send-devices.ts';

export interface RecordedDevice {
  readonly id: string;
  readonly userId: string | null;
  readonly recorded: Recorded;
  /** Why it was not reached by this attempt. */
  readonly cause?: PushCause | null;
  /** It expired, and no attempt was ever made for it. */
  readonly untried?: boolean;
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
  return devices.map(({ id, userId, tried }) => {
    const attempts = attemptsBefore(id);
    const recorded = recordedOf(tried, { attempts, expiresAtMs, nowMs, random: random() }, schedule);
    const isUntried = attempts === 0 && (tried.kind === 'expired' || tried.kind === 'deferred');
    return {
      id,
      userId,
      recorded,
      cause: causeOf(tried),
      untried: isUntried && recorded.kind === 'expired',
    };
  });
}

/** Of a batch: how many were never tried, and the causes to keep, of a device that is given up and of one that is tried again. */
function keptOf(devices: readonly RecordedDevice[]) {
  const given = devices.filter(({ cause, recorded }) => cause && recorded.kind !== 'retry');
  const waiting = devices.find(({ cause, recorded }) => cause && recorded.kind === 'retry');
  return {
    untried: devices.filter(({ untried }) => untried).length,
    final: causeJson(given.at(-1)?.cause),
    waiting: causeJson(waiting?.cause),
  };
}

const causeJson = (cause: PushCause | null | undefined) => (cause ? JSON.stringify(cause) : null);

/** Why devices of a user were not reached. */
export function keptCause(devices: readonly RecordedDevice[]): PushCause | null {
  const { final, waiting } = keptOf(devices);
  const text = final ?? waiting;
  return text === null ? null : (JSON.parse(text) as PushCause);
}

const idsOf = (devices: readonly RecordedDevice[], kind: Recorded['kind']): string[] =>
  devices.filter(({ recorded }) => recorded.kind === kind).map(({ id }) => id);

/** Of devices whose outcome is known; `targeted` is what they add to it. */
export function countsOf(devices: readonly RecordedDevice[], targeted: number): DeviceCounts {
  const count = (...kinds: Recorded['kind'][]) =>
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
 * The effects on the registry, from parameters $1 to $4; `batch` is the claim that they depend on. Devices are joined by their
 * key one by one: with `id = ANY (…)` beside the organisation, or a look at gone_at's index, Postgres may walk through the whole
 * audience for every batch (a registry just imported has no statistics that would tell it better: 54 us a device in place of 14).
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

/** Devices that get another attempt. */
const RETRIES =
  'unnest($5::text[], $6::int[], $7::timestamptz[], $8::text[]) AS retry (id, attempts, at, error_class)';

const RETRIED = `
  retried AS (
    INSERT INTO push_retries (delivery_id, subscription_id, organization_id, attempts, next_attempt_at, last_error_class)
    SELECT batch.delivery_id, retry.id, batch.organization_id, retry.attempts, retry.at, retry.error_class
    FROM batch, ${RETRIES} ON CONFLICT (delivery_id, subscription_id) DO NOTHING)`;

/** $1 to $8. */
function effectsOf(devices: readonly RecordedDevice[], nowMs: number): unknown[] {
  const retries = devices.flatMap(({ id, recorded }) =>
    recorded.kind === 'retry' ? [{ id, ...recorded }] : [],
  );
  return [
    new Date(nowMs),
    idsOf(devices, 'sent'),
    idsOf(devices, 'gone'),
    idsOf(devices, 'key_mismatch'),
    retries.map(({ id }) => id),
    retries.map(({ attempts }) => attempts),
    retries.map(({ atMs }) => new Date(atMs)),
    retries.map(({ errorClass }) => errorClass),
  ];
}

/** $9 to $13: the members of `countsOf`; from `first` on those of `keptOf`. A cause that was final stays until another one is. */
const counted = (first: number) => `
  counted AS (
    UPDATE push_fanouts SET targeted = targeted + $9::int, sent = sent + $10::int, gone = gone + $11::int,
      failed = failed + $12::int, expired = expired + $13::int, untried = untried + $${first}::int,
      cause = COALESCE($${first + 1}::text, cause, $${first + 2}::text)
    FROM batch WHERE push_fanouts.delivery_id = batch.delivery_id)`;

const RECORD_BATCH = `
  WITH batch AS (
    UPDATE push_chunks SET done_id = $17::text
    WHERE id = $14::text AND claim = $15::text AND done_id = $16::text RETURNING delivery_id, organization_id),
  ${counted(21)}, ${REGISTRY}, ${RETRIED},
  history AS (
    INSERT INTO push_history (organization_id, user_id, notification_id, delivery_id, status, delivered_count, created_at)
    SELECT batch.organization_id, reached.user_id, $19::text, batch.delivery_id, 'broadcast', 0, $20::timestamptz
    FROM batch, unnest($18::text[]) AS reached (user_id)
    ON CONFLICT (organization_id, user_id, notification_id) DO NOTHING)
  SELECT 1 AS one FROM batch`;

/**
 * The batch of a chunk. `isBroadcast`: a history row for every user with a device among them.
 * @returns false when the chunk is not where this worker left it: nothing was written, another worker has it.
 */
export async function recordBatch(
  { sql, clock }: Pick<Deps, 'sql' | 'clock'>,
  chunk: {
    readonly id: string;
    readonly lease: string;
    readonly doneId: string;
    readonly isBroadcast: boolean;
  },
  message: Message,
  devices: readonly RecordedDevice[],
): Promise<boolean> {
  const users = chunk.isBroadcast ? [...new Set(devices.flatMap(({ userId }) => userId ?? []))] : [];
  const recorded = await sql(RECORD_BATCH, [
    ...effectsOf(devices, clock()),
    ...(Object.values(countsOf(devices, devices.length)) as number[]),
    chunk.id,
    chunk.lease,
    chunk.doneId,
    devices.at(-1)!.id,
    users,
    message.notificationId,
    new Date(message.createdAtMs),
    ...Object.values(keptOf(devices)),
  ]);
  return recorded.length > 0;
}

const RECORD_USER = `
  WITH ${newFanout('$9')}, ${handOver('$10')}, ${REGISTRY}, ${RETRIED}, ${newHistory('$11')}
  SELECT 1 AS one FROM batch`;

/**
 * All devices of a user, with the fan-out that they are: settled with its history, or open while some of them get another attempt.
 * @returns false when the fan-out was there already: nothing was written.
 */
export async function recordUser(
  { sql, clock }: Pick<Deps, 'sql' | 'clock'>,
  fanout: Fanout,
  attempt: number,
  devices: readonly RecordedDevice[],
): Promise<boolean> {
  const nowMs = clock();
  const counts = countsOf(devices, devices.length);
  const { untried, final, waiting } = keptOf(devices);
  const settledAtMs = isOpen(devices) ? null : nowMs;
  const payload = fanout.contentId === null ? fanout.payload : ownPayload(fanout.payload);
  const begun: Begun = { ...counts, untried, cause: final ?? waiting, chunksOpen: 0, settledAtMs };
  const recorded = await sql(RECORD_USER, [
    ...effectsOf(devices, nowMs),
    JSON.stringify({ ...fanout, ...begun, payload }),
    attempt,
    endOf(counts),
  ]);
  return recorded.length > 0;
}

/** Some of them get another attempt. */
export function isOpen(devices: readonly RecordedDevice[]): boolean {
  return devices.some(({ recorded }) => recorded.kind === 'retry');
}

/** The claim is in the time: who lost it finds other rows, and its counts fall away with them. */
const RECORD_RETRIES = `
  WITH held AS (
    SELECT subscription_id FROM push_retries
    WHERE delivery_id = $14::text AND next_attempt_at = $15::timestamptz AND subscription_id = ANY($16::text[]) FOR UPDATE),
  batch AS (
    SELECT delivery_id, organization_id FROM push_fanouts
    WHERE delivery_id = $14::text AND (SELECT count(*) FROM held) = cardinality($16::text[])),
  ${counted(17)}, ${REGISTRY},
  ended AS (
    DELETE FROM push_retries USING batch WHERE push_retries.delivery_id = batch.delivery_id
      AND subscription_id = ANY($16::text[]) AND NOT subscription_id = ANY($5::text[])),
  retried AS (
    UPDATE push_retries SET attempts = retry.attempts, next_attempt_at = retry.at, last_error_class = retry.error_class,
      leased_until = NULL, deaths = 0
    FROM batch, ${RETRIES} WHERE push_retries.delivery_id = batch.delivery_id AND subscription_id = retry.id)
  SELECT 1 AS one FROM batch`;

/** Devices of one fan-out that were tried again. @returns false when the claim was lost: nothing was written. */
export async function recordRetries(
  { sql, clock }: Pick<Deps, 'sql' | 'clock'>,
  deliveryId: string,
  claimedUntil: Date,
  devices: readonly RecordedDevice[],
): Promise<boolean> {
  const recorded = await sql(RECORD_RETRIES, [
    ...effectsOf(devices, clock()),
    ...(Object.values(countsOf(devices, 0)) as number[]), // counted as targeted when they were first tried
    deliveryId,
    claimedUntil,
    devices.map(({ id }) => id),
    ...Object.values(keptOf(devices)),
  ]);
  return recorded.length > 0;
}
