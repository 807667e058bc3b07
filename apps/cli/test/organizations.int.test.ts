// `parley organizations` stores what an operator sets, and refuses invalid values.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTestDatabase } from '@parley/testing';
import { createProgram } from '../src/program.ts';
import { readAuditLog } from './audit-log.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  database = await createTestDatabase('voice-api');
});
afterAll(() => database.drop());

function run(...words: string[]): Promise<unknown[]> {
  return runWith({ DATABASE_URL_VOICE_API: database.url }, ...words);
}

async function runWith(env: Record<string, string>, ...words: string[]): Promise<unknown[]> {
  const lines: string[] = [];
  const output = { print: (line: string) => void lines.push(line), explain: () => undefined };
  const parley = createProgram(env, output);
  await parley.parseAsync(['node', 'parley', 'organizations', ...words]);
  return lines.map((line) => JSON.parse(line) as unknown);
}

test('an organisation that was never set is on the starter plan', async () => {
  expect(await run('get', '--org', 'nobody')).toEqual([
    {
      id: 'nobody',
      name: null,
      plan: 'starter',
      requests_per_minute: null,
      concurrent_connections: null,
      storage_bytes: null,
      alert_email: null,
      limits: { requests_per_minute: 60, concurrent_connections: 10, storage_bytes: 20_000_000_000 },
    },
  ]);
});

test('changes only the given values, and resets a limit to the plan', async () => {
  await run('set', '--org', 'acme', '--plan', 'pro', '--name', 'Acme', '--alert-email', 'ops@acme.example');
  await run('set', '--org', 'acme', '--requests-per-minute', '500');
  expect(await run('get', '--org', 'acme')).toMatchObject([
    {
      name: 'Acme',
      plan: 'pro',
      requests_per_minute: 500,
      alert_email: 'ops@acme.example',
      limits: { requests_per_minute: 500, concurrent_connections: 50 },
    },
  ]);
  const [back] = await run('set', '--org', 'acme', '--requests-per-minute', 'plan', '--alert-email', 'none');
  expect(back).toMatchObject({ name: 'Acme', alert_email: null, limits: { requests_per_minute: 300 } });
  expect((await readAuditLog(database.url)).slice(1)).toEqual([
    ['operator', 'organization.changed', 'acme', { requestsPerMinute: 500 }],
    ['operator', 'organization.changed', 'acme', { requestsPerMinute: null, alertEmail: null }],
  ]);
});

test('a storage quota belongs to one service', async () => {
  const quota = ['--org', 'acme', '--storage-bytes'];
  const [own] = await run('set', ...quota, '5000');
  expect(own).toMatchObject({ storage_bytes: 5_000, limits: { storage_bytes: 5_000 } });
  const [back] = await run('set', ...quota, 'plan');
  expect(back).toMatchObject({ storage_bytes: null, limits: { storage_bytes: 200_000_000_000 } });
});

test('lists every organisation that was set', async () => {
  await run('set', '--org', 'zeta', '--plan', 'enterprise');
  const listed = (await run('list')) as { id: string; limits: object }[];
  expect(listed.map(({ id }) => id)).toEqual(['acme', 'zeta']);
  expect(listed[1]!.limits).toEqual({
    requests_per_minute: null,
    concurrent_connections: null,
    storage_bytes: 2_000_000_000_000,
  });
});

test('changes every service with a known database, or the named one', async () => {
  const flows = await createTestDatabase('flow-builder');
  const both = { DATABASE_URL_VOICE_API: database.url, DATABASE_URL_FLOW_BUILDER: flows.url };
  const set = await runWith(both, 'set', '--org', 'both', '--plan', 'pro');
  expect(set).toMatchObject([
    { product: 'flow-builder', plan: 'pro', limits: { requests_per_minute: 120_000 } },
    { product: 'voice-api', plan: 'pro', limits: { requests_per_minute: 300 } },
  ]);
  const numbers = ['set', '--org', 'both', '--requests-per-minute', '500'];
  await expect(runWith(both, ...numbers)).rejects.toThrow(/--product/);
  await runWith(both, ...numbers, '--product', 'flow-builder');
  expect(await runWith(both, 'get', '--org', 'both')).toMatchObject([
    { product: 'flow-builder', requests_per_minute: 500 },
    { product: 'voice-api', requests_per_minute: null },
  ]);
  expect(await runWith(both, 'list', '--product', 'flow-builder')).toMatchObject([{ id: 'both' }]);
  await flows.drop();
});

test('sets the sends per minute of notifications', async () => {
  const notifications = await createTestDatabase('notifications');
  const env = { DATABASE_URL_NOTIFICATIONS: notifications.url };
  const [set] = await runWith(env, 'set', '--org', 'acme', '--notify-per-minute', '500');
  expect(set).toMatchObject({ notify_per_minute: 500, limits: { notify_per_minute: 500 } });
  const [back] = await runWith(env, 'set', '--org', 'acme', '--notify-per-minute', 'plan');
  expect(back).toMatchObject({ notify_per_minute: null, limits: { notify_per_minute: 60_000 } });
  await notifications.drop();
});

test.each([
  [['set', '--org', 'acme', '--plan', 'gold'], /gold.*invalid/],
  [['set', '--org', 'acme', '--requests-per-minute', '0'], /requestsPerMinute/],
  [['set', '--org', 'acme', '--requests-per-minute', 'many'], /requestsPerMinute/],
  [['set', '--org', 'acme', '--concurrent-connections', '1.5'], /concurrentConnections/],
  [['set', '--org', 'acme', '--alert-email', 'ops'], /alertEmail/],
  [['set', '--org', 'acme', '--notify-per-minute', '500'], /voice-api sends nothing/],
  [['set', '--plan', 'pro'], /--org/],
])('refuses %j', async (words, message) => {
  await expect(run(...words)).rejects.toThrow(message);
});
