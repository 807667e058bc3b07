// A short siege without times, on services with the heap limit of k8s/base. `npm run siege` runs
// all attacks and measures them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { SERVICES, startStack } from '@parley/dev/stack';
import { attacks } from '../src/siege/attacks.ts';
import { clusterHeap, startTarget } from '../src/siege/target.ts';
import { emptyBaseline, runAttack } from '../src/siege/run-siege.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');
/** Minutes on a machine that also runs other tests. */
const TIMEOUT_MS = 600_000;

test(
  'every process survives the short siege and answers every request',
  async () => {
    const home = mkdtempSync(join(tmpdir(), 'parley-siege-'));
    const stack = await startStack({
      root,
      home,
      released: true,
      env: {
        PATH: process.env['PATH'],
        QUEUE_URL: process.env['TEST_REDIS_URL'],
        QUEUE_PREFIX: `siege-${process.pid}`,
        LOG_LEVEL: 'warn',
        NODE_OPTIONS: clusterHeap(root),
      },
      throwaway: true,
    });
    try {
      const { signal } = new AbortController();
      for (const service of SERVICES) {
        const target = await startTarget(stack, root, service);
        for (const attack of attacks.filter((one) => one.short && one.service === service)) {
          const { fallen } = await runAttack(target, attack, emptyBaseline(), { signal, untimed: true });
          expect({ service, attack: attack.name, fallen }).toEqual({
            service,
            attack: attack.name,
            fallen: [],
          });
        }
        await target.close();
      }
    } finally {
      await stack.stop();
      rmSync(home, { recursive: true, force: true });
    }
  },
  TIMEOUT_MS,
);
