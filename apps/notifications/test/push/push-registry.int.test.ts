// The web push endpoints: the flag, the key, the registry, access.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import supertest from 'supertest';
import { identityToken, unboundedParts } from '@parley/testing-services';
import { readConfig, createSecretParser, Secret } from '@parley/server/runtime';
import { config } from '../../src/config.ts';
import { parseVapidKeys } from '../../src/push-engine/vapid-keys.ts';
import { startPush, type PushUnderTest } from './push.ts';
import { startNotifications, type NotificationsUnderTest } from '../service.ts';

describe('with the flag on', () => {
  let push: PushUnderTest;
  beforeAll(async () => {
    push = await startPush({ worker: false });
  });
  afterAll(() => push.stop());

  const post = (body: object) => push.api.post('/v1/push/registrations', body);
  const list = async (query = '') => {
    const body = (await push.api.get(`/v1/push/registrations${query}`).expect(200)).body as unknown;
    return body as { items: { sub_id: string; user_id: string | null }[]; next_cursor: string | null };
  };

  test('returns the public key of the current VAPID key', async () => {
    const body = (await push.api.get('/v1/push/vapid-public-key').expect(200)).body as unknown;
    expect(body).toEqual({ public_key: expect.any(String), key_id: 'new' });
    const point = Buffer.from((body as { public_key: string }).public_key, 'base64url');
    expect([point.length, point[0]]).toEqual([65, 4]);
  });

  test('the version of the interface shows web push', async () => {
    expect((await push.api.get('/health').expect(200)).body).toMatchObject({ version: '1.2.0' });
    const description = (await push.api.get('/openapi.json').expect(200)).body as unknown;
    expect(description).toMatchObject({ info: { version: '1.2.0' } });
  });

  test('registering: 201 with the public members, 200 for a known one, the same row', async () => {
    const subscription = push.outside.subscribe();
    const first = await post({ subscription, user_id: 'u-first', site_id: 'brand' }).expect(201);
    expect(first.body).toEqual({
      sub_id: expect.stringMatching(/^sub_/),
      user_id: 'u-first',
      site_id: 'brand',
      platform: 'web',
      endpoint_host: '127.0.0.1',
      created_at: expect.any(Number),
      updated_at: expect.any(Number),
    });
    const again = await post({ subscription, user_id: 'u-first' }).expect(200);
    expect(again.body).toMatchObject({ sub_id: (first.body as { sub_id: string }).sub_id, site_id: null });
  });

  test('another user takes the endpoint over', async () => {
    const subscription = push.outside.subscribe();
    const mine = await post({ subscription, user_id: 'u-mine' }).expect(201);
    const theirs = await post({ subscription, user_id: 'u-theirs' }).expect(200);
    expect(theirs.body).toMatchObject({
      sub_id: (mine.body as { sub_id: string }).sub_id,
      user_id: 'u-theirs',
    });
    expect((await list('?user_id=u-mine')).items).toEqual([]);
  });

  test('the same endpoint in two organisations is two registrations', async () => {
    const subscription = push.outside.subscribe();
    await post({ subscription, user_id: 'u-shared' }).expect(201);
    const other = push.as(await push.issueKey('globex'));
    const body = (await other.post('/v1/push/registrations', { subscription }).expect(201)).body as unknown;
    expect((await other.get('/v1/push/registrations').expect(200)).body).toMatchObject({ items: [body] });
    await push.api.delete(`/v1/push/registrations/${(body as { sub_id: string }).sub_id}`).expect(404);
  });

  test('every request member has a limit', async () => {
    expect(await unboundedParts(push)).toEqual([]);
  });

  test('allows as many registrations as the plan; a known one can still be updated', async () => {
    const full = push.as(await push.issueKey('full'));
    await push.deps.sql(
      `INSERT INTO push_subscriptions
         (id, organization_id, endpoint_hash, endpoint_host, sealed, platform, key_id, created_at, updated_at)
       SELECT 'filler-' || n, 'full', sha256(n::text::bytea), 'x', 'x', 'web', 'new', now(), now() FROM generate_series(1, 99999) AS n`,
    );
    const subscription = push.outside.subscribe();
    await full.post('/v1/push/registrations', { subscription }).expect(201);
    const one = { subscription: push.outside.subscribe() };
    const refused = await full.post('/v1/push/registrations', one).expect(422);
    expect((refused.body as { error: string }).error).toMatch(
      /push_registrations: the organisation has 100000/,
    );
    await full.post('/v1/push/registrations', { subscription, user_id: 'ann' }).expect(200);
    await post({ subscription }).expect(201); // of another organisation
  });

  test('at most fifty devices per user: the oldest is dropped', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 52; index += 1) ids.push((await push.register({ user_id: 'u-many' })).subId);
    const first = await list('?user_id=u-many&limit=30');
    const second = await list(`?user_id=u-many&limit=30&cursor=${first.next_cursor}`);
    expect([...first.items, ...second.items].map(({ sub_id }) => sub_id)).toEqual(ids.slice(2).reverse());
    expect(second.next_cursor).toBeNull();
  });

  test('lists by organisation, user and site; never keys or the endpoint', async () => {
    const { endpoint, keys, subId } = await push.register({ user_id: 'u-list', site_id: 'shop' });
    const reply = await push.api.get('/v1/push/registrations?user_id=u-list&site_id=shop').expect(200);
    expect(reply.body).toMatchObject({ items: [{ sub_id: subId }] });
    expect((await list('?user_id=u-list&site_id=other')).items).toEqual([]);
    expect((await list()).items.length).toBeGreaterThan(1);
    for (const secret of [endpoint, keys.auth, keys.p256dh, push.outside.getDevice({ endpoint })])
      expect(reply.text).not.toContain(secret);
  });

  test('removing', async () => {
    const { subId } = await push.register();
    await push.api.delete(`/v1/push/registrations/${subId}`).expect(204);
    await push.api.delete(`/v1/push/registrations/${subId}`).expect(404);
  });

  test('an Idempotency-Key returns the same answer again', async () => {
    const body = { subscription: push.outside.subscribe() };
    const send = () => post(body).set('idempotency-key', 'register-once');
    const [first, second] = [await send().expect(201), await send().expect(201)];
    expect(second.body).toEqual(first.body);
    expect(second.headers['idempotent-replayed']).toBe('true');
  });

  test('an Idempotency-Key belongs to one user: another one gets their own registration', async () => {
    const body = { subscription: push.outside.subscribe() };
    const asPerson = async (sub: string) => {
      const claims = { organization_id: 'acme', sub, scope: 'read write delete' };
      const reply = await push
        .as(await identityToken(claims))
        .post('/v1/push/registrations', body)
        .set('idempotency-key', 'shared');
      return [reply.headers['idempotent-replayed'], (reply.body as { user_id: string }).user_id];
    };
    expect(await asPerson('alice')).toEqual([undefined, 'alice']);
    expect(await asPerson('alice')).toEqual(['true', 'alice']);
    expect(await asPerson('bob')).toEqual([undefined, 'bob']);
  });

  test('reports every problem with its path', async () => {
    const good = push.outside.subscribe();
    const wrong = async (subscription: object, more: object = {}) => {
      const body = (await post({ subscription: { ...good, ...subscription }, ...more }).expect(400))
        .body as unknown;
      return (body as { error: string }).error;
    };
    const keys = (given: object) => ({ keys: { ...good.keys, ...given } });
    const offCurve = Buffer.from(good.keys.p256dh, 'base64url');
    offCurve[64]! ^= 1;
    expect(await wrong(keys({ p256dh: offCurve.toString('base64url') }))).toContain(
      '/subscription/keys/p256dh',
    );
    expect(await wrong(keys({ auth: randomBytes(15).toString('base64url') }))).toContain(
      '/subscription/keys/auth',
    );
    for (const endpoint of [
      'http://push.example.com/x',
      'https://10.0.0.1/x',
      'https://user@push.example.com/x',
      'https://localhost.internal/x',
      'https://169.254.169.254/latest',
      `https://push.example.com/${'x'.repeat(2048)}`,
      'not a url',
    ])
      expect(await wrong({ endpoint })).toContain('/subscription/endpoint');
    expect(await wrong({ endpoint: 'https://10.0.0.1/', ...keys({ auth: 'AA' }) })).toMatch(
      /endpoint.*auth/s,
    );
    expect(await wrong({}, { platform: 'fcm' })).toContain('reserved');
    expect(await wrong({}, { platform: 'apns' })).toContain('reserved');
    expect(await wrong({}, { platform: 'pager' })).toContain('/platform');
    expect(await wrong({}, { key_id: 'unheard-of' })).toContain('/key_id');
    expect(await wrong({ extra: 1 })).toContain('/subscription');
  });

  test('credentials and scopes', async () => {
    await supertest(push.server.url).get('/v1/push/registrations').expect(401);
    const reader = push.as(await push.issueKey('acme', ['read']));
    await reader.get('/v1/push/registrations').expect(200);
    await reader.post('/v1/push/registrations', { subscription: push.outside.subscribe() }).expect(403);
    await reader.delete('/v1/push/registrations/sub_x').expect(403);
    await push.api.post('/v1/push/vapid-public-key', {}).expect(405);
    await push.api.get('/product/v1/push/vapid-public-key').expect(404);
  });

  test('an end user changes only its own devices', async () => {
    const user = push.as(
      await identityToken({ organization_id: 'acme', sub: 'u-end', scope: 'read write delete' }),
    );
    const mine = await user
      .post('/v1/push/registrations', { subscription: push.outside.subscribe() })
      .expect(201);
    expect(mine.body).toMatchObject({ user_id: 'u-end' });
    const other = await push.register({ user_id: 'u-else' });
    const register = { subscription: push.outside.subscribe(), user_id: 'u-else' };
    await user.post('/v1/push/registrations', register).expect(403);
    await user.get('/v1/push/registrations?user_id=u-else').expect(403);
    await user.get('/v1/push/history?user_id=u-else').expect(403);
    expect((await user.get('/v1/push/registrations').expect(200)).body).toMatchObject({ items: [mine.body] });
    await user.delete(`/v1/push/registrations/${other.subId}`).expect(404);
    await user.delete(`/v1/push/registrations/${(mine.body as { sub_id: string }).sub_id}`).expect(204);
  });

  test('twenty concurrent registrations of one endpoint are one', async () => {
    const subscription = push.outside.subscribe();
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => post({ subscription, user_id: `u-race-${index}` })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([...Array<number>(19).fill(200), 201]);
    expect(new Set(replies.map(({ body }) => (body as { sub_id: string }).sub_id)).size).toBe(1);
  });
});

