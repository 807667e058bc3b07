// The in-app inbox over HTTP: access, list and pages, reading, seeing, deleting, counts,
// housekeeping.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { identityToken } from '@parley/testing-services';
import type { Caller } from '@parley/server/http';
import { createIds } from '@parley/server/runtime';
import { changeItem, deleteItem } from '../src/inbox/change-item.ts';
import { toItemId, writeInAppItem, type NewInAppItem } from '../src/inbox-items/write-item.ts';
import { cleanInbox } from '../src/inbox/clean-inbox.ts';
import { startNotifications, type NotificationsUnderTest } from './service.ts';

let service: NotificationsUnderTest;
let organization = '';
let counter = 0;
beforeAll(async () => {
  service = await startNotifications();
});
afterAll(() => service.stop());
/** Every test has its own organisation. */
beforeEach(() => {
  counter += 1;
  organization = `org-${counter}`;
});

type Item = {
  id: string;
  title: string;
  status: string;
  user_id: string | null;
  seen_at: unknown;
  read_at: unknown;
};
type Page = { items: Item[]; next_cursor: string | null; unread_count: number; unseen_count: number };

let written = 0;
async function write(given: Partial<NewInAppItem> = {}, nowMs = Date.now()): Promise<string> {
  written += 1;
  const notificationId = service.deps.ids('ntf');
  const item: NewInAppItem = {
    organizationId: organization,
    notificationId,
    userId: 'ann',
    title: `title ${written}`,
    body: 'body',
    expiresAt: null,
    ...given,
  };
  return writeInAppItem(service.deps.sql, item, nowMs);
}

async function asKey() {
  return service.as(await service.issueKey(organization));
}

async function asUser(sub: string, scope = 'read write delete') {
  return service.as(await identityToken({ organization_id: organization, sub, scope }));
}

async function list(api: Awaited<ReturnType<typeof asKey>>, query = ''): Promise<Page> {
  return (await api.get(`/v1/notifications${query}`).expect(200)).body as Page;
}

const titles = ({ items }: Page) => items.map(({ title }) => title);

describe('the user of the inbox', () => {
  beforeEach(async () => {
    await write({ title: 'for ann' });
    await write({ title: 'for bob', userId: 'bob' });
    await write({ title: 'for all', userId: null });
  });

  test('a token reads the inbox of its sub, and no other', async () => {
    const ann = await asUser('ann');
    expect(titles(await list(ann))).toEqual(['for all', 'for ann']);
    expect(titles(await list(ann, '?user_id=ann'))).toEqual(['for all', 'for ann']);
    const refused = await ann.get('/v1/notifications?user_id=bob').expect(403);
    expect(refused.body).toEqual({ error: expect.stringContaining('user_id') });
    await ann.put('/v1/notifications/x/read?user_id=bob').expect(403);
    await ann.post('/v1/notifications/read-all?user_id=bob').expect(403);
    await ann.post('/v1/notifications/seen?user_id=bob').expect(403);
    await ann.delete('/v1/notifications/x?user_id=bob').expect(403);
    await ann.get('/v1/notifications/stream?user_id=bob').expect(403);
    await ann.post('/v1/notifications/stream-ticket?user_id=bob').expect(403);
  });

  test('a token with admin has its own, and may name another', async () => {
    const root = await asUser('root', 'admin');
    expect(titles(await list(root))).toEqual(['for all']);
    expect(titles(await list(root, '?user_id=bob'))).toEqual(['for all', 'for bob']);
  });

  test('a key reads the inbox of the named user; without one, only items for everybody', async () => {
    const key = await asKey();
    expect(titles(await list(key, '?user_id=ann'))).toEqual(['for all', 'for ann']);
    expect(await list(key)).toMatchObject({
      items: [{ title: 'for all' }],
      unread_count: 1,
      unseen_count: 1,
    });
  });

  test('nobody reads items of another organisation', async () => {
    const id = (await list(await asUser('ann'))).items[1]!.id;
    organization = `${organization}-other`;
    const stranger = await asUser('ann');
    expect(titles(await list(stranger))).toEqual([]);
    await stranger.put(`/v1/notifications/${id}/read`).expect(404);
    await stranger.delete(`/v1/notifications/${id}`).expect(404);
  });

  test('scopes: read lists, write changes, delete deletes; no scope is refused', async () => {
    const id = (await list(await asUser('ann'))).items[1]!.id;
    const reader = await asUser('ann', 'read');
    await reader.put(`/v1/notifications/${id}/read`).expect(403);
    await reader.post('/v1/notifications/read-all').expect(403);
    await reader.post('/v1/notifications/seen').expect(403);
    await reader.delete(`/v1/notifications/${id}`).expect(403);
    await (await asUser('ann', 'write delete')).get('/v1/notifications').expect(403);
    await service.as('nt_test_x').get('/v1/notifications').expect(401);
  });
});

