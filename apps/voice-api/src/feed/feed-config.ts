// Environment variables of event streams.
import { integer } from '@parley/server/runtime';

export const feedEnv = {
  STREAMS_MAX: integer(1, 100_000)
    .default(5_000)
    .describe('Maximum number of open event streams of a process'),
  STREAM_HEARTBEAT_MS: integer(100, 60_000)
    .default(15_000)
    .describe('Interval (ms) of heartbeats on a quiet event stream'),
} as const;