describe('with the flag off', () => {
  let service: NotificationsUnderTest;
  beforeAll(async () => {
    service = await startNotifications();
  });
  afterAll(() => service.stop());

  test.each([
    ['get', '/v1/push/vapid-public-key'],
    ['get', '/v1/push/registrations'],
    ['post', '/v1/push/registrations'],
    ['delete', '/v1/push/registrations/sub_1'],
    ['get', '/v1/push/history'],
  ] as const)('%s %s is an unknown path', async (method, path) => {
    for (const credential of [service.key, 'none']) {
      const client = service.as(credential);
      const unknown = '/v1/pusher/of/pens';
      const [here, nowhere] = [await client[method](path), await client[method](unknown)];
      expect(here.status).toBe(404);
      expect({ status: here.status, body: here.text.replaceAll(path, '·'), type: here.type }).toEqual({
        status: nowhere.status,
        body: nowhere.text.replaceAll(unknown, '·'),
        type: nowhere.type,
      });
    }
  });

  test('web_push is an unknown channel', async () => {
    const ask = async (channel: string) => {
      const { status, text } = await service.api.post('/v1/notify', {
        channels: [channel],
        message: 'x',
        target: { [channel]: { broadcast: true } },
      });
      return { status, text: text.replaceAll(channel, '·') };
    };
    expect(await ask('web_push')).toEqual(await ask('carrier_pigeon'));
    expect((await ask('web_push')).status).toBe(400);
  });

  test('openapi.json does not mention it', async () => {
    const { text } = await supertest(service.server.url).get('/openapi.json').expect(200);
    expect(text.match(/.{0,40}(web.?push|vapid|\/push).{0,40}/gi)).toBeNull();
  });
});