describe('the list', () => {
  test('shows the record', async () => {
    const expiresAt = new Date(Date.now() + 60_000);
    await write({ title: 'T', body: 'B', url: 'https://acme.example/x', data: { n: [1, null] }, expiresAt });
    const page = await list(await asUser('ann'));
    expect(page).toEqual({
      items: [
        {
          id: expect.stringMatching(/^iap_/),
          notification_id: expect.stringMatching(/^ntf_/),
          organization_id: organization,
          user_id: 'ann',
          title: 'T',
          body: 'B',
          url: 'https://acme.example/x',
          data: { n: [1, null] },
          actions: [],
          category: null,
          icon: null,
          archived_at: null,
          snoozed_until: null,
          status: 'unread',
          seen_at: null,
          read_at: null,
          created_at: expect.any(Number),
          expires_at: expiresAt.getTime() / 1000,
        },
      ],
      next_cursor: null,
      unread_count: 1,
      unseen_count: 1,
    });
  });

  test('pages without repeating or losing an item while others arrive', async () => {
    for (let n = 0; n < 7; n += 1) await write({ title: `old ${n}`, userId: n % 2 === 0 ? 'ann' : null });
    const ann = await asUser('ann');
    const seen: string[] = [];
    let cursor = '';
    for (let pages = 0; pages < 10; pages += 1) {
      const page = await list(ann, `?limit=2${cursor}`);
      seen.push(...titles(page));
      await write({ title: 'new' });
      if (page.next_cursor === null) break;
      cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
    }
    expect(seen).toEqual([6, 5, 4, 3, 2, 1, 0].map((n) => `old ${n}`));
    await ann.get('/v1/notifications?cursor=nonsense').expect(400);
    await ann.get('/v1/notifications?limit=101').expect(400);
    await ann.get('/v1/notifications?status=archived').expect(400);
    await ann.get('/v1/notifications?unknown=1').expect(400);
  });

  test('items of the same millisecond have an order', async () => {
    const nowMs = Date.now();
    for (let n = 0; n < 5; n += 1) await write({ title: `${n}`, userId: n === 2 ? null : 'ann' }, nowMs);
    const ann = await asUser('ann');
    const first = await list(ann, '?limit=3');
    const rest = await list(ann, `?limit=3&cursor=${encodeURIComponent(first.next_cursor!)}`);
    expect([...titles(first), ...titles(rest)].sort()).toEqual(['0', '1', '2', '3', '4']);
  });

  test('filters by status and by time', async () => {
    const t0 = Math.floor(Date.now() / 1000) * 1000 - 100_000;
    const old = await write({ title: 'old' }, t0);
    const shared = await write({ title: 'shared', userId: null }, t0 + 10_000);
    await write({ title: 'new' }, t0 + 20_000);
    const ann = await asUser('ann');
    await ann.put(`/v1/notifications/${old}/read`).expect(200);
    await ann.put(`/v1/notifications/${shared}/read`).expect(200);
    expect(titles(await list(ann, '?status=unread'))).toEqual(['new']);
    expect(titles(await list(ann, '?status=read'))).toEqual(['shared', 'old']);
    expect(titles(await list(ann, '?status=all'))).toEqual(['new', 'shared', 'old']);
    const at = (ms: number) => (t0 + ms) / 1000;
    expect(titles(await list(ann, `?created_after=${at(0)}`))).toEqual(['new', 'shared']);
    expect(titles(await list(ann, `?created_before=${at(20_000)}&created_after=${at(1)}`))).toEqual([
      'shared',
    ]);
    await ann.get('/v1/notifications?created_after=yesterday').expect(400);
    await ann.get('/v1/notifications?created_before=').expect(400);
    // The counts cover the whole inbox for any filter.
    expect(await list(ann, '?status=read&limit=1')).toMatchObject({ unread_count: 1, unseen_count: 1 });
  });
});

