// The event stream of the in-app inbox over real connections to two replicas on one database.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { identityToken } from '@parley/testing-services';
import type { Listening } from '@parley/server/http';
import { inTransaction } from '@parley/server/postgres';
import { eventually } from '@parley/testing';
import { readEvents } from '../src/inbox-items/stream-events.ts';
import { writeInAppItem } from '../src/inbox-items/write-item.ts';
import { openEventStream, type EventStream } from './event-stream.ts';
import { startNotifications, type NotificationsUnderTest } from './service.ts';

/** libs/server/organizations/src/plans.ts: the limit of every plan. */
const STREAMS_PER_READER_MAX = 20;
const TEST_ENV = { STREAMS_MAX: '30' };
let service: NotificationsUnderTest;
let replica: NotificationsUnderTest;
let server: Listening;
let replicaServer: Listening;
let organization = '';
let counter = 0;
const open: EventStream[] = [];

beforeAll(async () => {
  service = await startNotifications({ heartbeatMs: 200, env: TEST_ENV });
  replica = await startNotifications({
    heartbeatMs: 200,
    env: { ...TEST_ENV, DATABASE_URL: service.databaseUrl },
  });
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

const createToken = (sub: string) =>
  identityToken({ organization_id: organization, sub, scope: 'read write delete' });

async function openStream(sub: string, at = server, headers: Record<string, string> = {}, query = '') {
  const authorization = `Bearer ${await createToken(sub)}`;
  return track(openEventStream(`${at.url}/v1/notifications/stream${query}`, { authorization, ...headers }));
}

async function track(opening: Promise<EventStream>): Promise<EventStream> {
  const stream = await opening;
  open.push(stream);
  return stream;
}

/** Writes and commits without a wake-up, so that streams have to poll. */
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

test('reports events of any replica with their counts', async () => {
  const here = await openStream('ann');
  const there = await openStream('ann', replicaServer);
  const bob = await openStream('bob', replicaServer);
  expect(here.events).toEqual([{ event: 'unread_count', data: { unread_count: 0, unseen_count: 0 } }]);
  await notify(service, { user_id: 'ann' }, 'one');
  await notify(replica, {}, 'two');
  // A count belongs to the moment of its query and may be ahead of the events.
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

  const ann = replica.as(await createToken('ann'));
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
  // Ann's changes of an item for all are her own.
  expect(bob.events.map(({ event }) => event)).toEqual(['unread_count', 'created', 'unread_count']);
});

test('reports a write without a wake-up within about a second', async () => {
  const stream = await openStream('ann', replicaServer);
  await write('silent');
  await eventually(() => created(stream).length === 1);
  expect(created(stream)).toEqual(['silent']);
});

test('a reconnecting client gets what it missed once, on another replica too', async () => {
  await write('before');
  const first = await openStream('ann');
  await write('told');
  await eventually(() => created(first).includes('told'));
  const lastEventId = first.lastEventId();
  first.close();
  const missed = await write('missed');
  await write('for another', 'bob');
  await write('missed by all', null);
  await service
    .as(await createToken('ann'))
    .put(`/v1/notifications/${missed}/read`)
    .expect(200);
  const again = await openStream('ann', replicaServer, { 'last-event-id': lastEventId });
  await write('later');
  await eventually(() => created(again).includes('later'));
  // Items may repeat while an older transaction is open, and other tests have some.
  const missedBy = (stream: EventStream) =>
    created(stream).filter((title) => title !== 'before' && title !== 'told');
  expect(missedBy(again)).toEqual(['missed', 'missed by all', 'later']);
  expect(again.of('created').find(({ title }) => title === 'missed')).toMatchObject({ status: 'read' });
  expect(again.of('read')).toMatchObject([{ id: missed }]);
  expect(again.of('reset')).toEqual([]);
  // A new EventSource cannot send the header.
  const reopened = await openStream('ann', server, {}, `?last_event_id=${lastEventId}`);
  expect(missedBy(reopened)).toEqual(['missed', 'missed by all', 'later']);
});

test('reports a late commit, even after later transactions were reported', async () => {
  const stream = await openStream('ann');
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
  const again = await openStream('ann', replicaServer, { 'last-event-id': lastEventId });
  // At least once: the quick one may repeat, the slow one must arrive.
  await eventually(() => created(again).includes('slow'));
  // A stream that stayed open gets each of them once.
  await write('last');
  await eventually(() => created(again).includes('last'));
  expect(created(again).filter((title) => title === 'slow')).toHaveLength(1);
});

test('an open transaction of another database delays and repeats nothing', async () => {
  const stream = await openStream('ann');
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
  ['an unknown id', 'nonsense'],
  ['an id of another cluster', '9000000000000000000'],
])('after %s the client gets a reset', async (_what, lastEventId) => {
  await write('listed');
  const stream = await openStream('ann', server, { 'last-event-id': lastEventId });
  expect(stream.events.map(({ event }) => event)).toEqual(['reset', 'unread_count']);
  expect(lastCount(stream)).toEqual({ unread_count: 1, unseen_count: 1 });
});

test('a client that missed more events than are stored gets a reset', async () => {
  const first = await openStream('ann');
  first.close();
  await service.deps.sql(
    `INSERT INTO in_app_items (id, organization_id, user_id, notification_id, title, body, created_at, written_by)
     SELECT 'iap_' || $1 || n, $1, 'ann', 'ntf_' || n, n::text, '', now(), pg_current_xact_id()::text::bigint
     FROM generate_series(1, 1001) AS n`,
    [organization],
  );
  const stream = await openStream('ann', server, { 'last-event-id': first.lastEventId() });
  expect(stream.events.map(({ event }) => event)).toEqual(['reset', 'unread_count']);
});

/** Writes items of this size in one transaction, without a wake-up. */
const writeMany = (count: number, bytes: number) =>
  service.deps.sql(
    `INSERT INTO in_app_items (id, organization_id, user_id, notification_id, title, body, created_at, written_by)
     SELECT 'iap_' || $1 || n, $1, 'ann', 'ntf_' || n, n::text, repeat('x', $3), now(), pg_current_xact_id()::text::bigint
     FROM generate_series(1, $2::int) AS n`,
    [organization, count, bytes],
  );

test('large items are read in pages, and a client that missed too many bytes gets a reset', async () => {
  const first = await openStream('ann');
  first.close();
  await writeMany(300, 20_000);
  const wanted = { organizationIds: [organization], from: 0n, eventsMax: 300 };
  const pageBytes: number[] = [];
  const sql: typeof service.deps.sql = async <Row>(text: string, values?: readonly unknown[]) => {
    const rows = await service.deps.sql<Row>(text, values);
    pageBytes.push(JSON.stringify(rows).length);
    return rows;
  };
  const events = await readEvents(sql, wanted, Date.now());
  expect(new Set(events?.map(({ key }) => key)).size).toBe(300);
  expect(Math.max(...pageBytes)).toBeLessThanOrEqual(4 * 1024 * 1024);
  expect(await readEvents(sql, { ...wanted, bytesMax: 4_000_000 }, Date.now())).toBeUndefined();
  const stream = await openStream('ann', server, { 'last-event-id': first.lastEventId() });
  expect(stream.events.map(({ event }) => event)).toEqual(['reset', 'unread_count']);
});

test('a client that missed more than its buffer holds is not disconnected repeatedly', async () => {
  const first = await openStream('ann');
  first.close();
  await writeMany(100, 20_000);
  const stream = await openStream('ann', server, { 'last-event-id': first.lastEventId() });
  expect(stream.events.map(({ event }) => event)).toEqual(['reset', 'unread_count']);
});

test('a quiet stream sends heartbeats, and its position advances with them', async () => {
  const stream = await openStream('ann');
  const before = stream.beats();
  const place = stream.lastEventId();
  await service.deps.sql('SELECT pg_current_xact_id()::text'); // time passes in Postgres
  await eventually(() => stream.beats() > before + 2 && stream.lastEventId() !== place);
  expect(BigInt(stream.lastEventId())).toBeGreaterThan(BigInt(place));
});

test('the position of a stream never goes back, even after an old read of the hub', async () => {
  const first = await openStream('ann');
  for (let times = 0; times < 5; times += 1) {
    // The hub's next heartbeat may still belong to its earlier read.
    const opening = openStream('bea');
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

test('a key without user_id gets events for every user', async () => {
  const authorization = `Bearer ${await service.issueKey(organization)}`;
  const stream = await track(openEventStream(`${server.url}/v1/notifications/stream`, { authorization }));
  await write('for ann');
  await write('for all', null);
  await eventually(() => lastCount(stream)?.['unread_count'] === 1);
  expect(created(stream)).toEqual(['for all']);
});

test('a ticket opens one stream once, on any replica', async () => {
  const ann = service.as(await createToken('ann'));
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
  // Neither in the log, where a URL might appear, nor in the database, where a dump might be read.
  expect(service.log.text() + replica.log.text()).not.toContain(ticket);
  expect((await openEventStream(`${server.url}/v1/notifications/stream?ticket=st_x`)).status).toBe(401);
});

test('a ticket opens only its own inbox, and expires after a minute', async () => {
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

test('an inbox and a replica have at most the allowed number of streams', async () => {
  await Promise.all(Array.from({ length: STREAMS_PER_READER_MAX }, () => openStream('ann')));
  const refused = await openStream('ann');
  expect(refused.status).toBe(429);
  expect((await openStream('ann', replicaServer)).status).toBe(200);
  const others = Array.from({ length: 10 }, (_, n) => openStream(`user-${n}`));
  expect((await Promise.all(others)).every(({ status }) => status === 200)).toBe(true);
  expect((await openStream('one-more')).status).toBe(429);
  for (const stream of open.splice(0)) stream.close();
  await eventually(async () => {
    const probe = await openStream('ann');
    probe.close();
    return probe.status === 200;
  });
});

test('a stream needs a credential', async () => {
  expect((await openEventStream(`${server.url}/v1/notifications/stream`)).status).toBe(401);
});

test('streams end when the service stops, which stops at once', async () => {
  const third = await startNotifications({
    heartbeatMs: 200,
    env: { ...TEST_ENV, DATABASE_URL: service.databaseUrl },
  });
  const stream = await openStream('ann', third.server);
  const startedAt = performance.now();
  await third.server.close();
  await eventually(() => stream.ended());
  await third.stop();
  expect(performance.now() - startedAt).toBeLessThan(10_000); // an answer may take 20 s
});