describe('the configuration', () => {
  const base = {
    DATABASE_URL: 'postgres://x',
    QUEUE_URL: 'redis://x',
    DATA_KEY: 'env://K',
    QUEUE_KEY: 'env://K',
    MESSAGE_KEYS: 'env://K',
  };
  const problems = (more: Record<string, string>) => {
    const read = readConfig(config, { ...base, ...more });
    return read.ok ? [] : read.problems;
  };
  const on = { NOTIFICATIONS_WEB_PUSH_ENABLED: 'true' };

  test('the flag requires keys and subject; without it nothing is required', () => {
    expect(problems({})).toEqual([]);
    expect(problems(on).join()).toMatch(/VAPID_KEYS.*VAPID_SUBJECT/s);
    expect(problems({ ...on, VAPID_KEYS: 'env://V', VAPID_SUBJECT: 'mailto:ops@example.com' })).toEqual([]);
    expect(problems({ ...on, VAPID_KEYS: 'AAAA', VAPID_SUBJECT: 'mailto:ops@example.com' }).join()).toContain(
      'VAPID_KEYS',
    );
  });

  test.each([
    'ops@example.com',
    'mailto:ops',
    'mailto: ops@example.com',
    'mailto:<ops@example.com>',
    'http://example.com',
    'https://localhost/x',
    'mailto:ops@localhost',
    'mailto:ops@acme.local',
    'mailto:ops@acme.invalid',
    'https://acme.local/contact',
    'tel:+1',
  ])('a subject of %j is refused', (subject) => {
    expect(problems({ ...on, VAPID_KEYS: 'env://V', VAPID_SUBJECT: subject }).join()).toContain(
      'VAPID_SUBJECT',
    );
  });

  test('unreadable keys are reported by their position, without their value', async () => {
    const keys = createSecretParser(
      { resolve: async () => new Secret('k1:canarycanary') },
      'env://TEST_V',
      parseVapidKeys,
    );
    const failed = await keys().catch(String);
    expect(failed).toContain('entry 1 of the VAPID keys');
    expect(failed).not.toContain('canary');
  });
});
