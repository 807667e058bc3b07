// Web push from the request to the device: payload, outcomes, retries, pruning, history, and the
// delivery's status in the API.
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '@parley/testing';
import { parseVapidKeys } from '../../src/push-engine/vapid-keys.ts';
import { deleteOldPush } from '../../src/channels/web-push/push-worker.ts';
import { startPush, type PushUnderTest } from './push.ts';

let push: PushUnderTest;
beforeAll(async () => {
  push = await startPush({ env: { DELIVERY_TIMEOUT_MS: '1500' } });
});
afterAll(() => push.stop());
afterEach(() => {
  expect(push.outside.problems).toEqual([]);
  push.outside.always(undefined);
});

interface Channel {
  status: string;
  counts?: { targeted: number; sent: number; gone: number; failed: number };
  last_error_class: string | null;
}

let users = 0;
const newUser = () => `user-${(users += 1)}`;

async function send(target: object, more: object = {}): Promise<string> {
  const body = {
    channels: ['web_push'],
    message: 'The kettle boils.',
    target: { web_push: target },
    ...more,
  };
  const reply = await push.api.post('/v1/notify', body).expect(202);
  return (reply.body as { notification_id: string }).notification_id;
}

async function ended(id: string): Promise<Channel> {
  const read = async () => {
    const body = (await push.api.get(`/v1/notify/${id}`).expect(200)).body as unknown;
    return (body as { channels: [Channel] }).channels[0];
  };
  await eventually(async () => !['queued', 'sending'].includes((await read()).status));
  return read();
}

async function history(user: string) {
  const body = (await push.api.get(`/v1/push/history?user_id=${user}`).expect(200)).body as unknown;
  return (body as { items: Record<string, unknown>[] }).items;
}

const received = (device: { endpoint: string }) =>
  push.outside.pushes.filter((one) => one.device === push.outside.getDevice(device));

const stored = async (user: string) => {
  const body = (await push.api.get(`/v1/push/registrations?user_id=${user}`).expect(200)).body as unknown;
  return (body as { items: unknown[] }).items.length;
};

