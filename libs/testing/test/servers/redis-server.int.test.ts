import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { openLedger } from '../../src/servers/processes/process-ledger.ts';
import { findRedisOnPath, pingRedis, redisForTests, startRedis } from '../../src/servers/redis-server.ts';
import type { RedisProgram, RedisServer } from '../../src/servers/redis-server.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
let program: RedisProgram;
let home: string;
const running: RedisServer[] = [];

beforeAll(async () => {
  program = await redisForTests(root);
}, 120_000);
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'parley-redis-'));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()));
  rmSync(home, { recursive: true });
});

async function start(throwaway = false): Promise<RedisServer> {
  const server = await startRedis({
    program,
    home,
    ledger: openLedger(join(home, 'processes.json')),
    throwaway,
  });
  running.push(server);
  return server;
}

async function withClient<T>(url: string, work: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url);
  try {
    return await work(client);
  } finally {
    client.disconnect();
  }
}

const setting = (url: string, name: string): Promise<unknown> =>
  withClient(url, async (client) => (await client.config('GET', name))[1]);

test('keeps what it holds over a stop and over kill -9, evicts nothing, and has a password', async () => {
  const first = await start();
  expect(await setting(first.url, 'maxmemory-policy')).toBe('noeviction');
  expect(await setting(first.url, 'appendonly')).toBe('yes');
  await expect(pingRedis(first.url.replace(/:[0-9a-f]+@/, ''))).rejects.toThrow('NOAUTH');
  await withClient(first.url, (client) => client.set('kept', '1'));
  await first.stop();

  const second = await start();
  expect(await withClient(second.url, (client) => client.incr('kept'))).toBe(2);
  process.kill(second.pid, 'SIGKILL');
  await second.exited;

  const third = await start();
  expect(await withClient(third.url, (client) => client.get('kept'))).toBe('2');
});

test('a throw-away one writes nothing down', async () => {
  const server = await start(true);
  expect(await setting(server.url, 'appendonly')).toBe('no');
  await server.stop();
  expect(existsSync(join(home, 'redis'))).toBe(false);
});

test('a program that is no Redis, or too old, is not taken from PATH', () => {
  expect(findRedisOnPath(home)).toBeUndefined();
  expect(findRedisOnPath('')).toBeUndefined();
});

test('is restarted in its place, in order and at once, with what it holds', async () => {
  const server = await start();
  const { url, pid } = server;
  let ended = false;
  void server.exited.then(() => (ended = true));
  await withClient(url, (client) => client.set('kept', '1'));
  await server.restart('in_order');
  expect(await withClient(url, (client) => client.incr('kept'))).toBe(2);
  const second = server.pid;
  await server.restart('at_once');
  expect(await withClient(url, (client) => client.get('kept'))).toBe('2');
  expect(new Set([pid, second, server.pid]).size).toBe(3);
  expect([ended, server.exit()]).toEqual([false, null]);

  process.kill(server.pid, 'SIGKILL'); // nobody asked for that
  expect(await server.exited).toMatchObject({ signal: 'SIGKILL' });
});

test('is stopped also in the middle of a restart', async () => {
  const server = await start();
  const restart = server.restart('in_order');
  await server.stop();
  await restart;
  await expect(pingRedis(server.url)).rejects.toThrow();
});
