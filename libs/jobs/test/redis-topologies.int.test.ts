// The queues on a Redis cluster and behind sentinels: real servers, started here.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog, Secret, systemClock } from '@parley/server/runtime';
import { redisForTests, freePort, type RedisProgram } from '@parley/testing/servers';
import { capturedLog, eventually } from '@parley/testing';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { onJob, openQueues, buildRedisRules, type JobKind } from '../src/index.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const kind: JobKind<{ id: string }> = {
  name: 'delivery.attempt',
  queue: 'webhook-deliveries',
  payload: z.object({ id: z.string() }),
  attempts: 3,
  timeoutMs: 5_000,
};

/** The service that owns the queue, with its rights of docker/redis-users.acl. */
const USER = `user voice-api on >of-its-own ${buildRedisRules('voice-api', 'topology')}`;

const home = mkdtempSync(join(tmpdir(), 'parley-redis-'));
const servers: ChildProcess[] = [];
let program: RedisProgram;
beforeAll(async () => {
  program = await redisForTests(root);
}, 120_000);
afterAll(async () => {
  await Promise.all(
    servers.map(async (server) => {
      if (server.exitCode !== null) return;
      const gone = new Promise((resolve) => server.once('close', resolve));
      server.kill('SIGKILL');
      await gone;
    }),
  );
  rmSync(home, { recursive: true });
});

/** Starts a server with this configuration and waits until it answers. */
async function start(
  lines: readonly string[],
  { args = [], password }: { args?: readonly string[]; password?: string } = {},
): Promise<number> {
  const port = await freePort();
  const folder = join(home, String(port));
  mkdirSync(folder);
  const config = join(folder, 'redis.conf');
  const text = [...lines, `port ${port}`, 'bind 127.0.0.1', `dir ${folder}`, 'daemonize no'];
  writeFileSync(config, `${text.join('\n')}\n`);
  const { libraryPath } = program;
  const server = spawn(program.path, [config, ...args], {
    stdio: 'ignore',
    env: { ...process.env, ...(libraryPath === undefined ? {} : { LD_LIBRARY_PATH: libraryPath }) },
  });
  servers.push(server);
  await asked(port, (redis) => redis.ping(), password);
  return port;
}

async function asked<T>(port: number, question: (redis: Redis) => Promise<T>, password?: string): Promise<T> {
  const redis = new Redis(port, '127.0.0.1', {
    retryStrategy: () => 20,
    maxRetriesPerRequest: null,
    ...(password === undefined ? {} : { password }),
  });
  redis.on('error', () => undefined); // not listening yet
  try {
    return await question(redis);
  } finally {
    redis.disconnect();
  }
}

/** Jobs are delivered once each, and leave nothing behind. */
async function exchange(url: string): Promise<void> {
  const log = createLog({ service: 'test', level: 'info', destination: capturedLog() });
  const queues = openQueues({ url: new Secret(url), prefix: 'topology', clock: systemClock, log });
  try {
    await eventually(() => queues.ready());
    const seen: string[] = [];
    queues.worker(kind.queue, [onJob(kind, async ({ id }) => void seen.push(id))], { concurrency: 4 });
    const rings = Array.from({ length: 20 }, (_, index) => ({
      row: `dlv_${index}`,
      attempt: 1,
      enqueueNumber: 0,
      payload: { id: `dlv_${index}` },
      delayMs: index % 2 === 0 ? 0 : 100,
    }));
    expect(await queues.producer(kind).enqueue(rings)).toBe(true);
    await eventually(() => seen.length === rings.length);
    expect(new Set(seen).size).toBe(rings.length);
    await eventually(async () => {
      const [stats] = await queues.readStats([kind.queue]);
      return stats?.waiting === 0 && stats.active === 0 && stats.delayed === 0;
    });
  } finally {
    await queues.close();
  }
}

describe('the queues', () => {
  test('on a cluster', async () => {
    const port = await start(['cluster-enabled yes', 'cluster-announce-ip 127.0.0.1', 'save ""', USER]);
    await asked(port, (redis) => redis.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383'));
    await eventually(() =>
      asked(port, async (redis) => /cluster_state:ok/.test(String(await redis.cluster('INFO')))),
    );
    await exchange(`redis-cluster://127.0.0.1:${port}`);
    await exchange(`redis-cluster://voice-api:of-its-own@127.0.0.1:${port}`);
    const keys = await asked(port, (redis) => redis.keys('*'));
    expect(keys.length).toBeGreaterThan(0);
    for (const key of keys) expect(key).toMatch(/^\{topology:webhook-deliveries\}:/);
  });

  test('behind sentinels', async () => {
    const password = 'of-the-master';
    const master = await start([`requirepass ${password}`, 'save ""', USER], { password });
    const sentinel = await start(
      [`sentinel monitor parley 127.0.0.1 ${master} 1`, `sentinel auth-pass parley ${password}`],
      { args: ['--sentinel'] },
    );
    await exchange(`redis-sentinel://:${password}@127.0.0.1:${sentinel}/parley`);
    await exchange(`redis-sentinel://voice-api:of-its-own@127.0.0.1:${sentinel}/parley`);
  });
});