describe('to a user', () => {
  test('every device gets the payload; the history has one row', async () => {
    const user = newUser();
    const devices = [await push.register({ user_id: user }), await push.register({ user_id: user })];
    await push.register({ user_id: newUser() });
    const id = await send(
      { user_id: user, site_id: 'shop', url: '/orders/7', data: { order: 7 }, ttl: 600, urgency: 'high' },
      { subject: 'Tea' },
    );
    expect(await ended(id)).toMatchObject({
      status: 'sent',
      counts: { targeted: 2, sent: 2, gone: 0, failed: 0 },
      last_error_class: null,
    });
    for (const device of devices) {
      const [message] = received(device);
      expect(JSON.parse(message!.text)).toEqual({
        title: 'Tea',
        body: 'The kettle boils.',
        url: '/orders/7',
        data: { order: 7 },
        site_id: 'shop',
        notification_id: id,
        tag: id,
        web_push: 8030,
        notification: { title: 'Tea', body: 'The kettle boils.', navigate: '/orders/7', tag: id },
        mutable: true,
      });
      expect(message).toMatchObject({ urgency: 'high', topic: expect.stringMatching(/^[\w-]{32}$/) });
      expect(message!.ttl).toBeGreaterThan(590);
      expect(message!.ttl).toBeLessThanOrEqual(600);
    }
    expect(received(devices[0]!)[0]!.topic).not.toBe(received(devices[1]!)[0]!.topic);
    expect(await history(user)).toEqual([
      {
        notification_id: id,
        user_id: user,
        title: 'Tea',
        body: 'The kettle boils.',
        url: '/orders/7',
        data: { order: 7 },
        site_id: 'shop',
        status: 'delivered',
        delivered_count: 2,
        created_at: expect.any(Number),
      },
    ]);
  });

  test('without a url the payload is only the classic one, for four weeks', async () => {
    const user = newUser();
    const device = await push.register({ user_id: user });
    const id = await send({ user_id: user });
    await ended(id);
    const [message] = received(device);
    expect(JSON.parse(message!.text)).toEqual({
      title: 'The kettle boils.',
      body: 'The kettle boils.',
      notification_id: id,
      tag: id,
    });
    expect(message!.ttl).toBeGreaterThan(28 * 86_400 - 10);
    expect(message!.urgency).toBe('normal');
  });

  test('a user without devices: no_devices, also in the history', async () => {
    const user = newUser();
    expect(await ended(await send({ user_id: user }))).toMatchObject({ status: 'no_devices' });
    expect(await history(user)).toMatchObject([{ status: 'no_devices', delivered_count: 0 }]);
  });

  test.each([404, 410])('%i removes the subscription, other statuses do not', async (status) => {
    const user = newUser();
    const [gone, stays] = [await push.register({ user_id: user }), await push.register({ user_id: user })];
    push.outside.always(status, gone);
    expect(await ended(await send({ user_id: user }))).toMatchObject({
      status: 'sent',
      counts: { targeted: 2, sent: 1, gone: 1, failed: 0 },
    });
    expect(await stored(user)).toBe(1);
    await ended(await send({ user_id: user }));
    expect([received(gone).length, received(stays).length]).toEqual([1, 2]);
    // Soft delete: the row stays for thirty days, and returns when the browser registers again.
    const rows = () => push.deps.sql('SELECT 1 FROM push_subscriptions WHERE id = $1', [gone.subId]);
    const day = 86_400_000;
    await deleteOldPush(push.deps.sql, push.deps.clock() + 29 * day, 90);
    expect(await rows()).toHaveLength(1);
    const { endpoint, keys } = gone;
    const again = await push.api.post('/v1/push/registrations', {
      subscription: { endpoint, keys },
      user_id: user,
    });
    expect([again.status, await stored(user)]).toEqual([201, 2]);
    push.outside.always(undefined, gone);
  });

  test('gone subscriptions are deleted after thirty days', async () => {
    const user = newUser();
    const device = await push.register({ user_id: user });
    push.outside.always(410, device);
    expect(await ended(await send({ user_id: user }))).toMatchObject({ status: 'no_devices' });
    await deleteOldPush(push.deps.sql, push.deps.clock() + 31 * 86_400_000, 90);
    expect(await push.deps.sql('SELECT 1 FROM push_subscriptions WHERE id = $1', [device.subId])).toEqual([]);
    expect(await history(user)).toHaveLength(1);
  });

  test('a temporarily failing device is retried alone, with the same topic', async () => {
    const user = newUser();
    const [slow, fine] = [await push.register({ user_id: user }), await push.register({ user_id: user })];
    push.outside.always(500, slow);
    const id = await send({ user_id: user });
    await eventually(() => received(slow).length >= 2);
    push.outside.always(undefined, slow);
    expect(await ended(id)).toMatchObject({
      status: 'sent',
      counts: { targeted: 2, sent: 2, gone: 0, failed: 0 },
    });
    expect(received(fine)).toHaveLength(1);
    expect(new Set(received(slow).map(({ topic }) => topic)).size).toBe(1);
    expect(await history(user)).toMatchObject([{ status: 'delivered', delivered_count: 2 }]);
  });

  test.each([['hang'], ['reset'], ['cut'], [503], [429], [406]] as const)(
    '%s: retried, and no subscription is lost',
    async (answer) => {
      const user = newUser();
      const device = await push.register({ user_id: user });
      push.outside.script(answer);
      expect(await ended(await send({ user_id: user }))).toMatchObject({ status: 'sent' });
      expect(received(device).map(({ status }) => status)).toHaveLength(2);
      expect(await stored(user)).toBe(1);
    },
  );

  test('an outage of the push service removes no subscription, and ends as failed', async () => {
    const user = newUser();
    await push.register({ user_id: user });
    push.outside.always(500);
    expect(await ended(await send({ user_id: user }))).toMatchObject({
      status: 'failed',
      counts: { targeted: 1, sent: 0, gone: 0, failed: 1 },
    });
    push.outside.always(undefined);
    expect(await stored(user)).toBe(1);
    expect(await history(user)).toMatchObject([{ status: 'failed', delivered_count: 0 }]);
    expect(await ended(await send({ user_id: user }))).toMatchObject({ status: 'sent' });
  }, 30_000);

  test('413 fails at once; with another working device, partial', async () => {
    const user = newUser();
    const [bad] = [await push.register({ user_id: user }), await push.register({ user_id: user })];
    push.outside.always(413, bad);
    expect(await ended(await send({ user_id: user }))).toMatchObject({
      status: 'partial',
      counts: { targeted: 2, sent: 1, gone: 0, failed: 1 },
    });
    expect(received(bad)).toHaveLength(1);
    expect(await history(user)).toMatchObject([{ status: 'partial', delivered_count: 1 }]);
    push.outside.always(undefined, bad);
  });

  test('site_only filters; site_id alone does not', async () => {
    const user = newUser();
    const [shop, blog] = [
      await push.register({ user_id: user, site_id: 'shop' }),
      await push.register({ user_id: user, site_id: 'blog' }),
    ];
    await ended(await send({ user_id: user, site_id: 'shop' }));
    expect([received(shop).length, received(blog).length]).toEqual([1, 1]);
    await ended(await send({ user_id: user, site_id: 'shop', site_only: true }));
    expect([received(shop).length, received(blog).length]).toEqual([2, 1]);
  });
});

