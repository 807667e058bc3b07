// A short run of the fuzzer with a fixed seed: every operation, every kind of credential. `npm run fuzz` goes on at length.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { startStack } from '@parley/dev/stack';
import { runFuzz } from '../src/fuzz/run-fuzz.ts';
import { identityEnvironment, makeWorld } from '../src/fuzz/world.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');
const SEED = 20_261_120;
/** About ten an operation: seconds, and enough to meet what is wrong everywhere. */
const RUNS = 1_000;
const TIMEOUT_MS = 180_000;

test(
  'nothing answers 500, everything answers as declared, nothing of another organisation is seen or changed',
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
      const world = await makeWorld(stack, secret);
      const report = await runFuzz(world, {
        runs: RUNS,
        seed: SEED,
        signal: new AbortController().signal,
        print: () => undefined,
      });
      expect(report.problems).toEqual([]);
      // That it gets through to the work, and not only to the refusals.
      expect(report.statuses['200']).toBeGreaterThan(RUNS / 20);
      expect(report.statuses['201']).toBeGreaterThan(0);
      expect(report.statuses['400']).toBeGreaterThan(RUNS / 20);
      // That it measures; what it measures beside other tests says nothing.
      expect(report.costs.length).toBeGreaterThan(report.operations / 2);
    } finally {
      await stack.stop();
      rmSync(home, { recursive: true, force: true });
    }
  },
  TIMEOUT_MS,
);
