// docker/redis-users.acl on real servers that restart and fail over: waiting jobs survive.
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  redisForTests,
  openLedger,
  redisUsers,
  startRedis,
  startRedisTopology,
  type RedisProgram,
} from '@parley/testing/servers';
import { createLog, Secret, systemClock } from '@parley/server/runtime';
import { capturedLog, eventually } from '@parley/testing';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { onJob, openQueues, type JobKind, type Queues } from '../src/index.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const kind: JobKind<{ n: number }> = {
  name: 'delivery.attempt',
  queue: 'webhook-deliveries',
  payload: z.object({ n: z.number() }),
  attempts: 3,
  timeoutMs: 5_000,
};
const JOBS = 184;
const STARTS_WITHIN_MS = 120_000;

const home = mkdtempSync(join(tmpdir(), 'parley-redis-'));
const ends: (() => Promise<unknown>)[] = [];
let options: { program: RedisProgram; home: string; ledger: ReturnType<typeof openLedger>; users: string[] };
beforeAll(async () => {
  const program = await redisForTests(root);
  options = { program, home, ledger: openLedger(join(home, 'processes.json')), users: redisUsers(root) };
}, STARTS_WITHIN_MS);
afterAll(async () => {
  for (const end of ends.reverse()) await end();
  await rm(home, { recursive: true });
});

function open(url: string): Queues {
  const log = createLog({ service: 'test', level: 'warn', destination: capturedLog() });
  const queues = openQueues({ url: new Secret(url), prefix: 'parley', clock: systemClock, log });
  ends.push(() => queues.close());
  return queues;
}

const enqueue = (queues: Queues, numbers: readonly number[]) =>
  queues
    .producer(kind)
    .enqueue(numbers.map((n) => ({ row: `row-${n}`, attempt: 1, enqueueNumber: 0, payload: { n } })));
const numbers = Array.from({ length: JOBS }, (_, n) => n);

/** Consumes until each job was there. */
async function takeAll(queues: Queues): Promise<number[]> {
  const taken = new Set<number>();
  queues.worker(kind.queue, [onJob(kind, async ({ n }) => void taken.add(n))]);
  await eventually(() => taken.size === JOBS);
  return [...taken].sort((a, b) => a - b);
}

test(
  'waiting jobs survive a restart with an append-only file',
  async () => {
    const server = await startRedis({ ...options, name: 'alone', settings: ['appendfsync always'] });
    ends.push(() => server.stop());
    const queues = open(server.urlOf('voice-api')!);
    await eventually(() => queues.ready());
    // one script for each
    for (const n of numbers.slice(0, 84)) expect(await enqueue(queues, [n])).toBe(true);
    expect(await enqueue(queues, numbers.slice(84))).toBe(true); // one MULTI
    for (const how of ['at_once', 'in_order'] as const) {
      await server.restart(how);
      await eventually(async () => (await queues.readStats([kind.queue]))[0]?.waiting === JOBS);
    }
    expect(await takeAll(queues)).toEqual(numbers);
  },
  STARTS_WITHIN_MS,
);

test(
  'a client without a password can only ask whether the server is alive',
  async () => {
    const server = await startRedis({ ...options, name: 'guarded' });
    ends.push(() => server.stop());
    const say = async (command: string, credentials: object) => {
      const client = new Redis(server.port, '127.0.0.1', { ...credentials, retryStrategy: () => null });
      client.on('error', () => undefined);
      return client.call(command).finally(() => client.disconnect());
    };
    for (const command of ['PING', 'INFO', 'FLUSHALL'])
      await expect(say(command, { enableReadyCheck: false })).rejects.toThrow('NOAUTH');
    const health = { username: 'health', password: 'none', enableReadyCheck: false };
    expect(await say('PING', health)).toBe('PONG');
    for (const command of ['INFO', 'DBSIZE', 'FLUSHALL'])
      await expect(say(command, health)).rejects.toThrow('NOPERM');
  },
  STARTS_WITHIN_MS,
);

test(
  'replicas follow and sentinels fail over, each with the rights of its own user',
  async () => {
    const topology = await startRedisTopology({ ...options, kind: 'sentinel', replicas: 1 });
    ends.push(() => topology.stop());
    const queues = open(topology.urlOf('voice-api'));
    await eventually(() => queues.ready());
    expect(await enqueue(queues, numbers)).toBe(true);
    const [first, second] = topology.nodes;
    await topology.ask(first!, 'WAIT', '1', '5000');
    const firstBack = first!.restart('at_once', 5_000);
    await eventually(async () => (await topology.masters())[0] === second);
    expect(await takeAll(queues)).toEqual(numbers);
    await firstBack;
    await eventually(async () =>
      /role:slave[\s\S]*master_link_status:up/.test(
        String(await topology.ask(first!, 'INFO', 'replication')),
      ),
    );
  },
  STARTS_WITHIN_MS,
);
