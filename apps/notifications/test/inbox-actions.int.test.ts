// Links and actions of items, and what a user does besides reading: unread, archive, snooze, delete
// all; filters, counts, events.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { identityToken } from '@parley/testing-services';
import { eventually } from '@parley/testing';
import { endSnoozes } from '../src/inbox/end-snoozes.ts';
import { openEventStream, type EventStream } from './event-stream.ts';
import { startNotifications, type NotificationsUnderTest } from './service.ts';

let service: NotificationsUnderTest;
let organization = '';
let counter = 0;
const streams: EventStream[] = [];
beforeAll(async () => {
  service = await startNotifications();
});
afterAll(() => service.stop());
beforeEach(() => {
  counter += 1;
  organization = `org-${counter}`;
});
afterEach(() => {
  for (const stream of streams.splice(0)) stream.close();
});

interface Item {
  id: string;
  notification_id: string;
  title: string;
  status: string;
  archived_at: number | null;
  snoozed_until: number | null;
}
type Page = { items: Item[]; unread_count: number; unseen_count: number };

const createToken = (sub: string) =>
  identityToken({ organization_id: organization, sub, scope: 'read write delete' });
const asUser = async (sub: string) => service.as(await createToken(sub));
type Api = Awaited<ReturnType<typeof asUser>>;

async function send(title: string, target: object = { user_id: 'ann' }): Promise<void> {
  const key = service.as(await service.issueKey(organization));
  const body = { channels: ['in_app'], subject: title, message: 'body', target: { in_app: target } };
  await key.post('/v1/notify', body).expect(202);
}

async function list(api: Api, query = ''): Promise<Page> {
  return (await api.get(`/v1/notifications${query}`).expect(200)).body as Page;
}
const titles = async (api: Api, query = '') => (await list(api, query)).items.map(({ title }) => title);

describe('links of an item', () => {
  const content = {
    url: '/orders/7',
    data: { order: 7, tags: ['a'] },
    actions: [
      { label: 'Show', url: 'https://shop.example/orders/7' },
      { label: 'Later', id: 'later' },
    ],
    category: 'orders.shipped',
    icon: 'https://shop.example/parcel.png',
  };

  test('url, data, actions, category and icon of the send are in the list and in the event', async () => {
    const stream = await openEventStream(`${service.server.url}/v1/notifications/stream`, {
      authorization: `Bearer ${await createToken('ann')}`,
    });
    streams.push(stream);
    await send('one', { user_id: 'ann', ...content });
    await send('two');
    const { items } = await list(await asUser('ann'));
    expect(items[1]).toMatchObject(content);
    expect(items[0]).toMatchObject({ url: null, data: null, actions: [], category: null, icon: null });
    await eventually(() => stream.of('created').length === 2);
    expect(stream.of('created')[0]).toMatchObject(content);
  });

  test('a scheduled send and a dry run have them too', async () => {
    const key = service.as(await service.issueKey(organization));
    const body = { channels: ['in_app'], message: 'x', target: { in_app: content } };
    const preview = await key.post('/v1/notify', { ...body, dry_run: true }).expect(200);
    expect(preview.body).toMatchObject({ preview: { in_app: { user_id: null, ...content } } });
    const send_at = Date.now() / 1000 + 3_600;
    await key.post('/v1/notify', { ...body, send_at }).expect(202);
    const [row] = await service.deps.sql<{ plan: string }>(
      'SELECT plan FROM deliveries WHERE organization_id = $1',
      [organization],
    );
    expect(JSON.parse(row!.plan)).toEqual({ user_id: null, ...content });
  });

  test.each([
    ['a program', { url: 'javascript:alert(1)' }, '/target/in_app/url: '],
    ['a script URL in capitals', { icon: 'DATA:text/html,x' }, '/target/in_app/icon: '],
    ['an address of an app', { url: 'myapp://orders/7' }, '/target/in_app/url: must be an https address'],
    [
      'an action with a script URL',
      { actions: [{ label: 'x', url: 'data:x' }] },
      '/target/in_app/actions/0/url: ',
    ],
    ['another host without a scheme', { url: '//evil.example' }, '/target/in_app/url: '],
    [
      'an action with url and id',
      { actions: [{ label: 'x', url: '/x', id: 'x' }] },
      '/target/in_app/actions/0: ',
    ],
    ['an action without url and id', { actions: [{ label: 'x' }] }, '/target/in_app/actions/0: '],
    ['four actions', { actions: Array(4).fill({ label: 'x', id: 'x' }) }, '/target/in_app/actions: '],
    ['much data', { data: { x: 'ü'.repeat(17_000) } }, '/target/in_app/data: must have at most 32768 bytes'],
    ['a category of blanks', { category: 'a b' }, '/target/in_app/category: '],
  ])('%s is refused', async (_, target, error) => {
    const key = service.as(await service.issueKey(organization));
    const body = { channels: ['in_app'], message: 'x', target: { in_app: target } };
    const refused = await key.post('/v1/notify', body).expect(400);
    expect((refused.body as { error: string }).error).toContain(error);
  });
});

