// Applications of an organisation: which events their webhooks receive, and what a portal link may
// do (docs/portal.md).
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { eventually, receiver, type Receiver } from '@parley/testing';
import { apiClient, listOperations, type ApiClient } from '@parley/testing-services';
import { decodeJwt, SignJWT } from 'jose';
import { APPLICATION_REQUESTS_PER_MINUTE } from '../src/applications/portal-limit.ts';
import { event } from './events.ts';
import { startVoiceApi, type VoiceApi } from './service.ts';
import { dataOf, deliveries, forgetWebhooks, LOOPBACK, settled, type WebhookBody } from './webhooks.ts';

/** A busy machine takes ten times as long as an idle one. */
jest.setTimeout(120_000);

interface Link {
  readonly token: string;
  readonly url: string;
  readonly scopes: string[];
  readonly expires_at: string;
}

let service: VoiceApi;
let outside: Receiver;
beforeAll(async () => {
  service = await startVoiceApi({
    workers: true,
    env: { ...LOOPBACK, PUBLIC_URL: 'https://voice.acme.example/' },
  });
});
afterAll(() => service.stop());
beforeEach(async () => {
  outside = await receiver();
});
afterEach(async () => {
  await outside.close();
  await forgetWebhooks(service);
  await service.deps.sql('DELETE FROM applications');
});

const put = (id: string, name = id) => service.api.put(`/v1/applications/${id}`, { name });
const issue = async (id: string, body: object = {}, api: ApiClient = service.api): Promise<Link> =>
  dataOf(await api.post(`/v1/applications/${id}/portal-links`, body).expect(201));
/** A new application, and the client of a link to its portal. */
async function portalOf(id: string, body: object = {}) {
  await put(id);
  return apiClient(service.server.url, (await issue(id, body)).token);
}
const register = async (api: ApiClient, more: object = {}): Promise<WebhookBody> =>
  dataOf(await api.post('/v1/webhooks', { url: outside.url, events: ['*'], ...more }).expect(201));
/** A conversation that has just begun. */
const converse = (id: string, metadata: object) =>
  service.api
    .post('/v1/conversations/events', { events: [event('conversation.started', id, 0, { metadata })] })
    .expect(200);

test('an application is created, renamed, listed and deleted with its webhooks', async () => {
  expect(dataOf(await put('shop', 'Shop').expect(201))).toMatchObject({ id: 'shop', name: 'Shop' });
  const before = dataOf(await put('shop', 'Shop').expect(200));
  expect(dataOf(await service.api.get('/v1/applications/shop').expect(200))).toEqual(before);
  expect(dataOf(await put('shop', 'The shop').expect(200))).toMatchObject({ name: 'The shop' });
  await put('bank');
  const { items } = dataOf<{ items: object[] }>(await service.api.get('/v1/applications?limit=1'));
  expect(items).toMatchObject([{ id: 'bank' }]);
  const webhook = await register(service.api, { application_id: 'shop' });
  const other = await register(service.api);
  expect(webhook).toMatchObject({ application_id: 'shop' });
  const listed = await service.api.get('/v1/webhooks?application_id=shop').expect(200);
  expect(dataOf<{ items: object[] }>(listed).items).toMatchObject([{ id: webhook.id }]);
  expect(dataOf(await service.api.delete('/v1/applications/shop').expect(200))).toEqual({
    id: 'shop',
    deleted: true,
    webhooks: 1,
  });
  await service.api.get(`/v1/webhooks/${webhook.id}`).expect(404);
  await service.api.get(`/v1/webhooks/${other.id}`).expect(200);
  await service.api.delete('/v1/applications/shop').expect(404);
});

test('a webhook needs an application that exists, and an application may have 20', async () => {
  const body = { url: 'https://8.8.8.8/x', events: ['*'], application_id: 'shop' };
  await service.api.post('/v1/webhooks', body).expect(422);
  await put('shop');
  for (let made = 0; made < 20; made += 1) await service.api.post('/v1/webhooks', body).expect(201);
  const full = await service.api.post('/v1/webhooks', body).expect(409);
  expect(full.body).toMatchObject({ error: { message: expect.stringContaining('20 webhooks') } });
  await register(service.api);
});

