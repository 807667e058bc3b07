// The event stream of the in-app store, over real connections to two replicas on one database.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { identityToken } from '@parley/app-testkit';
import type { Listening } from '@parley/http';
import { inTransaction } from '@parley/postgres';
import { eventually } from '@parley/testkit';
import { readEvents } from '../src/inbox/stream-events.ts';
import { writeInAppItem } from '../src/inbox/write-item.ts';
import { openEventStream, type EventStream } from './event-stream.ts';
import { startNotifications, type NotificationsUnderTest } from './service.ts';

/** libs/organizations/src/plans.ts: of every plan. */
const STREAMS_PER_READER_MAX = 20;
const TEST_ENV = { INBOX_HEARTBEAT_MS: '200', INBOX_STREAMS_MAX: '30' };
let service: NotificationsUnderTest;
let replica: NotificationsUnderTest;
let server: Listening;
let replicaServer: Listening;
let organization = '';
let counter = 0;
const open: EventStream[] = [];

beforeAll(async () => {
  service = await startNotifications({ env: TEST_ENV });
  replica = await startNotifications({ env: { ...TEST_ENV, DATABASE_URL: service.databaseUrl } });
  server = service.server;
  replicaServer = replica.server;
});
afterAll(async () => {
  await replica.stop();
  await service.stop();
});
beforeEach(() => {
  counter += 1;
  organization = `org-${counter}`;
});
afterEach(() => {
  for (const stream of open.splice(0)) stream.close();
});

const tokenOf = (sub: string) =>
  identityToken({ organization_id: organization, sub, scope: 'read write delete' });

async function streamOf(sub: string, at = server, headers: Record<string, string> = {}, query = '') {
  const authorization = `Bearer ${await tokenOf(sub)}`;
  return track(openEventStream(`${at.url}/v1/notifications/stream${query}`, { authorization, ...headers }));
}

async function track(opening: Promise<EventStream>): Promise<EventStream> {
  const stream = await opening;
  open.push(stream);
  return stream;
}

/** Written and committed, without a bell: streams have to look. */
async function write(title: string, userId: string | null = 'ann'): Promise<string> {
  const item = {
    organizationId: organization,
    notificationId: service.deps.ids('ntf'),
    userId,
    title,
    body: '',
  };
  return writeInAppItem(service.deps.sql, { ...item, expiresAt: null }, Date.now());
}

const notify = async (at: NotificationsUnderTest, target: object, title: string) => {
  const key = at.as(await at.issueKey(organization));
  await key
    .post('/v1/notify', { channels: ['in_app'], subject: title, message: title, target: { in_app: target } })
    .expect(202);
};

const created = (stream: EventStream) => stream.of('created').map(({ title }) => title);
const lastCount = (stream: EventStream) => stream.of('unread_count').at(-1);

test('tells what happens on any replica, and the counts with it', async () => {
  const here = await streamOf('ann');
  const there = await streamOf('ann', replicaServer);
  const bob = await streamOf('bob', replicaServer);
  expect(here.told).toEqual([{ event: 'unread_count', data: { unread_count: 0, unseen_count: 0 } }]);
  await notify(service, { user_id: 'ann' }, 'one');
  await notify(replica, {}, 'two');
  // A count is of the moment it is read at: it may be ahead of the events.
  const complete = (stream: EventStream, titles: number, unread: number) =>
    created(stream).length === titles && lastCount(stream)?.['unread_count'] === unread;
  await eventually(() => complete(here, 2, 2) && complete(there, 2, 2) && complete(bob, 1, 1));
  for (const stream of [here, there]) expect(created(stream)).toEqual(['one', 'two']);
  expect(created(bob)).toEqual(['two']);
  expect(here.of('created')[0]).toMatchObject({
    status: 'unread',
    user_id: 'ann',
    organization_id: organization,
  });

  const ann = replica.as(await tokenOf('ann'));
  const [, two] = here.of('created');
  await ann.put(`/v1/notifications/${String(two!['id'])}/read`).expect(200);
  await eventually(() => here.of('read').length === 1 && lastCount(here)?.['unread_count'] === 1);
  expect(here.of('read')).toEqual([
    { id: two!['id'], notification_id: two!['notification_id'], read_at: expect.any(Number) },
  ]);
  await ann.delete(`/v1/notifications/${String(two!['id'])}`).expect(204);
  await eventually(() => here.of('deleted').length === 1);
  expect(here.of('deleted')).toEqual([{ id: two!['id'], notification_id: two!['notification_id'] }]);
  await ann.post('/v1/notifications/seen').expect(200);
  await eventually(() => lastCount(here)?.['unseen_count'] === 0);
  await ann.post('/v1/notifications/read-all').expect(200);
  await eventually(() => here.of('read').length === 2);
  expect(here.of('read')[1]).toEqual({ all: true, read_at: expect.any(Number) });
  // What Ann does with an item for all is hers.
  expect(bob.told.map(({ event }) => event)).toEqual(['unread_count', 'created', 'unread_count']);
});

