// The variables of the in-app store.
import { integer } from '@parley/runtime';

export const inboxEnv = {
  INBOX_KEPT_DAYS: integer(1, 3_650)
    .default(365)
    .describe('Days after which in-app notifications are deleted, read or not'),
  INBOX_STREAMS_MAX: integer(1, 100_000)
    .default(5_000)
    .describe('Event streams that a process keeps open at a time'),
  INBOX_HEARTBEAT_MS: integer(100, 60_000)
    .default(15_000)
    .describe('Pause (ms) between two signs of life on a quiet event stream'),
} as const;