test('webhooks of an application get the events of its conversations, others all', async () => {
  await put('shop');
  await put('bank');
  const all = await register(service.api);
  const ofShop = await register(service.api, { application_id: 'shop' });
  const ofBank = await register(service.api, { application_id: 'bank' });
  await converse('of-shop', { application_id: 'shop' });
  await converse('of-nobody', { application_id: 7 });
  // A later event names no metadata.
  await service.api
    .post('/v1/conversations/events', {
      events: [event('speech.final', 'of-shop', 5, { turn_index: 0, text: 'Hello.' })],
    })
    .expect(200);
  const types = async (id: string, count: number) =>
    eventually(async () => {
      const found = await settled(service, id, 'delivered');
      expect(found).toHaveLength(count);
      return found.map((one) => one.event).sort();
    });
  const own = ['conversation.started', 'speech.final'];
  expect(await types(ofShop.id, 2)).toEqual(own);
  expect(await types(all.id, 3)).toEqual(['conversation.started', ...own]);
  // The deletion removes the others from the log.
  await service.api.delete('/v1/conversations/of-shop').expect(200);
  expect(await types(ofShop.id, 1)).toEqual(['conversation.deleted']);
  expect(await deliveries(service, ofBank.id)).toEqual([]);
});

describe('a portal link', () => {
  test('manages the webhooks of its application, and their deliveries', async () => {
    const portal = await portalOf('shop');
    expect(dataOf(await portal.get('/v1/portal').expect(200))).toEqual({
      application: { id: 'shop', name: 'shop' },
      scopes: ['read', 'write', 'delete'],
    });
    const webhook = await register(portal);
    expect(webhook).toMatchObject({ application_id: 'shop', secret: expect.stringMatching(/^whsec_/) });
    await portal.get('/v1/event-types').expect(200);
    await portal.patch(`/v1/webhooks/${webhook.id}`, { description: 'Ours' }).expect(200);
    const tested = await portal.post(`/v1/webhooks/${webhook.id}/test`, {}).expect(200);
    expect(dataOf(tested)).toMatchObject({ delivered: true });
    await converse('in-the-portal', { application_id: 'shop' });
    const [delivery] = await eventually(async () => {
      const found = await settled(service, webhook.id, 'delivered');
      expect(found).toHaveLength(2);
      return found.filter(({ kind }) => kind === 'event');
    });
    const place = `/v1/webhooks/${webhook.id}/deliveries`;
    expect(dataOf<{ items: object[] }>(await portal.get(place).expect(200)).items).toHaveLength(2);
    const details = dataOf(await portal.get(`${place}/${delivery!.id}`).expect(200));
    expect(details).toMatchObject({ attempt_log: [{ status: 200 }] });
    const again = await portal.post(`${place}/${delivery!.id}/retry`).expect(202);
    expect(dataOf(again)).toMatchObject({ kind: 'replay', replay_of: delivery!.id });
    await portal.post(`/v1/webhooks/${webhook.id}/rotate-secret`, {}).expect(200);
    await portal.delete(`/v1/webhooks/${webhook.id}`).expect(200);
    const entries = await service.deps.sql(
      `SELECT actor_kind AS kind, actor FROM audit_log WHERE target = $1 AND action = 'webhook.deleted'`,
      [webhook.id],
    );
    expect(entries).toEqual([{ kind: 'portal', actor: 'shop' }]);
  });

  test('sees nothing of other applications, of the organisation, or of others', async () => {
    const portal = await portalOf('shop');
    const own = await register(portal);
    await put('bank');
    const rival = service.as(await service.issueKey('rival'));
    await rival.put('/v1/applications/shop', { name: 'Same id' }).expect(201);
    for (const foreign of [
      await register(service.api, { application_id: 'bank' }),
      await register(service.api),
      await register(rival, { application_id: 'shop' }),
    ]) {
      const api = foreign['application_id'] === 'shop' ? rival : service.api;
      await api.post(`/v1/webhooks/${foreign.id}/test`, {}).expect(200);
      const log = await api.get(`/v1/webhooks/${foreign.id}/deliveries`).expect(200);
      const delivery = dataOf<{ items: { id: string }[] }>(log).items[0]!.id;
      const place = `/v1/webhooks/${foreign.id}`;
      const period = { since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' };
      await portal.get(place).expect(404);
      await portal.patch(place, { description: 'Mine' }).expect(404);
      await portal.delete(place).expect(404);
      await portal.post(`${place}/test`, {}).expect(404);
      await portal.post(`${place}/rotate-secret`, {}).expect(404);
      await portal.post(`${place}/verify`, { body: '{}' }).expect(404);
      await portal.post(`${place}/replay`, period).expect(404);
      await portal.get(`${place}/deliveries`).expect(404);
      await portal.get(`${place}/deliveries/${delivery}`).expect(404);
      await portal.post(`${place}/deliveries/${delivery}/retry`).expect(404);
      await portal.get(`/v1/webhooks/${own.id}/deliveries/${delivery}`).expect(404);
      await portal.post(`/v1/webhooks/${own.id}/deliveries/${delivery}/retry`).expect(404);
      await api.get(place).expect(200);
    }
    const listed = dataOf<{ items: object[] }>(await portal.get('/v1/webhooks').expect(200));
    expect(listed.items).toMatchObject([{ id: own.id }]);
    const others = await portal.get('/v1/webhooks?application_id=bank').expect(200);
    expect(dataOf<{ items: object[] }>(others).items).toEqual([]);
    const taken = { url: outside.url, events: ['*'], application_id: 'bank' };
    await portal.post('/v1/webhooks', taken).expect(422);
    const reference = { url: outside.url, events: ['*'], headers: { 'x-key': 'secret://crm' } };
    await portal.post('/v1/webhooks', reference).expect(403);
    await portal.patch(`/v1/webhooks/${own.id}`, { headers: reference.headers }).expect(403);
  });

  test('is refused by every other operation', async () => {
    const portal = await portalOf('curious');
    const operations = await listOperations(service);
    const open = operations.filter(({ description }) => description.includes('A portal link may call it.'));
    expect(open.map(({ operationId }) => operationId).sort()).toEqual([
      'changeWebhook',
      'deleteWebhook',
      'getDelivery',
      'getPortal',
      'getWebhook',
      'listDeliveries',
      'listEventTypes',
      'listWebhooks',
      'registerWebhook',
      'replayDeliveries',
      'retryDelivery',
      'rotateWebhookSecret',
      'testWebhook',
      'verifyDelivery',
    ]);
    for (const { method, path } of operations.filter((one) => !open.includes(one))) {
      const { status } = await portal[method](path.replaceAll(/\{\w+\}/g, 'none'));
      expect([method, path, status]).toEqual([method, path, 403]);
    }
  });

  test('may do what its issuer may, or only read', async () => {
    await put('shop');
    const writer = service.as(await service.issueKey('acme', ['read', 'write']));
    const link = await issue('shop', {}, writer);
    expect(link.scopes).toEqual(['read', 'write']);
    const webhook = await register(service.as(link.token));
    await service.as(link.token).delete(`/v1/webhooks/${webhook.id}`).expect(403);
    const readOnly = await issue('shop', { read_only: true });
    expect(readOnly.scopes).toEqual(['read']);
    await service.as(readOnly.token).get(`/v1/webhooks/${webhook.id}`).expect(200);
    await service.as(readOnly.token).post(`/v1/webhooks/${webhook.id}/test`, {}).expect(403);
    const reader = service.as(await service.issueKey('acme', ['read']));
    await reader.post('/v1/applications/shop/portal-links', {}).expect(403);
    await service.as(link.token).post('/v1/applications/shop/portal-links', {}).expect(403);
  });

  test('ends with its time, with a revocation, and with its application', async () => {
    await put('shop');
    const { token, expires_at: expires } = await issue('shop', { expires_in_seconds: 60 });
    const left = Date.parse(expires) - service.deps.clock();
    expect(left).toBeGreaterThan(50_000);
    expect(left).toBeLessThanOrEqual(60_000);
    await service.api.post('/v1/applications/shop/portal-links', { expires_in_seconds: 86_401 }).expect(400);
    await service.as(token).get('/v1/portal').expect(200);
    await service.api.delete('/v1/applications/shop/portal-links').expect(200);
    await service.as(token).get('/v1/portal').expect(401);
    const second = await issue('shop');
    await service.api.delete('/v1/applications/shop').expect(200);
    await service.as(second.token).get('/v1/portal').expect(401);
    await put('shop');
    await service.as(second.token).get('/v1/portal').expect(401);
  });

  test('is not repeated by an Idempotency-Key after a revocation', async () => {
    await put('shop');
    const ask = () =>
      service.api.post('/v1/applications/shop/portal-links', {}).set('idempotency-key', 'portal-1');
    const first = dataOf<Link>(await ask().expect(201));
    expect(dataOf<Link>(await ask().expect(201))).toEqual(first);
    await service.api.delete('/v1/applications/shop/portal-links').expect(200);
    await ask().expect(409);
  });

  test('opens a page that names no one, takes nothing from elsewhere and is in no frame', async () => {
    await put('shop');
    const { token, url } = await issue('shop');
    expect(url).toBe(`https://voice.acme.example/portal#token=${token}`);
    const dark = await issue('shop', { appearance: { color_scheme: 'dark', accent_color: '#FFb454' } });
    expect(dark.url).toBe(
      `${url.split('#')[0]}#token=${dark.token}&color_scheme=dark&accent_color=%23FFb454`,
    );
    const refused = { appearance: { accent_color: 'red; background: url(//x)' } };
    await service.api.post('/v1/applications/shop/portal-links', refused).expect(400);
    const page = await fetch(`${service.server.url}/portal`);
    expect(page.status).toBe(200);
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringMatching(/^default-src 'none';.*frame-ancestors 'none'$/),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
    });
    expect(page.headers.get('content-security-policy')).not.toMatch(/unsafe|https?:|\*/);
    expect(page.headers.get('set-cookie')).toBeNull();
    expect((await fetch(`${service.server.url}/portal`, { method: 'POST' })).status).toBe(405);
  });

  test('is not forged', async () => {
    await put('shop');
    const { token } = await issue('shop');
    const jwt = token.slice('ptl_'.length);
    const claims = decodeJwt(jwt);
    const sign = (payload: object, header: object = {}, key = 'k'.repeat(32)) =>
      new SignJWT({ ...claims, ...payload })
        .setProtectedHeader({ alg: 'HS256', typ: 'portal+jwt', ...header })
        .sign(new TextEncoder().encode(key));
    const [header, payload, signature] = jwt.split('.') as [string, string, string];
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const [row] = await service.deps.sql<{ row: string }>(
      'SELECT applications::text AS row FROM applications',
    );
    expect(row!.row).not.toContain(signature);
    for (const forged of [
      await sign({}),
      `${encode({ alg: 'none', typ: 'portal+jwt' })}.${payload}.`,
      `${header}.${encode({ ...claims, sub: 'bank' })}.${signature}`,
      `${header}.${encode({ ...claims, org: 'rival' })}.${signature}`,
      `${header}.${encode({ ...claims, exp: 9_999_999_999 })}.${signature}`,
      `${header}.${payload}.${signature.slice(0, -2)}`,
      `${encode({ alg: 'HS256', typ: 'JWT' })}.${payload}.${signature}`,
      'nothing',
      '',
    ])
      await service.as(`ptl_${forged}`).get('/v1/portal').expect(401);
    // Without the prefix it is an identity token, and no valid one.
    await service.as(jwt).get('/v1/portal').expect(401);
    await service.api.get('/v1/portal').expect(404);
  });

  test('is slowed down alone', async () => {
    const portal = await portalOf('busy');
    for (let sent = 0; sent < APPLICATION_REQUESTS_PER_MINUTE; sent += 1)
      await portal.get('/v1/portal').expect(200);
    const refused = await portal.get('/v1/portal').expect(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    await (await portalOf('bank')).get('/v1/portal').expect(200);
    await service.api.get('/v1/webhooks').expect(200);
  });

  test('works on pages of any origin, and no other credential does', async () => {
    await put('shop');
    const { token } = await issue('shop');
    const origin = 'https://customer.example';
    const allowed = async (path: string, credential: string) => {
      const headers = { origin, authorization: `Bearer ${credential}` };
      const answer = await fetch(service.server.url + path, { headers });
      expect(answer.headers.get('set-cookie')).toBeNull();
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
      return answer.headers.get('access-control-allow-origin');
    };
    expect(await allowed('/v1/webhooks', token)).toBe('*');
    expect(await allowed('/v1/portal', 'ptl_expired')).toBe('*');
    expect(await allowed('/v1/webhooks', service.key)).toBeNull();
    expect(await allowed('/v1/conversations', token)).toBeNull();
    const preflight = async (path: string) => {
      const headers = {
        origin,
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'authorization,content-type',
      };
      const answer = await fetch(service.server.url + path, { method: 'OPTIONS', headers });
      return answer.headers.get('access-control-allow-origin');
    };
    expect(await preflight('/v1/webhooks/wh_1')).toBe('*');
    expect(await preflight('/v1/webhooks/wh_1/deliveries/dlv_1/retry')).toBe('*');
    expect(await preflight('/v1/applications/shop')).toBeNull();
    expect(await preflight('/v1/conversations/events')).toBeNull();
    expect(await preflight('/v1/deliveries')).toBeNull();
  });

  test('registers no webhook while the organisation redacts, unless its issuer has pii', async () => {
    await put('redacted');
    await service.api.put('/v1/retention', { redact_transcripts: true }).expect(200);
    try {
      const body = { url: outside.url, events: ['*'] };
      await service
        .as((await issue('redacted')).token)
        .post('/v1/webhooks', body)
        .expect(403);
      const whole = service.as(await service.issueKey('acme', ['admin', 'pii']));
      const link = await issue('redacted', {}, whole);
      expect(link.scopes).toEqual(['read', 'write', 'delete', 'pii']);
      await service.as(link.token).post('/v1/webhooks', body).expect(201);
    } finally {
      await service.api.put('/v1/retention', {}).expect(200);
    }
  });
});
