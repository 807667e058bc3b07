// Sign-in by link or keys, sessions and sign-out.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { askForSessions, createTickets, requestLink } from '@parley/server/console-access';
import { buildRedisUsersFile } from '@parley/jobs';
import { parseKeyring, readConfig, systemClock } from '@parley/server/runtime';
import { eventually, tcpProxy, testRedisUrl } from '@parley/testing';
import { config } from '../src/config.ts';
import {
  cookieOf,
  json,
  REVOKED,
  signIn,
  startConsole,
  type ConsoleUnderTest,
} from './console-under-test.ts';

let app: ConsoleUnderTest;
beforeAll(async () => {
  app = await startConsole();
});
afterAll(() => app.stop());

const KEY = 'fb_test_secret';
const session = async (cookie = '') =>
  (await (await fetch(`${app.url}/session`, { headers: { cookie } })).json()) as Record<string, unknown>;

test('starts without a session', async () => {
  expect(await session()).toEqual({
    with: null,
    person: null,
    organization: null,
    organizations: [],
    scopes: {},
    services: [],
    services_here: [],
    queue_dashboards: {},
    expires_at: null,
    identity_provider: null,
  });
});

test('checks keys on their service, and keeps them out of the cookie', async () => {
  const response = await fetch(`${app.url}/session/keys`, json({ keys: { 'flow-builder': KEY } }));
  expect(response.status).toBe(204);
  expect(app.flowBuilder.requests.at(-1)).toMatchObject({
    path: '/v1/organization',
    headers: { authorization: `Bearer ${KEY}` },
  });
  const [cookie = ''] = response.headers.getSetCookie();
  expect(cookie).toMatch(/; Path=\/; .*HttpOnly; SameSite=Strict/);
  expect(cookie).not.toContain(KEY);
  expect(Buffer.from(cookie, 'base64url').toString()).not.toContain('secret');
  expect(await session(cookieOf(response))).toMatchObject({ with: 'keys', services: ['flow-builder'] });
  expect(app.log.text()).not.toContain(KEY);
});

test('shows queue dashboards only with a session', async () => {
  const queues = 'https://queues.example.com/flow-builder';
  const told = await startConsole({ QUEUE_DASHBOARD_URLS: `flow-builder=${queues}` });
  try {
    const cookie = await signIn(told);
    const answer = await fetch(`${told.url}/session`, { headers: { cookie } });
    expect(await answer.json()).toMatchObject({ queue_dashboards: { 'flow-builder': queues } });
    expect(await (await fetch(`${told.url}/session`)).json()).toMatchObject({ queue_dashboards: {} });
  } finally {
    await told.stop();
  }
});

test.each(['javascript:alert(1)', 'ftp://queues.example.com', 'https://operator:word@queues.example.com'])(
  'refuses %s as address of a queue dashboard',
  (address) => {
    const enough = {
      NODE_ENV: 'test',
      PUBLIC_URL: app.url,
      CONSOLE_KEY: 'env://KEY',
      SERVICE_URLS: `voice-api=${app.url}`,
    };
    const read = readConfig(config, { ...enough, QUEUE_DASHBOARD_URLS: `voice-api=${address}` });
    expect(read.ok ? [] : read.problems).toEqual([expect.stringContaining('QUEUE_DASHBOARD_URLS')]);
  },
);

test.each([
  ['a key that the service does not know', { 'flow-builder': REVOKED }, 401, 'key_refused'],
  ['a key that cannot be one', { 'flow-builder': 'two words' }, 401, 'key_refused'],
  ['a service that is not configured', { 'voice-api': 'va_test_1' }, 401, 'key_refused'],
  ['a service that does not answer', { notifications: 'nt_test_1' }, 502, 'service_unreachable'],
  ['no key', {}, 400, 'invalid_request'],
  ['another product', { telephone: 'x' }, 400, 'invalid_request'],
  ['more than a key', { 'flow-builder': 'x'.repeat(300) }, 400, 'invalid_request'],
])('%s is refused', async (_what, keys, status, code) => {
  const response = await fetch(`${app.url}/session/keys`, json({ keys }));
  expect([response.status, await response.json()]).toEqual([status, { error: expect.any(String), code }]);
  expect(response.headers.getSetCookie()).toEqual([]);
});

