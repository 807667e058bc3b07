// Web push as the use cases see it: keys, encryption, transport, counters. Made once a process by deps.ts, and only where
// NOTIFICATIONS_WEB_PUSH_ENABLED is on; everything else asks `deps.push` whether there is any.
import { availableParallelism } from 'node:os';
import type { Outbound } from '@parley/outbound';
import type { Platform } from '@parley/platform';
import { createSecretParser, parseKeyring, type Keyring, type Lifecycle } from '@parley/runtime';
import type { Config } from '../config.ts';
import { createEncryptionPool, type EncryptionPool } from './engine/encryption-pool.ts';
import { createPushOrigins } from './engine/push-origins.ts';
import { createPushSender, type PushSender } from './engine/push-sender.ts';
import { createVapidTokens, parseVapidKeys, type VapidKeys } from './engine/vapid-keys.ts';
import { causeOf, type Tried } from './fanout.rules.ts';
import { watchSubscriptions } from './push-metrics.ts';

export interface Push {
  /** As the secret says now. */
  vapidKeys(): Promise<VapidKeys>;
  /** Opens sealed subscriptions by the hundred: the keyring is resolved once for all of them. */
  dataKeyring(): Promise<Keyring>;
  readonly encryption: EncryptionPool;
  readonly sender: PushSender;
  /** Counts a device by what an attempt came to. */
  counted(tried: Tried): void;
}

/** In flight to one push service, whatever it would take: more bring nothing on one connection. */
const IN_FLIGHT_PER_ORIGIN_MAX = 1_000;

/** @throws when the keys cannot be read or are none: a service that should push must not start without them. */
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
    pauseFirstMs: config.DELIVERY_RETRY_FIRST_MS,
    inFlightMax: IN_FLIGHT_PER_ORIGIN_MAX,
    random: parts.random,
  });
  parts.life.onStop('push connections', () => origins.close());
  watchSubscriptions(platform);
  const attempts = metrics.counter(
    'push_attempts_total',
    'Devices by what an attempt to send to them came to, and by the status of a push service that refused',
    ['outcome', 'http_status'],
  );
  return {
    vapidKeys,
    dataKeyring: createSecretParser(secrets, config.DATA_KEY, parseKeyring),
    encryption,
    sender: createPushSender({ origins, tokens: createVapidTokens({ subject, clock }) }),
    counted: (tried) =>
      attempts.inc({ outcome: tried.kind, http_status: String(causeOf(tried)?.httpStatus ?? '') }),
  };
}
