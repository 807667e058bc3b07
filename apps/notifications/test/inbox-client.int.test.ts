// Runs @parley/inbox against this service.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { identityToken } from '@parley/testing-services';
import { openInbox, type Inbox } from '@parley/inbox';
import { eventually } from '@parley/testing';
import { startNotifications, type NotificationsUnderTest } from './service.ts';

let service: NotificationsUnderTest;
const opened: Inbox[] = [];
let requests: string[] = [];
/** Open streams that the test may cut. */
let cuts: AbortController[] = [];
/** Answers requests instead of the service. */
let refuse: ((url: string, init: RequestInit) => Response | undefined) | undefined;

beforeAll(async () => {
  service = await startNotifications();
});
afterEach(() => {
  for (const inbox of opened.splice(0)) inbox.close();
  [requests, cuts, refuse] = [[], [], undefined];
});
afterAll(() => service.stop());

const token = (sub: string) => identityToken({ organization_id: 'acme', sub, scope: 'read write delete' });

const through: typeof fetch = async (input, init = {}) => {
  const url = input as string;
  requests.push(`${init.method} ${new URL(url).pathname}`);
  const refusal = refuse?.(url, init);
  if (refusal) return refusal;
  if (!url.includes('/stream')) return fetch(url, init);
  const cut = new AbortController();
  cuts.push(cut);
  return fetch(url, { ...init, signal: AbortSignal.any([cut.signal, init.signal!]) });
};

function openTestInbox(userId: string, more: Partial<Parameters<typeof openInbox>[0]> = {}): Inbox {
  const options = { url: service.server.url, userId, getToken: () => token(userId), fetch: through };
  const inbox = openInbox({ ...options, ...more });
  opened.push(inbox);
  return inbox;
}

const send = (userId: string, title: string, more: object = {}) =>
  service.api
    .post('/v1/notify', {
      channels: ['in_app'],
      subject: title,
      message: title,
      target: { in_app: { user_id: userId, ...more } },
    })
    .expect(202);
const titles = (inbox: Inbox) => inbox.state.items.map(({ title }) => title);
const loaded = (inbox: Inbox) =>
  eventually(() => !inbox.state.isLoading && inbox.state.connection === 'live');
const streams = () => requests.filter((line) => line.endsWith('/stream')).length;

test('one stream serves all filters; a change in one appears in the others, and counts follow', async () => {
  await send('ann', 'one', { category: 'news' });
  await send('ann', 'two');
  const all = openTestInbox('ann');
  const unread = openTestInbox('ann', { filter: { status: 'unread' } });
  const news = openTestInbox('ann', { filter: { category: 'news' } });
  const archive = openTestInbox('ann', { filter: { state: 'archived' } });
  await Promise.all(opened.map(loaded));
  expect([all, unread, news, archive].map(titles)).toEqual([['two', 'one'], ['two', 'one'], ['one'], []]);
  await send('ann', 'three');
  await eventually(() => titles(all).length === 3 && all.state.unreadCount === 3);

  const [, , one] = all.state.items;
  const archiving = all.archive(one!.id);
  // before the answer arrives
  expect([titles(all), all.state.unreadCount]).toEqual([['three', 'two'], 2]);
  await archiving;
  await eventually(() => titles(archive).length === 1 && titles(news).length === 0);
  await archive.unread(one!.id);
  await eventually(() => titles(unread).length === 3 && titles(archive).length === 0);
  await all.snooze(one!.id, new Date(Date.now() + 3_600_000));
  await eventually(() => titles(unread).length === 2 && all.state.unreadCount === 2);
  await all.snooze(one!.id, null);
  await eventually(() => titles(news).length === 1);
  expect(all.state.unseenCount).toBeGreaterThan(0);
  await all.seeAll();
  await eventually(() => all.state.unseenCount === 0 && all.state.unreadCount === 3);
  await all.delete(one!.id);
  await all.readAll();
  await eventually(() => titles(unread).length === 0 && all.state.unreadCount === 0);
  expect(titles(all)).toEqual(['three', 'two']);
  await all.deleteAll();
  expect(titles(all)).toEqual([]);
  expect(streams()).toBe(1);
});

test('a refused change is reverted with its counts, and thrown', async () => {
  await send('ben', 'kept');
  const inbox = openTestInbox('ben');
  await eventually(() => titles(inbox).length === 1);
  refuse = (_, { method }) =>
    method === 'PUT' ? Response.json({ error: 'no' }, { status: 403 }) : undefined;
  const reading = inbox.read(inbox.state.items[0]!.id);
  expect([inbox.state.items[0]!.status, inbox.state.unreadCount]).toEqual(['read', 0]);
  await expect(reading).rejects.toThrow('no');
  expect(inbox.state.items[0]!.status).toBe('unread');
  await eventually(() => inbox.state.unreadCount === 1);
});

test('what happened during a lost connection appears afterwards', async () => {
  const inbox = openTestInbox('cem');
  await loaded(inbox);
  const connections: string[] = [];
  inbox.subscribe(() => connections.push(inbox.state.connection));
  cuts.at(-1)!.abort();
  await send('cem', 'missed');
  await eventually(() => titles(inbox).length === 1);
  expect(connections).toContain('offline');
  expect(inbox.state.connection).toBe('live');
  expect(streams()).toBe(2);
});

test('without a position to resume from, lists are read again', async () => {
  const refusal = () =>
    Response.json({ error: 'too many' }, { status: 429, headers: { 'retry-after': '3600' } });
  refuse = (url) => (url.includes('/stream') ? refusal() : undefined);
  await send('dan', 'one');
  const inbox = openTestInbox('dan');
  await eventually(() => titles(inbox).length === 1);
  expect(inbox.state).toMatchObject({ connection: 'offline', error: { status: 429 } });
  await send('dan', 'two');
  refuse = undefined;
  await eventually(() => titles(inbox).length === 2);
  expect(inbox.state).toMatchObject({ connection: 'live', error: null });
});

test('pages, and no more items than the maximum', async () => {
  for (const title of ['a', 'b', 'c', 'd', 'e']) await send('eva', title);
  const inbox = openTestInbox('eva', { pageSize: 2, itemsMax: 3 });
  await eventually(() => titles(inbox).length === 2);
  expect(inbox.state.hasMore).toBe(true);
  void inbox.refresh(); // as if the stream opened at this moment
  await inbox.loadMore();
  expect([titles(inbox), inbox.state.hasMore]).toEqual([['e', 'd', 'c'], false]);
  await send('eva', 'f');
  await eventually(() => titles(inbox)[0] === 'f');
  expect(titles(inbox)).toEqual(['f', 'e', 'd']);
});

test('a refused token is renewed once', async () => {
  const why: boolean[] = [];
  const getToken = async ({ refused }: { refused: boolean }) => {
    why.push(refused);
    return refused
      ? token('fay')
      : identityToken({ organization_id: 'acme', sub: 'fay', scope: 'read' }, '-1m');
  };
  await send('fay', 'one');
  const inbox = openTestInbox('fay', { getToken });
  await eventually(() => titles(inbox).length === 1 && inbox.state.connection === 'live');
  expect(why.slice(0, 2)).toEqual([false, true]);
});