test('what was written without a bell is told within a second or so', async () => {
  const stream = await streamOf('ann', replicaServer);
  await write('silent');
  await eventually(() => created(stream).length === 1);
  expect(created(stream)).toEqual(['silent']);
});

test('a client that comes back is told what it missed, once, on another replica too', async () => {
  await write('before');
  const first = await streamOf('ann');
  await write('told');
  await eventually(() => created(first).includes('told'));
  const lastEventId = first.lastEventId();
  first.close();
  const missed = await write('missed');
  await write('for another', 'bob');
  await write('missed by all', null);
  await service
    .as(await tokenOf('ann'))
    .put(`/v1/notifications/${missed}/read`)
    .expect(200);
  const again = await streamOf('ann', replicaServer, { 'last-event-id': lastEventId });
  await write('later');
  await eventually(() => created(again).includes('later'));
  // What was there may be told again while an older transaction is open, and other tests have theirs in this cluster.
  const missedBy = (stream: EventStream) =>
    created(stream).filter((title) => title !== 'before' && title !== 'told');
  expect(missedBy(again)).toEqual(['missed', 'missed by all', 'later']);
  expect(again.of('created').find(({ title }) => title === 'missed')).toMatchObject({ status: 'read' });
  expect(again.of('read')).toMatchObject([{ id: missed }]);
  expect(again.of('reset')).toEqual([]);
  // A new EventSource has no header to say it with.
  const anew = await streamOf('ann', server, {}, `?last_event_id=${lastEventId}`);
  expect(missedBy(anew)).toEqual(['missed', 'missed by all', 'later']);
});

test('what commits late is told, though what began after it was told before', async () => {
  const stream = await streamOf('ann');
  let commit: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (commit = resolve));
  let begun: () => void = () => undefined;
  const writing = new Promise<void>((resolve) => (begun = resolve));
  const slow = inTransaction(service.deps.pool, async (sql) => {
    const item = {
      organizationId: organization,
      notificationId: service.deps.ids('ntf'),
      userId: 'ann',
      body: '',
    };
    await writeInAppItem(sql, { ...item, title: 'slow', expiresAt: null }, Date.now());
    begun();
    await held;
  });
  await writing;
  await write('quick');
  await eventually(() => created(stream).length === 1);
  expect(created(stream)).toEqual(['quick']);
  const lastEventId = stream.lastEventId();
  stream.close();
  commit();
  await slow;
  const again = await streamOf('ann', replicaServer, { 'last-event-id': lastEventId });
  // At least once: the quick one may come again, the slow one must come.
  await eventually(() => created(again).includes('slow'));
  // And a stream that stayed open is told each of them once.
  await write('last');
  await eventually(() => created(again).includes('last'));
  expect(created(again).filter((title) => title === 'slow')).toHaveLength(1);
});

test('an open transaction elsewhere delays nothing and repeats nothing', async () => {
  const stream = await streamOf('ann');
  let end: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (end = resolve));
  const elsewhere = inTransaction(service.deps.pool, async (sql) => {
    await sql('SELECT pg_current_xact_id()::text');
    await held;
  });
  for (const title of ['1', '2', '3']) {
    await write(title);
    await eventually(() => created(stream).includes(title));
  }
  end();
  await elsewhere;
  await write('4');
  await eventually(() => created(stream).includes('4'));
  expect(created(stream)).toEqual(['1', '2', '3', '4']);
});

