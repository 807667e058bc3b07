import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { openLedger, redisForTests, type RedisServer } from '@parley/testing/servers';
import { openQueueEngine } from '../../src/stack/stores/queue-engine.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
let home: string;
const running: RedisServer[] = [];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'parley-queue-engine-'));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()));
  rmSync(home, { recursive: true });
});

async function withClient<T>(url: string, work: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url);
  try {
    return await work(client);
  } finally {
    client.disconnect();
  }
}

test('a given server that does not answer is named by its variable, without the password', async () => {
  const given = { kind: 'given', url: 'redis://:secret@127.0.0.1:1', variable: 'REDIS_URL' } as const;
  const opening = openQueueEngine(given, {
    root,
    home,
    env: {},
    ledger: openLedger(join(home, 'processes.json')),
    throwaway: true,
    postgresUrl: () => Promise.reject(new Error('not asked for')),
  });
  await expect(opening).rejects.toThrow(
    /^REDIS_URL names a server that cannot be used: .*ECONNREFUSED 127\.0\.0\.1:1$/,
  );
  await expect(opening).rejects.not.toThrow('secret');
});

test('one of a stack has a user for each service, who sees its own queues only, under the prefix of the stack', async () => {
  const engine = await openQueueEngine(
    { kind: 'redis', program: await redisForTests(root) },
    {
      root,
      home,
      env: { QUEUE_PREFIX: 'mine' },
      ledger: openLedger(join(home, 'processes.json')),
      throwaway: true,
      postgresUrl: () => Promise.reject(new Error('not asked for')),
    },
  );
  running.push(engine.server!);
  const touch = (service: 'flow-builder' | 'notifications', key: string) =>
    withClient(engine.urlOf(service), (client) => client.incr(key));
  expect(await touch('notifications', 'mine:push-sends:id')).toBe(1);
  await expect(touch('flow-builder', 'mine:push-sends:id')).rejects.toThrow('NOPERM');
  await expect(touch('notifications', 'parley:push-sends:id')).rejects.toThrow('NOPERM');
});
