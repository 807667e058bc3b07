// Variables of attempts and retries.
import { integer, retryWaits } from '@parley/server/runtime';

/** Longest waits after attempts 1 to 9: 5 s that double, 21 minutes in the end. */
export const RETRY_WAITS_MS: readonly number[] = Array.from({ length: 9 }, (_, index) => 5_000 * 2 ** index);

/** A worker's claim of a delivery holds this long without renewal. */
export const LEASE_MS = 10_000;

/** Interval at which due deliveries without a job are re-enqueued. */
export const SWEEP_MS = 5_000;

/** Clocks of replicas differ. A slightly slow one must not leave the row to the sweeper. */
export const CLOCKS_APART_MS = 2_000;

export const deliveryEnv = {
  DELIVERY_RETRY_WAITS_MS: retryWaits(1, 99)
    .prefault(RETRY_WAITS_MS.join(','))
    .describe(
      'Longest waits (ms) after failed attempts, comma-separated; the actual wait is a random part of it. One attempt more than waits is made',
    ),
  DELIVERY_TIMEOUT_MS: integer(100, 30_000)
    .default(15_000)
    .describe(
      'Time-out (ms) of one request to a chat, webhook, push service or mail provider, from connecting to the answer; for mail at most 10 s',
    ),
  RETENTION_DAYS: integer(1, 3_650)
    .default(90)
    .describe('Days after which notifications and their delivery log are deleted'),
} as const;