test.each([
  ['429, after 300 that were refused', { status: 429 }, 429, 'too_many'],
  ...[201, 204, 302, 400, 402, 404, 405, 410, 418, 425, 500, 502, 503, 504].map(
    (status) => [String(status), { status }, 502, 'service_unreachable'] as const,
  ),
  ['a page', { body: '<title>Welcome</title>' }, 502, 'service_unreachable'],
  ['JSON of something else', { body: { ok: true } }, 502, 'service_unreachable'],
  ['403 of a proxy', { status: 403, body: 'Forbidden' }, 401, 'key_refused'],
] as const)('%s is no yes, so nobody is signed in', async (_what, answer, status, code) => {
  app.flowBuilder.script(...[answer, answer].slice(status === 401 ? 0 : 1)); // a 403 is asked about once more
  const keys = { 'flow-builder': 'fb_nonsense' };
  const response = await fetch(`${app.url}/session/keys`, json({ keys }));
  expect([response.status, await response.json()]).toMatchObject([status, { code }]);
  expect(response.headers.get('retry-after')).toBe(status === 429 ? '60' : null);
  expect(response.headers.getSetCookie()).toEqual([]);
});

test('accepts a key without the read scope when it can see itself', async () => {
  app.flowBuilder.script(403, { body: { id: 'key_1' } });
  const response = await fetch(`${app.url}/session/keys`, json({ keys: { 'flow-builder': KEY } }));
  expect(response.status).toBe(204);
});

test('a link signs in once, and needs CONSOLE_KEY to create', async () => {
  const asking = { consoleUrl: app.url, keys: { 'flow-builder': KEY }, label: 'test' };
  const { url } = await requestLink({ ...asking, tickets: app.deps.tickets });
  const { pathname, hash, origin } = new URL(url);
  expect([origin, pathname]).toEqual([app.url, '/sign-in']);
  expect(url).not.toContain(KEY);

  const redeem = () => fetch(`${app.url}/session/link`, json({ code: hash.slice(1) }));
  const first = await redeem();
  expect(first.status).toBe(204);
  expect(await session(cookieOf(first))).toMatchObject({ with: 'keys', services: ['flow-builder'] });
  const second = await redeem();
  expect([second.status, await second.json()]).toMatchObject([401, { code: 'link_used' }]);

  const other = parseKeyring(`test:${Buffer.alloc(32, 8).toString('base64')}`);
  const tickets = createTickets(async () => other, systemClock);
  await expect(requestLink({ ...asking, tickets })).rejects.toThrow('401');
});

test('a key for another service joins the session', async () => {
  const two = await startConsole({
    SERVICE_URLS: `flow-builder=${app.flowBuilder.url},voice-api=${app.flowBuilder.url}`,
  });
  try {
    const cookie = await signIn(two);
    const more = await fetch(
      `${two.url}/session/keys`,
      json({ keys: { 'voice-api': 'va_test_1' } }, { cookie }),
    );
    const seen = await fetch(`${two.url}/session`, { headers: { cookie: cookieOf(more) } });
    expect(await seen.json()).toMatchObject({ services: ['flow-builder', 'voice-api'] });
  } finally {
    await two.stop();
  }
});

/** A Redis user with the permissions of docker/redis-users.acl. */
async function redisOfConsole(): Promise<string> {
  const redis = new Redis(testRedisUrl());
  const [, rules = ''] = /^user console on #<sha256 of console> (.*)$/m.exec(buildRedisUsersFile()) ?? [];
  await redis.call('ACL', 'SETUSER', 'console', 'reset', 'on', '>a-password', ...rules.split(' '));
  await redis.quit();
  return Object.assign(new URL(testRedisUrl()), { username: 'console', password: 'a-password' }).href;
}

