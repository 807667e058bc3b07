// The web push services for use cases: keys, encryption, transport, counters. deps.ts creates them
// once per process if NOTIFICATIONS_WEB_PUSH_ENABLED is on; otherwise `deps.push` is null.
import { availableParallelism } from 'node:os';
import type { Outbound } from '@parley/outbound';
import type { Platform } from '@parley/platform';
import { createSecretParser, parseKeyring, type Keyring, type Lifecycle } from '@parley/server/runtime';
import type { Config } from '../config.ts';
import { createEncryptionPool, type EncryptionPool } from './encryption-pool.ts';
import { createPushOrigins } from './push-origins.ts';
import { createPushSender, type PushSender } from './push-sender.ts';
import { createVapidTokens, parseVapidKeys, type VapidKeys } from './vapid-keys.ts';
import { watchSubscriptions } from './push-metrics.ts';
import { type DeviceAttempt, toCause } from './push-outcome.rules.ts';

export interface Push {
  /** The current content of the secret. */
  vapidKeys(): Promise<VapidKeys>;
  /** Resolved once to unseal hundreds of subscriptions. */
  dataKeyring(): Promise<Keyring>;
  readonly encryption: EncryptionPool;
  readonly sender: PushSender;
  /** Counts the result of an attempt for a device. */
  countAttempt(tried: DeviceAttempt): void;
}

/** To one push service: one connection gains nothing beyond this. */
const IN_FLIGHT_PER_ORIGIN_MAX = 1_000;

/** @throws when the keys are unreadable or invalid, so that the service does not start. */
export async function createPush(
  platform: Platform<Config>,
  parts: { readonly outbound: Outbound; readonly random: () => number; readonly life: Lifecycle },
): Promise<Push | null> {
  const { config, secrets, clock, log, metrics } = platform;
  const { VAPID_KEYS: reference, VAPID_SUBJECT: subject } = config;
  if (!config.NOTIFICATIONS_WEB_PUSH_ENABLED || reference === undefined || subject === undefined) return null;
  const vapidKeys = createSecretParser(secrets, reference, parseVapidKeys);
  await vapidKeys();

  const cores = availableParallelism();
  const encryption = createEncryptionPool({ threads: config.PUSH_THREADS ?? (cores > 1 ? cores : 0) });
  parts.life.onStop('push encryption', () => encryption.close());
  const origins = createPushOrigins({
    outbound: parts.outbound,
    clock,
    log,
    timeoutMs: config.DELIVERY_TIMEOUT_MS,
    pauseFirstMs: config.DELIVERY_RETRY_WAITS_MS[0]!,
    inFlightMax: IN_FLIGHT_PER_ORIGIN_MAX,
    random: parts.random,
  });
  parts.life.onStop('push connections', () => origins.close());
  watchSubscriptions(platform);
  const attempts = metrics.counter(
    'push_attempts_total',
    'Attempts for devices by outcome and the push service’s status',
    ['outcome', 'http_status'],
  );
  return {
    vapidKeys,
    dataKeyring: createSecretParser(secrets, config.DATA_KEY, parseKeyring),
    encryption,
    sender: createPushSender({ origins, tokens: createVapidTokens({ subject, clock }) }),
    countAttempt: (tried) =>
      attempts.inc({ outcome: tried.kind, http_status: String(toCause(tried)?.httpStatus ?? '') }),
  };
}