describe('keys', () => {
  test('signs with the key of the subscription; new ones get the current key', async () => {
    const keys = parseVapidKeys(`new:${push.vapid.new},old:${push.vapid.old}`);
    const [newKey, oldKey] = [keys.current.publicKey, keys.byId.get('old')!.publicKey];
    const user = newUser();
    const first = await push.register({ user_id: user }, { vapidKey: newKey });
    const second = await push.register({ user_id: user, key_id: 'old' }, { vapidKey: oldKey });
    expect(await ended(await send({ user_id: user }))).toMatchObject({ status: 'sent' });
    expect(received(first)[0]!.vapidKey).toBe(newKey);
    expect(received(second)[0]!.vapidKey).toBe(oldKey);
    expect(await push.deps.metrics.text()).toMatch(/push_subscriptions\{key_id="old",state="live"[^}]*\} 1/);
  });

  test('a mismatch is marked and the subscription kept; the next success clears the mark', async () => {
    const user = newUser();
    const device = await push.register({ user_id: user });
    push.outside.always({ status: 400, body: '{"reason":"VapidPkHashMismatch"}' }, device);
    expect(await ended(await send({ user_id: user }))).toMatchObject({ status: 'failed' });
    const mark = async () => {
      const sql = 'SELECT key_mismatch_at FROM push_subscriptions WHERE id = $1';
      return (await push.deps.sql<{ key_mismatch_at: Date | null }>(sql, [device.subId]))[0]!.key_mismatch_at;
    };
    expect(await mark()).toBeInstanceOf(Date);
    expect(await stored(user)).toBe(1);
    push.outside.always(undefined, device);
    expect(await ended(await send({ user_id: user }))).toMatchObject({ status: 'sent' });
    expect(await mark()).toBeNull();
  });

  test('a removed key costs its subscribers only the messages', async () => {
    const user = newUser();
    const device = await push.register({ user_id: user }, { vapidKey: 'of a key that nobody has any more' });
    await push.deps.sql(`UPDATE push_subscriptions SET key_id = 'lost' WHERE id = $1`, [device.subId]);
    expect(await ended(await send({ user_id: user }))).toMatchObject({ status: 'failed' });
    expect(await stored(user)).toBe(1);
  });

  test('a device that registers again without its key is detected, and its key stored', async () => {
    const { publicKey } = parseVapidKeys(`old:${push.vapid.old}`).current;
    const user = newUser();
    // stored under the new key
    const device = await push.register({ user_id: user }, { vapidKey: publicKey });
    expect(await ended(await send({ user_id: user }))).toMatchObject({ status: 'sent' });
    expect(received(device).at(-1)!.vapidKey).toBe(publicKey);
    expect(await ended(await send({ user_id: user }))).toMatchObject({ status: 'sent' });
    expect(received(device)).toHaveLength(3);
    const stored = 'SELECT key_id FROM push_subscriptions WHERE id = $1';
    expect(await push.deps.sql(stored, [device.subId])).toEqual([{ key_id: 'old' }]);
  });
});

describe('to a subscription in the request', () => {
  test('arrives, is not stored, and has no history', async () => {
    const subscription = push.outside.subscribe();
    const before = await push.deps.sql('SELECT 1 FROM push_history');
    const id = await send({ subscription, topic: 'tea', ttl: 0 });
    expect(await ended(id)).toMatchObject({ status: 'sent' });
    expect(received(subscription)).toMatchObject([
      { topic: expect.stringMatching(/^[0-9a-f]{32}$/), ttl: 0 },
    ]);
    expect(await push.deps.sql('SELECT 1 FROM push_history')).toHaveLength(before.length);
    const sealed = await push.deps.sql(
      'SELECT 1 FROM deliveries WHERE notification_id = $1 AND sealed IS NOT NULL',
      [id],
    );
    expect(sealed).toEqual([]);
  });

  test('gone is no_devices', async () => {
    const subscription = push.outside.subscribe();
    push.outside.always(410, subscription);
    expect(await ended(await send({ subscription }))).toMatchObject({
      status: 'no_devices',
      last_error_class: 'gone',
    });
  });
});

