// The variables of event streams.
import { integer } from '@parley/runtime';

export const feedEnv = {
  STREAMS_MAX: integer(1, 100_000)
    .default(5_000)
    .describe('Event streams that a process keeps open at a time'),
  STREAM_HEARTBEAT_MS: integer(100, 60_000)
    .default(15_000)
    .describe('Pause (ms) between two signs of life on a quiet event stream'),
} as const;
