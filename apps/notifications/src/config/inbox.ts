// Variables of the in-app inbox.
import { integer } from '@parley/server/runtime';

export const inboxEnv = {
  INBOX_KEPT_DAYS: integer(1, 3_650)
    .default(365)
    .describe('Days after which inbox items are deleted, read or not'),
  INBOX_STREAMS_MAX: integer(1, 100_000).default(5_000).describe('Open event streams of a process, at most'),
  INBOX_HEARTBEAT_MS: integer(100, 60_000)
    .default(15_000)
    .describe('Interval (ms) of heartbeats on a quiet event stream'),
} as const;