describe('reading', () => {
  test('an own item: the record, idempotently', async () => {
    const id = await write();
    const ann = await asUser('ann');
    const body = (await ann.put(`/v1/notifications/${id}/read`).expect(200)).body as unknown;
    expect(body).toMatchObject({
      id,
      status: 'read',
      read_at: expect.any(Number),
      seen_at: expect.any(Number),
    });
    expect((await ann.put(`/v1/notifications/${id}/read`).expect(200)).body).toEqual(body);
    expect(await list(ann)).toMatchObject({ items: [body], unread_count: 0, unseen_count: 0 });
    await ann.put('/v1/notifications/iap_none/read').expect(404);
    await (await asUser('bob')).put(`/v1/notifications/${id}/read`).expect(404);
  });

  test('each user reads an item for everybody separately, in one row', async () => {
    const id = await write({ userId: null });
    const [ann, bob] = [await asUser('ann'), await asUser('bob')];
    expect((await ann.put(`/v1/notifications/${id}/read`).expect(200)).body).toMatchObject({
      status: 'read',
      user_id: null,
    });
    expect(await list(ann)).toMatchObject({ items: [{ status: 'read' }], unread_count: 0 });
    expect(await list(bob)).toMatchObject({ items: [{ status: 'unread' }], unread_count: 1 });
    expect(
      await service.deps.sql('SELECT 1 AS one FROM in_app_items WHERE organization_id = $1', [organization]),
    ).toHaveLength(1);
  });

  test('with a key, an item for everybody needs user_id; an own item does not', async () => {
    const [shared, own] = [await write({ userId: null }), await write()];
    const key = await asKey();
    const refused = await key.put(`/v1/notifications/${shared}/read`).expect(400);
    expect(refused.body).toEqual({ error: expect.stringMatching(/^\/query\/user_id: is required/) });
    await key.delete(`/v1/notifications/${shared}`).expect(400);
    await key.post('/v1/notifications/read-all').expect(400);
    await key.post('/v1/notifications/seen').expect(400);
    await key.put(`/v1/notifications/${shared}/read?user_id=ann`).expect(200);
    await key.put(`/v1/notifications/${own}/read?user_id=bob`).expect(404);
    await key.put(`/v1/notifications/${own}/read`).expect(200);
    expect(await list(await asUser('ann'))).toMatchObject({ unread_count: 0 });
    expect(await list(await asUser('bob'))).toMatchObject({ unread_count: 1 });
  });

  test('all at once, for one user', async () => {
    for (const userId of ['ann', 'ann', null, null, 'bob']) await write({ userId });
    const ann = await asUser('ann');
    const { items } = await list(ann);
    const before = (await ann.put(`/v1/notifications/${items[0]!.id}/read`).expect(200)).body as unknown;
    await ann.delete(`/v1/notifications/${items[1]!.id}`).expect(204);
    const body = (await ann.post('/v1/notifications/read-all').expect(200)).body as unknown;
    expect(body).toEqual({ updated: 2, unread_count: 0, unseen_count: 0 });
    expect((await ann.post('/v1/notifications/read-all').expect(200)).body).toMatchObject({ updated: 0 });
    const page = await list(ann);
    expect(page.items).toHaveLength(3);
    expect(page.items.every(({ status, seen_at: seen }) => status === 'read' && seen !== null)).toBe(true);
    expect(page.items[0]).toEqual(before); // read items stay as they were
    expect(await list(await asUser('bob'))).toMatchObject({ unread_count: 3, unseen_count: 3 });
    await ann.post('/v1/notifications/read-all', { all: true }).expect(400);
  });

  test('counts stay right under concurrent writes', async () => {
    const [ann, bob] = [await asUser('ann'), await asUser('bob')];
    const ids = await Promise.all(
      Array.from({ length: 20 }, (_, n) => write({ userId: n % 2 === 0 ? null : 'ann' })),
    );
    await Promise.all([
      ...ids.flatMap((id) => [
        ann.put(`/v1/notifications/${id}/read`).expect(200),
        ann.put(`/v1/notifications/${id}/read`).expect(200),
      ]),
      ann.post('/v1/notifications/read-all').expect(200),
      ann.post('/v1/notifications/read-all').expect(200),
      ann.post('/v1/notifications/seen').expect(200),
      ...Array.from({ length: 10 }, () => write({ userId: 'bob' })),
    ]);
    expect(await list(ann)).toMatchObject({ unread_count: 0, unseen_count: 0 });
    expect(await list(bob)).toMatchObject({ unread_count: 20, unseen_count: 20 });
    // One event for each item that became read, for any number of requests.
    const repeated = await service.deps.sql<{ n: number }>(
      `SELECT count(*) AS n FROM in_app_changes WHERE organization_id = $1 AND kind = 'read' AND item_id IS NOT NULL
       GROUP BY item_id HAVING count(*) > 1`,
      [organization],
    );
    expect(repeated).toEqual([]);
  });
});