describe.each([
  ['of a user', { user_id: 'ann' }],
  ['for every user', {}],
])('an item %s', (_, target) => {
  let ann: Api;
  let bob: Api;
  let id = '';
  beforeEach(async () => {
    await send('one', target);
    ann = await asUser('ann');
    bob = await asUser('bob');
    id = (await list(ann)).items[0]!.id;
  });
  const put = async (what: string, body: object = {}) =>
    (await ann.put(`/v1/notifications/${id}/${what}`, body).expect(200)).body as Item;
  const listEvents = async () => {
    const rows = await service.deps.sql<{ kind: string }>(
      'SELECT kind FROM in_app_changes WHERE organization_id = $1 ORDER BY id',
      [organization],
    );
    return rows.map(({ kind }) => kind);
  };

  test('is read and unread, idempotently', async () => {
    await put('unread');
    expect(await put('read')).toMatchObject({ status: 'read' });
    expect(await list(ann)).toMatchObject({ unread_count: 0, unseen_count: 0 });
    for (let time = 0; time < 2; time += 1)
      expect(await put('unread')).toMatchObject({ status: 'unread', seen_at: expect.any(Number) });
    expect(await list(ann)).toMatchObject({ unread_count: 1, unseen_count: 0 });
    expect(await listEvents()).toEqual(['read', 'unread']);
  });

  test('is archived and read with it, and moved back; unread moves it back too', async () => {
    for (let time = 0; time < 2; time += 1)
      expect(await put('archive')).toMatchObject({ status: 'read', archived_at: expect.any(Number) });
    expect(await list(ann)).toMatchObject({ items: [], unread_count: 0 });
    expect(await titles(ann, '?state=archived')).toEqual(['one']);
    expect(await titles(ann, '?state=all&status=read')).toEqual(['one']);
    expect(await put('unarchive')).toMatchObject({ status: 'read', archived_at: null });
    expect(await titles(ann)).toEqual(['one']);
    await put('archive');
    expect(await put('unread')).toMatchObject({ status: 'unread', archived_at: null });
    expect(await list(ann)).toMatchObject({ items: [{ id }], unread_count: 1 });
    expect(await listEvents()).toEqual(['archived', 'unarchived', 'archived', 'unread']);
    if (!('user_id' in target)) expect(await list(bob)).toMatchObject({ items: [{ id }], unread_count: 1 });
  });

  test('is snoozed until a time, then returns unchanged, and streams get the events', async () => {
    const until = Math.round(Date.now() / 1000) + 3_600;
    for (let time = 0; time < 2; time += 1)
      expect(await put('snooze', { until })).toMatchObject({ status: 'unread', snoozed_until: until });
    expect(await list(ann)).toMatchObject({ items: [], unread_count: 0 });
    expect(await titles(ann, '?state=snoozed')).toEqual(['one']);
    await ann.post('/v1/notifications/read-all').expect(200);
    expect(await put('snooze', { until: null })).toMatchObject({ status: 'unread', snoozed_until: null });
    expect(await list(ann)).toMatchObject({ items: [{ id }], unread_count: 1 });

    await put('snooze', { until });
    const later = { ...service.deps, clock: () => (until + 1) * 1000 };
    await endSnoozes(later);
    await endSnoozes(later);
    expect(await list(ann)).toMatchObject({ items: [{ id, snoozed_until: null }], unread_count: 1 });
    expect(await listEvents()).toEqual(['snoozed', 'unsnoozed', 'snoozed', 'unsnoozed']);
  });

  test.each([
    ['the past', -10],
    ['more than a year', 366 * 86_400],
  ])('is not snoozed until %s', async (_what, ahead) => {
    const refused = await ann
      .put(`/v1/notifications/${id}/snooze`, { until: Date.now() / 1000 + ahead })
      .expect(400);
    expect((refused.body as { error: string }).error).toMatch(/^\/until: must be in the future/);
  });

  test('is deleted with the whole inbox of its user, and of no other', async () => {
    await send('two', target);
    await send('three', { user_id: 'bob' });
    await put('archive');
    for (const path of ['', '/', '?all=false', '?all=', '/?all=true'])
      await ann.delete(`/v1/notifications${path}`).expect(path.startsWith('/') ? 404 : 400);
    const deleted = await ann.delete('/v1/notifications?all=true').expect(200);
    expect(deleted.body).toEqual({ updated: 2, unread_count: 0, unseen_count: 0 });
    expect(await titles(ann, '?state=all')).toEqual([]);
    expect(await titles(bob)).toEqual('user_id' in target ? ['three'] : ['three', 'two', 'one']);
    await ann.put(`/v1/notifications/${id}/unread`).expect(404);
    expect((await ann.delete('/v1/notifications?all=true').expect(200)).body).toMatchObject({ updated: 0 });
  });
});

