// Variables of attempts and retries.
import { integer } from '@parley/server/runtime';

const DAY_MS = 24 * 60 * 60_000;

/** Clocks of replicas differ. A slightly slow one must not leave the row to the sweeper. */
export const CLOCKS_APART_MS = 2_000;

export const deliveryEnv = {
  DELIVERY_ATTEMPTS_MAX: integer(1, 100).default(10).describe('Attempts before a delivery has failed'),
  DELIVERY_RETRY_FIRST_MS: integer(1, DAY_MS)
    .default(5_000)
    .describe(
      'Longest wait (ms) after the first attempt. It doubles with each attempt; the actual wait is a random part of it',
    ),
  DELIVERY_RETRY_LONGEST_MS: integer(1, DAY_MS)
    .default(3_600_000)
    .describe('Longest wait (ms) between two attempts'),
  DELIVERY_TIMEOUT_MS: integer(100, 30_000)
    .default(15_000)
    .describe('Time-out (ms) of one request to a chat or webhook address, from connecting to the answer'),
  DELIVERY_LEASE_MS: integer(500, 60_000)
    .default(10_000)
    .describe("How long (ms) a worker's claim of a delivery holds without renewal"),
  DELIVERY_SWEEP_MS: integer(100, 60_000)
    .default(5_000)
    .describe('Interval (ms) at which due deliveries without a job are re-enqueued'),
  NOTIFICATIONS_KEPT_DAYS: integer(1, 3_650)
    .default(90)
    .describe('Days after which notifications and their delivery log are deleted'),
} as const;