describe('seeing', () => {
  test('some, then all, without marking as read', async () => {
    const [own, shared] = [await write(), await write({ userId: null })];
    await write();
    const foreign = await write({ userId: 'bob' });
    const ann = await asUser('ann');
    const body = (
      await ann.post('/v1/notifications/seen', { ids: [own, shared, foreign, 'iap_x'] }).expect(200)
    ).body as unknown;
    expect(body).toEqual({ updated: 2, unread_count: 3, unseen_count: 1 });
    expect((await ann.post('/v1/notifications/seen', {}).expect(200)).body).toMatchObject({
      updated: 1,
      unseen_count: 0,
    });
    expect(await list(ann)).toMatchObject({ unread_count: 3, items: Array(3).fill({ status: 'unread' }) });
    expect(await list(await asUser('bob'))).toMatchObject({ unseen_count: 2 });
    await ann.post('/v1/notifications/seen', { ids: [] }).expect(400);
    await ann.post('/v1/notifications/seen', { ids: Array(101).fill('x') }).expect(400);
  });
});

describe('deleting', () => {
  test('an own item disappears', async () => {
    const id = await write();
    const ann = await asUser('ann');
    await ann.delete(`/v1/notifications/${id}`).expect(204);
    await ann.delete(`/v1/notifications/${id}`).expect(404);
    await ann.put(`/v1/notifications/${id}/read`).expect(404);
    expect(await list(ann)).toMatchObject({ items: [], unread_count: 0 });
  });

  test('an item for everybody disappears for the user who deleted it', async () => {
    const id = await write({ userId: null });
    const [ann, bob] = [await asUser('ann'), await asUser('bob')];
    await ann.put(`/v1/notifications/${id}/read`).expect(200);
    await ann.delete(`/v1/notifications/${id}`).expect(204);
    await ann.delete(`/v1/notifications/${id}`).expect(404);
    expect(await list(ann)).toMatchObject({ items: [], unread_count: 0 });
    expect(await list(bob)).toMatchObject({ items: [{ id }], unread_count: 1 });
  });
});

