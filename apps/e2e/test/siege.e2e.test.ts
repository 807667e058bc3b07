// A short siege: some of the worst requests, on a service with the heap of k8s/base. `npm run siege` sends all of them and measures.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { startStack } from '@parley/local-stack';
import { attacks } from '../src/siege/attacks.ts';
import { besiegedProcess, clusterHeap, neighbourKey } from '../src/siege/fortress.ts';
import { runAttack } from '../src/siege/run-siege.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');
const TIMEOUT_MS = 180_000;

test(
  'no request ends a process or stays without its answer',
  async () => {
    const home = mkdtempSync(join(tmpdir(), 'parley-siege-'));
    const stack = await startStack({
      root,
      home,
      distDir: join(root, 'dist'),
      services: ['flow-builder'],
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
      const neighbour = await neighbourKey(stack, root, 'flow-builder');
      const besieged = await besiegedProcess(stack, root, 'flow-builder');
      const attacker = stack.services['flow-builder'].apiKey;
      const { signal } = new AbortController();
      for (const attack of attacks.filter(({ service, short }) => short && service === 'flow-builder')) {
        const row = await runAttack(
          { process: besieged, attacker, neighbour, signal, untimed: true },
          attack,
        );
        expect({ attack: row.attack, fallen: row.fallen }).toEqual({ attack: attack.name, fallen: [] });
      }
    } finally {
      await stack.stop();
      rmSync(home, { recursive: true, force: true });
    }
  },
  TIMEOUT_MS,
);
