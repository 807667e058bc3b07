// /health and /ready answer from memory and are right within two seconds
// (docs/platform.md#operations-endpoints).
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTestDatabase, eventually, tcpProxy, type TcpProxy } from '@parley/testing';
import { startFlowBuilder, type FlowBuilder } from '../service.ts';

/** Two seconds, and the pauses of a busy machine. */
const TOLD_WITHIN_MS = 4_000;
const ANSWERED_WITHIN_MS = 500;

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let proxy: TcpProxy;
let flows: FlowBuilder;
beforeAll(async () => {
  database = await createTestDatabase('flow-builder');
  proxy = await tcpProxy(database.url);
  flows = await startFlowBuilder({ DATABASE_URL: proxy.url });
});
afterAll(async () => {
  await flows.stop();
  await proxy.close();
  await database.drop();
});

const statusOf = async (path: string) => (await fetch(flows.server.url + path)).status;

test('the database is queried once a second, however many callers ask', async () => {
  let asked = 0;
  const count = () => void (asked += 1);
  flows.deps.pool.on('acquire', count);
  const startedAt = performance.now();
  for (let round = 0; round < 20; round += 1) {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => statusOf(n % 2 === 0 ? '/health' : '/ready')),
    );
    expect(new Set(answers)).toEqual(new Set([200]));
  }
  flows.deps.pool.off('acquire', count);
  expect(asked).toBeLessThanOrEqual(2 + (performance.now() - startedAt) / 1_000);
});

async function toldSoon(how: 'cut' | 'freeze'): Promise<boolean> {
  proxy[how]();
  const awayAtMs = performance.now();
  await eventually(async () => (await statusOf('/ready')) === 503);
  const askedAtMs = performance.now();
  const health = (await (await fetch(`${flows.server.url}/health`)).json()) as { store: { ready: boolean } };
  const answeredAtMs = performance.now();
  expect(health.store.ready).toBe(false);
  proxy.restore();
  await eventually(async () => (await statusOf('/ready')) === 200);
  return askedAtMs - awayAtMs < TOLD_WITHIN_MS && answeredAtMs - askedAtMs < ANSWERED_WITHIN_MS;
}

test.each(['cut', 'freeze'] as const)(
  'Postgres is %s: told soon, and at once when asked',
  async (how) => {
    // Others use the processor too: what waits for Postgres never gets there.
    await eventually(() => toldSoon(how));
  },
  120_000,
);