test('an item that housekeeping deletes during a change causes no error', async () => {
  const { sql } = service.deps;
  const caller = {
    organizationId: organization,
    kind: 'api_key',
    principal: 'key',
    scopes: new Set(['admin']),
  } as Caller;
  const meanwhile = (id: string) => ({
    ...service.deps,
    // Between the read of the item and its receipt.
    sql: async <Row>(text: string, values?: readonly unknown[]): Promise<Row[]> => {
      if (text.includes('INTO in_app_receipts')) await sql('DELETE FROM in_app_items WHERE id = $1', [id]);
      return sql<Row>(text, values);
    },
  });
  const [read, deleted] = [await write({ userId: null }), await write({ userId: null })];
  await expect(changeItem(meanwhile(read), caller, read, 'ann', 'read')).rejects.toMatchObject({
    code: 'not_found',
  });
  await deleteItem(meanwhile(deleted), caller, deleted, 'ann');
  expect(await countRows('in_app_items')).toBe(0);
});

test('an expired item disappears everywhere and is deleted with its receipts', async () => {
  const soon = new Date(Date.now() + 3_600_000);
  const [own, shared] = [await write({ expiresAt: soon }), await write({ userId: null, expiresAt: soon })];
  const ann = await asUser('ann');
  await ann.post('/v1/notifications/seen').expect(200);
  expect(await list(ann)).toMatchObject({ unread_count: 2 });
  // an hour passes
  await service.deps.sql("UPDATE in_app_items SET expires_at = now() - interval '1 second'");
  expect(await list(ann)).toMatchObject({ items: [], unread_count: 0, unseen_count: 0 });
  await ann.put(`/v1/notifications/${own}/read`).expect(404);
  await ann.delete(`/v1/notifications/${shared}`).expect(404);
  expect((await ann.post('/v1/notifications/read-all').expect(200)).body).toMatchObject({ updated: 0 });
  await cleanInbox(service.deps, 365);
  expect(await countRows('in_app_items')).toBe(0);
  expect(await countRows('in_app_receipts')).toBe(0);
});

test('deletes items past their retention, and nothing else', async () => {
  const dayMs = 24 * 60 * 60_000;
  const clock = () => Date.now() - 31 * dayMs;
  await write({ notificationId: createIds(clock)('ntf') }, clock());
  await write({ title: 'kept' });
  await service.deps.sql(
    `INSERT INTO in_app_changes (organization_id, user_id, kind, created_at, written_by)
     VALUES ($1, 'ann', 'seen', now() - interval '25 hours', 1), ($1, 'ann', 'seen', now(), 1)`,
    [organization],
  );
  const ann = await asUser('ann');
  await ann.post('/v1/notifications/stream-ticket').expect(201);
  await cleanInbox(service.deps, 30);
  expect(titles(await list(ann))).toEqual(['kept']);
  expect(await countRows('in_app_changes')).toBe(1);
  expect(await countRows('stream_tickets')).toBe(1);
  await cleanInbox({ ...service.deps, clock: () => Date.now() + 61_000 }, 30);
  expect(await countRows('stream_tickets')).toBe(0);
});

test('writing the same notification again changes nothing', async () => {
  const notificationId = service.deps.ids('ntf');
  await write({ notificationId, title: 'first' });
  expect(await write({ notificationId, title: 'second' })).toBe(toItemId(notificationId));
  expect(titles(await list(await asUser('ann')))).toEqual(['first']);
});

test('a notification over in_app arrives in the inbox', async () => {
  const key = await asKey();
  const body = (
    await key
      .post('/v1/notify', {
        channels: ['in_app'],
        message: 'Hello',
        subject: 'Hi',
        target: { in_app: { user_id: 'ann' } },
      })
      .expect(202)
  ).body as unknown;
  const { notification_id: id } = body as { notification_id: string };
  const page = await list(await asUser('ann'));
  expect(page.items).toMatchObject([{ notification_id: id, title: 'Hi', body: 'Hello', user_id: 'ann' }]);
});

async function countRows(table: string): Promise<number> {
  const [row] = await service.deps.sql<{ n: number }>(
    `SELECT count(*) AS n FROM ${table} WHERE organization_id = $1`,
    [organization],
  );
  return row!.n;
}