describe.each(['memory', 'Redis'])('sessions in %s', (where) => {
  let app: ConsoleUnderTest;
  beforeAll(async () => {
    app = await startConsole(where === 'Redis' ? { QUEUE_URL: await redisOfConsole() } : {});
  });
  afterAll(() => app.stop());
  const statusWith = async (cookie: string) =>
    (await fetch(`${app.url}/api/flow-builder/v1/flows`, { headers: { cookie } })).status;
  const consoleOf = () => ({ consoleUrl: app.url, tickets: app.deps.tickets });
  const leave = (cookie: string) => fetch(`${app.url}/session`, { method: 'DELETE', headers: { cookie } });

  test('a copied cookie does not work after sign-out', async () => {
    const [cookie, other] = [await signIn(app), await signIn(app)];
    expect(await statusWith(cookie)).toBe(200);
    const response = await leave(cookie);
    expect(response.status).toBe(204);
    expect(response.headers.getSetCookie()[0]).toMatch(/=; Path=\/; Expires=Thu, 01 Jan 1970/);
    expect([await statusWith(cookie), await statusWith(other)]).toEqual([401, 200]);
    expect((await leave(cookie)).status).toBe(204);
  });

  test('the cookie contains only an id; signing in creates a new one', async () => {
    const cookie = await signIn(app, 'fb_test_secret');
    expect(cookie.length).toBeLessThan(130);
    const again = await fetch(`${app.url}/session/keys`, json({ keys: { 'flow-builder': KEY } }, { cookie }));
    expect(cookieOf(again)).not.toBe(cookie);
    expect([await statusWith(cookie), await statusWith(cookieOf(again))]).toEqual([401, 200]);
  });

  test('an operator lists sessions and ends them', async () => {
    await askForSessions(consoleOf(), { action: 'end', which: { all: true } });
    const [one, two] = [await signIn(app), await signIn(app)];
    const listed = await askForSessions(consoleOf(), { action: 'list', which: { all: true } });
    expect(listed).toHaveLength(2);
    expect(listed[0]).toMatchObject({ with: 'keys', person: null, services: ['flow-builder'] });
    const { id } = listed[0]!;
    expect(await askForSessions(consoleOf(), { action: 'end', which: { id } })).toMatchObject([{ id }]);
    expect([await statusWith(one), await statusWith(two)].sort()).toEqual([200, 401]);
    await askForSessions(consoleOf(), { action: 'end', which: { person: 'ada' } });
    expect(await askForSessions(consoleOf(), { action: 'list', which: { all: true } })).toHaveLength(1);
    await askForSessions(consoleOf(), { action: 'end', which: { all: true } });
    expect([await statusWith(one), await statusWith(two)]).toEqual([401, 401]);
  });

  test('an open stream ends with its session', async () => {
    const cookie = await signIn(app);
    app.flowBuilder.script('hang');
    const streaming = fetch(`${app.url}/api/flow-builder/v1/stream`, { headers: { cookie } });
    await eventually(() => app.flowBuilder.requests.at(-1)?.path === '/v1/stream');
    await leave(cookie);
    await expect(streaming).rejects.toThrow();
  });

  test('listing sessions needs CONSOLE_KEY', async () => {
    const other = parseKeyring(`test:${Buffer.alloc(32, 8).toString('base64')}`);
    const tickets = createTickets(async () => other, systemClock);
    const asking = { ...consoleOf(), tickets };
    await expect(askForSessions(asking, { action: 'list', which: { all: true } })).rejects.toThrow('401');
    const link = await app.deps.tickets.seal('link', { action: 'list', which: { all: true } }, 60);
    expect((await fetch(`${app.url}/session/sessions`, json({ ticket: link }))).status).toBe(401);
  });
});

test('Redis holds no plain credentials, and a restarted console keeps its sessions', async () => {
  const redis = new Redis(testRedisUrl());
  const before = await startConsole({ QUEUE_URL: testRedisUrl() });
  const cookie = await signIn(before, 'fb_test_secret_of_redis');
  const keys = (await redis.keys('parley:sessions:*')).filter((key) => !key.endsWith(':index'));
  const texts = await Promise.all(keys.map((key) => redis.get(key)));
  expect(texts.length).toBeGreaterThan(0);
  expect(texts.join()).not.toContain('fb_test_secret_of_redis');
  // Its own: other tests have shorter sessions, and claims under the same prefix.
  const [, id] = /=s:([\w-]+)\./.exec(decodeURIComponent(cookie))!;
  expect(await redis.pttl(`parley:sessions:${id}`)).toBeGreaterThan(11 * 3600_000);
  await before.stop();
  const after = await startConsole({ QUEUE_URL: testRedisUrl(), PUBLIC_URL: before.url });
  try {
    const seen = await fetch(`http://127.0.0.1:${after.port}/session`, { headers: { cookie } });
    expect(await seen.json()).toMatchObject({ with: 'keys', services: ['flow-builder'] });
  } finally {
    await after.stop();
    await redis.quit();
  }
});

