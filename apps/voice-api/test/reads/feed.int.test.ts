// The feed has every event once, although transactions commit out of order, stay open or die; and
// long polling.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import { inTransaction, sqlOf } from '@parley/server/postgres';
import { eventually } from '@parley/testing';
import { writeDeliveries } from '../../src/deliveries/write-deliveries.ts';
import { event as reported, reaches, send } from '../events.ts';
import { startVoiceApi, type VoiceApi } from '../service.ts';
import { commit, dataOf, event } from '../webhooks.ts';

jest.setTimeout(120_000);

let service: VoiceApi;
beforeAll(async () => {
  service = await startVoiceApi({
    workers: true,
    env: { TRANSCRIPT_SETTLE: '0.2', DATABASE_CONNECTIONS_MAX: '20' },
  });
});
afterAll(() => service.stop());

interface Page {
  items: { sequence: string; id: string; event: string; data: { metadata: { n?: number } } }[];
  next_after: string;
  has_more: boolean;
}
const read = async (query: string, api = service.api) =>
  dataOf<Page>(await api.get(`/v1/events?${query}`).expect(200));
const now = async () => (await read('after=now')).next_after;
const numbered = (n: number) => event({ metadata: { n } });
const write = (n: number) => commit(service, [numbered(n)]);
const numbers = ({ items }: Page) => items.map(({ data }) => data.metadata.n);

test('has events that no webhook receives, in the shape of webhook events', async () => {
  const after = await now();
  await send(service, [reported('conversation.started', 'told', 0, { channel: 'web' })]);
  const { items, next_after, has_more } = await eventually(async () => {
    const page = await read(`after=${after}`);
    return page.items.length > 0 && page;
  });
  expect(items).toMatchObject([
    {
      sequence: next_after,
      id: expect.stringMatching(/^evt_/),
      event: 'conversation.started',
      data: { conversation_id: 'told', channel: 'web', sequence: 1 },
    },
  ]);
  expect(has_more).toBe(false);
  expect(await read(`after=${next_after}`)).toEqual({ items: [], next_after, has_more: false });
});

test('pages continue after the previous one, from the oldest event', async () => {
  const after = await now();
  await commit(
    service,
    Array.from({ length: 25 }, (_, n) => numbered(n)),
  );
  await eventually(async () => (await read(`after=${after}`)).items.length === 25);
  const told: unknown[] = [];
  for (
    let page = await read(`after=${after}&limit=10`);
    ;
    page = await read(`after=${page.next_after}&limit=10`)
  ) {
    told.push(...numbers(page));
    if (!page.has_more) break;
  }
  expect(told).toEqual(Array.from({ length: 25 }, (_, n) => n));
  expect((await read('limit=1')).items).toHaveLength(1);
});

test('shows no event behind an open transaction, so late commits are not missed', async () => {
  const after = await now();
  const client = new pg.Client({ connectionString: service.deps.config.DATABASE_URL.reveal() });
  await client.connect();
  await client.query('BEGIN');
  await writeDeliveries(service.deps, sqlOf(client), [numbered(1)]);
  await write(2);
  expect((await read(`after=${after}`)).items).toEqual([]);
  await client.query('COMMIT');
  await client.end();
  await eventually(async () => numbers(await read(`after=${after}`)).join() === '1,2');
});

test('a dead writer loses its events and does not block the feed', async () => {
  const after = await now();
  const client = new pg.Client({ connectionString: service.deps.config.DATABASE_URL.reveal() });
  client.on('error', () => undefined);
  await client.connect();
  await client.query('BEGIN');
  await writeDeliveries(service.deps, sqlOf(client), [numbered(1)]);
  await write(2);
  const waiting = read(`after=${after}&wait=30`);
  const { pid } = (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]!;
  await service.deps.sql('SELECT pg_terminate_backend($1)', [pid]);
  expect(numbers(await waiting)).toEqual([2]);
});

test('a reader gets every committed event once during concurrent writes', async () => {
  const after = await now();
  const WRITERS = 8;
  const EACH = 40;
  const committed = new Set<number>();
  let writing = true;
  const writers = Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      for (let index = 0; index < EACH; index += 1) {
        const n = writer * 1_000 + index;
        const gaveUp = await inTransaction(service.deps.pool, async (sql) => {
          await writeDeliveries(service.deps, sql, [numbered(n)]);
          await pause(Math.random() * 15);
          if (Math.random() < 0.2) throw new Error('gave up');
        }).catch(() => true);
        if (gaveUp !== true) {
          committed.add(n);
          service.deps.feedNotifier.notify('acme');
        }
      }
    }),
  ).finally(() => (writing = false));
  const told: number[] = [];
  for (let place = after; writing || told.length < committed.size;) {
    const page = await read(`after=${place}&limit=7&wait=1`);
    told.push(...page.items.map(({ data }) => data.metadata.n!));
    place = page.next_after;
  }
  await writers;
  expect(new Set(told).size).toBe(told.length);
  expect(told.sort((a, b) => a - b)).toEqual([...committed].sort((a, b) => a - b));
});

