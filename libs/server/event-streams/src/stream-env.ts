// Environment variables of every service with event streams.
import { integer } from '@parley/server/runtime';

export const streamEnv = {
  STREAMS_MAX: integer(1, 100_000)
    .default(5_000)
    .describe('Maximum number of open event streams of a process'),
} as const;