describe('refused when it is accepted', () => {
  const refused = async (target: object, more: object = {}) => {
    const body = { channels: ['web_push'], message: 'x', target: { web_push: target }, ...more };
    const reply = await push.api.post('/v1/notify', body).expect(400);
    return (reply.body as { error: string }).error;
  };

  test('not exactly one selector', async () => {
    const exactlyOne = /exactly one/;
    expect(await refused({})).toMatch(exactlyOne);
    expect(await refused({ broadcast: false })).toMatch(exactlyOne);
    expect(await refused({ user_id: 'u', broadcast: true })).toMatch(exactlyOne);
    expect(await refused({ broadcast: true, subscription: push.outside.subscribe() })).toMatch(exactlyOne);
    await send({ user_id: newUser(), broadcast: false });
  });

  test('a payload over the limit, with the figures', async () => {
    const message = 'ü'.repeat(1_900);
    const error = await refused({ user_id: 'u', data: { more: 'x'.repeat(400) } }, { message, subject: 's' });
    expect(error).toMatch(/\/target\/web_push: .*takes \d{4} bytes of at most 3993/);
    const room = await push.api
      .post('/v1/notify', {
        channels: ['web_push'],
        message: 'x',
        subject: 's',
        target: { web_push: { user_id: 'u' } },
        dry_run: true,
      })
      .expect(200);
    const left = (room.body as { preview: { web_push: { payload_bytes_left: number } } }).preview.web_push
      .payload_bytes_left;
    const user = newUser();
    const device = await push.register({ user_id: user });
    const longest = { subject: 's', message: 'x'.repeat(left + 1) };
    expect(await ended(await send({ user_id: user }, longest))).toMatchObject({ status: 'sent' });
    expect(Buffer.byteLength(received(device)[0]!.text)).toBe(3_993);
    expect(await refused({ user_id: user }, { ...longest, message: `${longest.message}x` })).toContain(
      '3994 bytes',
    );
  });

  test('invalid keys, endpoints, topics, times and members', async () => {
    const good = push.outside.subscribe();
    expect(await refused({ subscription: { ...good, endpoint: 'https://10.1.1.1/' } })).toContain(
      '/target/web_push/subscription/endpoint',
    );
    expect(await refused({ subscription: { ...good, keys: { ...good.keys, auth: 'AAAA' } } })).toContain(
      '/target/web_push/subscription/keys/auth',
    );
    for (const wrong of [
      { topic: 'a b' },
      { ttl: -1 },
      { ttl: 28 * 86_400 + 1 },
      { urgency: 'urgent' },
      { tag: 'x' },
    ])
      expect(await refused({ user_id: 'u', ...wrong })).toContain('web_push');
    expect(await refused({ user_id: 'u', key_id: 'new' })).toContain('key_id');
    expect(await refused({ user_id: 'u', site_only: true })).toContain('site_only');
  });
});

test('a dry run shows the payload, the number of devices and the reference of the keys', async () => {
  const user = newUser();
  await push.register({ user_id: user });
  const before = push.outside.pushes.length;
  const reply = await push.api
    .post('/v1/notify', {
      channels: ['web_push'],
      message: 'x',
      target: { web_push: { user_id: user, url: 'https://example.com/' } },
      dry_run: true,
    })
    .expect(200);
  const [body, text] = [reply.body as unknown, reply.text];
  expect(body).toMatchObject({
    preview: {
      web_push: {
        payload: { title: 'x', web_push: 8030 },
        payload_bytes: expect.any(Number),
        payload_bytes_left: expect.any(Number),
        devices: 1,
        secret_reference: 'env://TEST_VAPID',
      },
    },
  });
  expect(text).not.toContain(push.vapid.new);
  expect(push.outside.pushes).toHaveLength(before);
});

describe('the history', () => {
  test('pages, newest first; empty without a user; other organisations see nothing', async () => {
    const user = newUser();
    await push.register({ user_id: user });
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      ids.push(await send({ user_id: user }));
      await ended(ids.at(-1)!);
    }
    const page = async (query: string) => {
      const body = (await push.api.get(`/v1/push/history?user_id=${user}&${query}`).expect(200))
        .body as unknown;
      return body as { items: { notification_id: string }[]; next_cursor: string | null };
    };
    const first = await page('limit=2');
    const second = await page(`limit=2&cursor=${first.next_cursor}`);
    const third = await page(`limit=2&cursor=${second.next_cursor}`);
    const all = [first, second, third].flatMap(({ items }) => items.map((item) => item.notification_id));
    expect(all).toEqual(ids.reverse());
    expect(third.next_cursor).toBeNull();
    expect((await push.api.get('/v1/push/history').expect(200)).body).toEqual({
      items: [],
      next_cursor: null,
    });
    const other = push.as(await push.issueKey('globex'));
    expect((await other.get(`/v1/push/history?user_id=${user}`).expect(200)).body).toMatchObject({
      items: [],
    });
    await push.api.get('/v1/push/history?cursor=nonsense').expect(400);
  });

  test('is deleted with its notification', async () => {
    const user = newUser();
    await push.register({ user_id: user });
    await ended(await send({ user_id: user }));
    await deleteOldPush(push.deps.sql, push.deps.clock() + 91 * 86_400_000, 90);
    expect(await history(user)).toEqual([]);
  });
});