test('a reader misses no event while writers are killed during commits', async () => {
  const after = await now();
  const KILLED = 3;
  let writing = true;
  const committed = async () =>
    (
      await service.deps.sql<{ n: number }>(
        `SELECT n FROM webhook_events, LATERAL (SELECT (body::jsonb #>> '{data,metadata,n}')::int AS n) AS numbered WHERE n >= 100000`,
      )
    ).map(({ n }) => n);
  const killing = (async () => {
    for (let round = 1; round <= KILLED; round += 1) {
      const first = round * 100_000;
      const script = join(import.meta.dirname, '..', 'killed-writer.ts');
      const args = ['--import', 'tsx', script, JSON.stringify(service.env), String(first)];
      const child = spawn(process.execPath, args, { stdio: 'inherit', cwd: import.meta.dirname });
      const exited = once(child, 'exit');
      const underWay = async () =>
        (await committed()).filter((n) => n > first && n < first + 100_000).length >= 40;
      await eventually(underWay, { timeoutMs: 60_000 }).finally(() => child.kill('SIGKILL'));
      expect((await exited)[1]).toBe('SIGKILL');
    }
  })().finally(() => (writing = false));
  const beside = (async () => {
    for (let n = 900_000; writing; n += 1) {
      await write(n);
      await pause(5);
    }
  })();
  const told: number[] = [];
  let place = after;
  const readOn = async () => {
    const page = await read(`after=${place}&limit=50&wait=1`);
    told.push(...page.items.map(({ data }) => data.metadata.n!));
    place = page.next_after;
    return page.items.length;
  };
  while (writing) await readOn();
  await Promise.all([killing, beside]);
  const all = await committed();
  while (told.length < all.length && (await readOn()) > 0);
  const sorted = (numbers: number[]) => numbers.toSorted((a, b) => a - b);
  expect(sorted(told)).toEqual(sorted(all));
  expect(new Set(all.map((n) => Math.floor(n / 100_000)))).toEqual(new Set([1, 2, 3, 9]));
});

test('a waiting request gets the next event as soon as it is applied', async () => {
  const after = await now();
  const startedAt = performance.now();
  const waiting = read(`after=${after}&wait=30`);
  await pause(100);
  await send(service, [reported('conversation.started', 'awaited', 0)]);
  expect((await waiting).items).toMatchObject([{ event: 'conversation.started' }]);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

test('a wait ends after its time, and when the service stops', async () => {
  const after = await now();
  const startedAt = performance.now();
  expect((await read(`after=${after}&wait=1`)).items).toEqual([]);
  expect(performance.now() - startedAt).toBeGreaterThan(900);
  const { createFeedWaits } = await import('../../src/feed/feed-waits.ts');
  const waits = createFeedWaits(service.deps.listener);
  const woken = waits.next('acme', 30_000);
  waits.close();
  expect(await woken).toBe('closed');
  expect(waits.enter()).toBeUndefined();
});

test('has interims until their conversation is final', async () => {
  const after = await now();
  await send(service, [
    reported('conversation.started', 'spoken', 0),
    reported('speech.interim', 'spoken', 1, { turn_index: 0, text: 'I wo' }),
    reported('speech.final', 'spoken', 2, { turn_index: 0, text: 'I would' }),
    reported('conversation.ended', 'spoken', 3),
  ]);
  const types = async () => (await read(`after=${after}`)).items.map((item) => item.event);
  await eventually(async () => (await types()).includes('speech.interim'));
  await reaches(service, 'spoken', 'completed');
  await eventually(async () => !(await types()).includes('speech.interim'));
  expect(await types()).toContain('speech.final');
});

test('has nothing of other organisations and of purged bots', async () => {
  const other = service.as(await service.issueKey('globex'));
  expect((await read('', other)).items).toEqual([]);
  const { id } = dataOf<{ id: string }>(await service.api.post('/v1/bots', { name: 'x' }).expect(201));
  const after = await now();
  await send(service, [reported('conversation.started', 'purged', 0, {}, { bot_id: id })]);
  await eventually(async () => (await read(`after=${after}`)).items.length > 0);
  await service.api.delete(`/v1/bots/${id}?purge=true`).expect(200);
  expect((await read(`after=${after}`)).items).toEqual([]);
});

test.each(['after=0', 'after=999999999999999999-', 'after=1-evt_x', 'wait=31', 'limit=0', 'limit=101'])(
  '400: %s',
  async (query) => void (await service.api.get(`/v1/events?${query}`).expect(400)),
);
