// A short run of the fuzzer with a fixed seed. `npm run fuzz` runs longer.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { startStack } from '@parley/dev/stack';
import { runFuzz } from '../src/fuzz/run-fuzz.ts';
import { identityEnvironment, createWorld } from '../src/fuzz/world.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');
const SEED = 20_261_120;
/** About ten per operation: seconds, and enough to find systematic faults. */
const RUNS = 1_000;
/** Minutes on a machine that also runs other tests. */
const TIMEOUT_MS = 600_000;

test(
  'no answer is 500 or undeclared, and no request reads or changes another organisation',
  async () => {
    const home = mkdtempSync(join(tmpdir(), 'parley-fuzz-'));
    const secret = 'a shared secret of the fuzzer, 32 bytes at least';
    const stack = await startStack({
      root,
      home,
      released: true,
      env: {
        PATH: process.env['PATH'],
        QUEUE_URL: process.env['TEST_REDIS_URL'],
        QUEUE_PREFIX: `fuzz-${process.pid}`,
        LOG_LEVEL: 'warn',
        ...identityEnvironment(secret),
      },
      throwaway: true,
    });
    try {
      const world = await createWorld(stack, secret);
      const report = await runFuzz(world, {
        runs: RUNS,
        seed: SEED,
        signal: new AbortController().signal,
        print: () => undefined,
      });
      expect(report.problems).toEqual([]);
      // Requests must reach the actual work, not only refusals.
      expect(report.statuses['200']).toBeGreaterThan(RUNS / 20);
      expect(report.statuses['201']).toBeGreaterThan(0);
      expect(report.statuses['400']).toBeGreaterThan(RUNS / 20);
      // Only that it measures; the values mean nothing next to other tests.
      expect(report.costs.length).toBeGreaterThan(report.operations / 2);
    } finally {
      await stack.stop();
      rmSync(home, { recursive: true, force: true });
    }
  },
  TIMEOUT_MS,
);