test.each([
  ['no id of ours', 'nonsense'],
  ['an id of another cluster', '9000000000000000000'],
])('after %s the client is told to read its list', async (_what, lastEventId) => {
  await write('listed');
  const stream = await streamOf('ann', server, { 'last-event-id': lastEventId });
  expect(stream.told.map(({ event }) => event)).toEqual(['reset', 'unread_count']);
  expect(lastCount(stream)).toEqual({ unread_count: 1, unseen_count: 1 });
});

test('who missed more than is kept for it is told to read its list', async () => {
  const first = await streamOf('ann');
  first.close();
  await service.deps.sql(
    `INSERT INTO in_app_items (id, organization_id, user_id, notification_id, title, body, created_at, written_by)
     SELECT 'iap_' || $1 || n, $1, 'ann', 'ntf_' || n, n::text, '', now(), pg_current_xact_id()::text::bigint
     FROM generate_series(1, 1001) AS n`,
    [organization],
  );
  const stream = await streamOf('ann', server, { 'last-event-id': first.lastEventId() });
  expect(stream.told.map(({ event }) => event)).toEqual(['reset', 'unread_count']);
});

/** Items of so many bytes each, in one transaction and without a bell. */
const writeMany = (count: number, bytes: number) =>
  service.deps.sql(
    `INSERT INTO in_app_items (id, organization_id, user_id, notification_id, title, body, created_at, written_by)
     SELECT 'iap_' || $1 || n, $1, 'ann', 'ntf_' || n, n::text, repeat('x', $3), now(), pg_current_xact_id()::text::bigint
     FROM generate_series(1, $2::int) AS n`,
    [organization, count, bytes],
  );

test('large items are read in bites, and who missed too much of them is told to read its list', async () => {
  const first = await streamOf('ann');
  first.close();
  await writeMany(300, 20_000);
  const wanted = { organizationIds: [organization], from: 0n, eventsMax: 300 };
  const asked: number[] = [];
  const sql: typeof service.deps.sql = async <Row>(text: string, values?: readonly unknown[]) => {
    const rows = await service.deps.sql<Row>(text, values);
    asked.push(JSON.stringify(rows).length);
    return rows;
  };
  const events = await readEvents(sql, wanted, Date.now());
  expect(new Set(events?.map(({ key }) => key)).size).toBe(300);
  expect(Math.max(...asked)).toBeLessThanOrEqual(4 * 1024 * 1024);
  expect(await readEvents(sql, { ...wanted, bytesMax: 4_000_000 }, Date.now())).toBeUndefined();
  const stream = await streamOf('ann', server, { 'last-event-id': first.lastEventId() });
  expect(stream.told.map(({ event }) => event)).toEqual(['reset', 'unread_count']);
});

test('who missed more than a client may leave unread is not cut off again and again', async () => {
  const first = await streamOf('ann');
  first.close();
  await writeMany(100, 20_000);
  const stream = await streamOf('ann', server, { 'last-event-id': first.lastEventId() });
  expect(stream.told.map(({ event }) => event)).toEqual(['reset', 'unread_count']);
});

test('a quiet stream gives signs of life, and its place moves with them', async () => {
  const stream = await streamOf('ann');
  const before = stream.beats();
  const place = stream.lastEventId();
  await service.deps.sql('SELECT pg_current_xact_id()::text'); // time goes by in Postgres
  await eventually(() => stream.beats() > before + 2 && stream.lastEventId() !== place);
  expect(BigInt(stream.lastEventId())).toBeGreaterThan(BigInt(place));
});