test('a link of one replica signs in at another, once, and Redis has neither code nor keys', async () => {
  const redis = new Redis(testRedisUrl());
  const [one, other] = [
    await startConsole({ QUEUE_URL: testRedisUrl() }),
    await startConsole({ QUEUE_URL: testRedisUrl() }),
  ];
  try {
    const keys = { 'flow-builder': 'fb_test_of_a_link' };
    const { tickets } = one.deps;
    const { url } = await requestLink({ consoleUrl: one.url, keys, label: 'test', tickets });
    const code = new URL(url).hash.slice(1);
    const [name = '', ...more] = await redis.keys('parley:sessions:link:*');
    expect([more, name.includes(code)]).toEqual([[], false]);
    expect(await redis.get(name)).not.toContain('fb_test_of_a_link');
    expect(await redis.pttl(name)).toBeGreaterThan(9 * 60_000);
    const redeem = ({ url: at }: { url: string }) => fetch(`${at}/session/link`, json({ code }));
    const statuses = (await Promise.all([other, one, other, one].map(redeem))).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([204, 401, 401, 401]);
    expect(await redis.exists(name)).toBe(0);
  } finally {
    await Promise.all([one.stop(), other.stop()]);
    await redis.quit();
  }
});

test('responds 503 while Redis is away, and recovers automatically', async () => {
  const proxy = await tcpProxy(testRedisUrl());
  const app = await startConsole({ QUEUE_URL: proxy.url });
  try {
    const cookie = await signIn(app);
    proxy.cut();
    for (const [path, init] of [
      ['/session', { headers: { cookie } }],
      ['/session', { method: 'DELETE', headers: { cookie } }],
      ['/api/flow-builder/v1/flows', { headers: { cookie } }],
      ['/session/keys', json({ keys: { 'flow-builder': KEY } })],
      ['/session/link', json({ code: 'x'.repeat(32) })],
    ] as const) {
      const response = await fetch(app.url + path, init);
      expect([response.status, await response.json()]).toMatchObject([503, { code: 'sessions_unavailable' }]);
      expect(response.headers.get('retry-after')).toBe('2');
      expect(response.headers.getSetCookie()).toEqual([]);
    }
    proxy.restore();
    await eventually(
      async () =>
        (await fetch(`${app.url}/api/flow-builder/v1/flows`, { headers: { cookie } })).status === 200,
    );
  } finally {
    await app.stop();
    await proxy.close();
  }
});

test('a tampered or foreign cookie has no session', async () => {
  const cookie = await signIn(app);
  expect(await session(`${cookie.slice(0, -10)}AAAAAAAAAA`)).toMatchObject({ with: null });
  expect(await session('other=1; parley-session=x')).toMatchObject({ with: null });
});

test.each([
  ['from another site', { origin: 'https://evil.example' }],
  ['of another port of this machine', { origin: 'http://127.0.0.1:1' }],
  ['of a page without an origin', { origin: 'null' }],
  ['that a browser says came from elsewhere', { 'sec-fetch-site': 'same-site' }],
])('a write %s is refused', async (_what, headers) => {
  const cookie = await signIn(app);
  const before = app.flowBuilder.requests.length;
  for (const path of ['/session/keys', '/api/flow-builder/v1/flows']) {
    const response = await fetch(app.url + path, json({}, { ...headers, cookie }));
    expect([response.status, await response.json()]).toMatchObject([403, { code: 'other_site' }]);
  }
  expect(app.flowBuilder.requests).toHaveLength(before);
});

test('over https the cookie belongs to this host only', async () => {
  const secure = await startConsole({ PUBLIC_URL: 'https://console.example' });
  try {
    const response = await fetch(`${secure.url}/session/keys`, json({ keys: { 'flow-builder': KEY } }));
    expect(response.headers.getSetCookie()[0]).toMatch(/^__Host-parley-session=.*; Secure; SameSite=Strict$/);
  } finally {
    await secure.stop();
  }
});