test('filters by category; counts without items', async () => {
  await send('paid', { user_id: 'ann', category: 'billing' });
  await send('to all', { category: 'billing' });
  await send('other');
  const ann = await asUser('ann');
  expect(await titles(ann, '?category=billing')).toEqual(['to all', 'paid']);
  expect(await titles(ann, '?category=none')).toEqual([]);
  const count = async (query = '') =>
    (await ann.get(`/v1/notifications/count${query}`).expect(200)).body as unknown;
  expect(await count()).toEqual({ unread_count: 3, unseen_count: 3 });
  expect(await count('?category=billing')).toEqual({ unread_count: 2, unseen_count: 2 });
  const [first] = (await list(ann, '?category=billing')).items;
  await ann.put(`/v1/notifications/${first!.id}/read`).expect(200);
  expect(await count('?category=billing')).toEqual({ unread_count: 1, unseen_count: 1 });
});

test('a stream gets each change of an item, with the counts', async () => {
  await send('one');
  const ann = await asUser('ann');
  const [{ id, notification_id }] = (await list(ann)).items as [Item];
  const stream = await openEventStream(`${service.server.url}/v1/notifications/stream`, {
    authorization: `Bearer ${await createToken('ann')}`,
  });
  streams.push(stream);
  const until = Math.round(Date.now() / 1000) + 3_600;
  await ann.put(`/v1/notifications/${id}/snooze`, { until }).expect(200);
  await eventually(() => stream.of('unread_count').at(-1)?.['unread_count'] === 0);
  await ann.put(`/v1/notifications/${id}/snooze`, { until: null }).expect(200);
  await ann.put(`/v1/notifications/${id}/archive`).expect(200);
  await ann.put(`/v1/notifications/${id}/unarchive`).expect(200);
  await ann.put(`/v1/notifications/${id}/unread`).expect(200);
  await ann.delete('/v1/notifications?all=true').expect(200);
  await eventually(() => stream.of('deleted').length === 1);
  expect(stream.of('snoozed')).toEqual([{ id, notification_id, snoozed_until: until }]);
  for (const name of ['unsnoozed', 'archived', 'unarchived', 'unread'])
    expect(stream.of(name)).toEqual([{ id, notification_id }]);
  expect(stream.of('deleted')).toEqual([{ all: true }]);
});