test('the place of a stream never goes back, however old the last look of the hub is', async () => {
  const first = await streamOf('ann');
  for (let times = 0; times < 5; times += 1) {
    // The new stream looks for itself; the hub's next beat may still tell of its look before.
    const opening = streamOf('bea');
    for (let writes = 0; writes < 20; writes += 1) {
      await service.deps.sql('SELECT pg_current_xact_id()::text');
    }
    const stream = await opening;
    const before = stream.places.length;
    await eventually(() => stream.places.length > before + 1);
    expect(stream.places).toEqual(stream.places.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
    stream.close();
  }
  first.close();
});

test('a key without user_id hears what is for all', async () => {
  const authorization = `Bearer ${await service.issueKey(organization)}`;
  const stream = await track(openEventStream(`${server.url}/v1/notifications/stream`, { authorization }));
  await write('for ann');
  await write('for all', null);
  await eventually(() => lastCount(stream)?.['unread_count'] === 1);
  expect(created(stream)).toEqual(['for all']);
});

test('a ticket opens one stream, once, whichever replica is asked first', async () => {
  const ann = service.as(await tokenOf('ann'));
  const body = (await ann.post('/v1/notifications/stream-ticket').expect(201)).body as unknown;
  const { ticket, expires_at: expiresAt } = body as { ticket: string; expires_at: number };
  expect(expiresAt - Date.now() / 1000).toBeGreaterThan(50);
  expect(expiresAt - Date.now() / 1000).toBeLessThanOrEqual(60);
  const path = `/v1/notifications/stream?ticket=${ticket}`;
  const answers = await Promise.all(
    [server, replicaServer, server, replicaServer].map((at) => track(openEventStream(at.url + path))),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
  const stream = answers.find(({ status }) => status === 200)!;
  await write('hello');
  await eventually(() => created(stream).length === 1);
  // Not in the log, where a URL might stand; not in the database, where a dump might be read.
  expect(service.log.text() + replica.log.text()).not.toContain(ticket);
  expect((await openEventStream(`${server.url}/v1/notifications/stream?ticket=st_x`)).status).toBe(401);
});

test('a ticket is for the inbox it was made for, and dies after a minute', async () => {
  const key = service.as(await service.issueKey(organization));
  const ticketFor = async (query: string) => {
    const body = (await key.post(`/v1/notifications/stream-ticket${query}`).expect(201)).body as unknown;
    return (body as { ticket: string }).ticket;
  };
  const path = `${server.url}/v1/notifications/stream?ticket=`;
  expect((await openEventStream(`${path}${await ticketFor('?user_id=ann')}&user_id=bob`)).status).toBe(403);
  expect((await openEventStream(`${path}${await ticketFor('')}&user_id=ann`)).status).toBe(403);
  const late = await ticketFor('?user_id=ann');
  await service.deps.sql(
    `UPDATE stream_tickets SET expires_at = now() - interval '1 second' WHERE organization_id = $1`,
    [organization],
  );
  expect((await openEventStream(path + late)).status).toBe(401);
  const stream = await track(openEventStream(path + (await ticketFor('?user_id=ann'))));
  await write('for ann');
  await eventually(() => created(stream).length === 1);
});

test('an inbox and a replica have as many streams as they may, and no more', async () => {
  await Promise.all(Array.from({ length: STREAMS_PER_READER_MAX }, () => streamOf('ann')));
  const refused = await streamOf('ann');
  expect(refused.status).toBe(429);
  expect((await streamOf('ann', replicaServer)).status).toBe(200);
  const others = Array.from({ length: 10 }, (_, n) => streamOf(`user-${n}`));
  expect((await Promise.all(others)).every(({ status }) => status === 200)).toBe(true);
  expect((await streamOf('one-more')).status).toBe(429);
  for (const stream of open.splice(0)) stream.close();
  await eventually(async () => {
    const probe = await streamOf('ann');
    probe.close();
    return probe.status === 200;
  });
});

test('without a credential nothing opens', async () => {
  expect((await openEventStream(`${server.url}/v1/notifications/stream`)).status).toBe(401);
});

test('streams end when the service stops, and it stops at once', async () => {
  const third = await startNotifications({ env: { ...TEST_ENV, DATABASE_URL: service.databaseUrl } });
  const stream = await streamOf('ann', third.server);
  const startedAt = performance.now();
  await third.server.close();
  await eventually(() => stream.ended());
  await third.stop();
  expect(performance.now() - startedAt).toBeLessThan(10_000); // an answer may take 20 s
});
