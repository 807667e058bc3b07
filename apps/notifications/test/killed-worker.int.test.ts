// Many recipients and a worker that is killed (SIGKILL) halfway: everybody is reached, few twice
// (docs/notifications.md#topics, docs/notifications.md#attempts). KILLED_RECIPIENTS sets the
// number, for example 100000.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { eventually, receiver, type Receiver } from '@parley/testing';
import { startNotifications, type NotificationsUnderTest } from './service.ts';

const GIVEN = process.env['KILLED_RECIPIENTS'];
const MEMBERS = Number(GIVEN ?? 10_000);
const SENDS = Number(GIVEN ?? 1_000);
const BULK = 1_000;
const LEASE_MS = 15_000;
/** What a killed worker may repeat. */
const REPEATED_MAX = 50;
const WITHIN_MS = GIVEN === undefined ? 100_000 : 3_600_000;
jest.setTimeout(WITHIN_MS + 30_000);

let service: NotificationsUnderTest;
let outside: Receiver;
let kill: () => Promise<void> = async () => undefined;
beforeAll(async () => {
  outside = await receiver();
  service = await startNotifications({ leaseMs: LEASE_MS });
});
beforeEach(() => startWorkerProcess());
afterEach(() => kill());
afterAll(async () => {
  await service.stop();
  await outside.close();
});

function startWorkerProcess(): void {
  const script = join(import.meta.dirname, 'killed-worker.ts');
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', script, JSON.stringify(service.env), String(LEASE_MS)],
    {
      stdio: 'inherit',
      cwd: import.meta.dirname,
    },
  );
  const exited = once(child, 'exit');
  kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
}

async function killHalfway(count: () => Promise<number> | number, of: number): Promise<void> {
  await eventually(async () => (await count()) >= of / 2, { timeoutMs: WITHIN_MS });
  await kill();
  const left = of - (await count());
  startWorkerProcess();
  expect(left).toBeGreaterThan(0); // else the kill came too late
}

async function figure(text: string): Promise<number> {
  const [row] = await service.deps.sql<{ figure: number }>(text);
  return row!.figure;
}

test('a topic: every member has one item', async () => {
  await service.deps.sql(
    `INSERT INTO topics (organization_id, id, member_count, created_at, updated_at) VALUES ('acme', 'all', $1, now(), now())`,
    [MEMBERS],
  );
  await service.deps.sql(
    `INSERT INTO topic_members (organization_id, topic_id, user_id, created_at)
     SELECT 'acme', 'all', 'user-' || n, now() - interval '1 second' FROM generate_series(1, $1::int) AS n`,
    [MEMBERS],
  );
  const send = { channels: ['in_app'], message: 'To all.', target: { topic_id: 'all' } };
  await service.api.post('/v1/notify', send).expect(202);
  const items = () => figure('SELECT count(*)::int AS figure FROM in_app_items');
  await killHalfway(items, MEMBERS);
  await eventually(
    async () =>
      (await figure("SELECT count(*)::int AS figure FROM topic_sends WHERE outcome = 'sent'")) === 1,
    { timeoutMs: WITHIN_MS },
  );
  expect(await items()).toBe(MEMBERS);
  expect(await figure('SELECT count(DISTINCT user_id)::int AS figure FROM in_app_items')).toBe(MEMBERS);
});

test('bulk: every send arrives, few of them twice', async () => {
  for (let from = 0; from < SENDS; from += BULK) {
    const sends = Array.from({ length: Math.min(BULK, SENDS - from) }, () => ({
      channels: ['webhook'],
      message: 'To you.',
      target: { webhook: { url: outside.url } },
    }));
    await service.api.post('/v1/notify/bulk', { sends }).expect(202);
  }
  const arrived = () => new Set(outside.requests.map(({ headers }) => headers['webhook-id']));
  await killHalfway(() => arrived().size, SENDS);
  await eventually(
    async () =>
      (await figure(
        "SELECT count(*)::int AS figure FROM deliveries WHERE channel = 'webhook' AND status <> 'sent' AND status <> 'delivered'",
      )) === 0,
    { timeoutMs: WITHIN_MS },
  );
  expect(arrived().size).toBe(SENDS);
  expect(outside.requests.length - SENDS).toBeLessThanOrEqual(REPEATED_MAX);
});
