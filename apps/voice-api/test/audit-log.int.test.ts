// GET /v1/audit-log: what keys did to keys, webhooks and bots, without secrets
// (docs/platform.md#audit-log).
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { emptyAuditLog } from '@parley/testing';
import { startVoiceApi, type VoiceApi } from './service.ts';
import { dataOf } from './webhooks.ts';

interface Entry {
  id: string;
  at: string;
  action: string;
  actor: { kind: string; id: string };
  target: string;
  details: Record<string, unknown>;
}
interface Page {
  items: Entry[];
  next_cursor: string | null;
  has_more: boolean;
}

let service: VoiceApi;
beforeAll(async () => {
  service = await startVoiceApi();
});
afterAll(() => service.stop());
beforeEach(() => emptyAuditLog(service.deps.sql));

const page = async (query = '') => dataOf<Page>(await service.api.get(`/v1/audit-log${query}`).expect(200));
const actions = async (query = '') => (await page(query)).items.map(({ action }) => action).reverse();

test('records webhook changes with the host instead of the address', async () => {
  const url = 'https://hooks.example.com/canary-path?token=canary-query';
  const { id, secret } = dataOf<{ id: string; secret: string }>(
    await service.api.post('/v1/webhooks', { url, events: ['*'] }).expect(201),
  );
  await service.api
    .patch(`/v1/webhooks/${id}`, { url: `${url}2`, status: 'disabled', description: 'CRM' })
    .expect(200);
  const rotated = dataOf<{ secret: string }>(
    await service.api.post(`/v1/webhooks/${id}/rotate-secret`, { grace_seconds: 60 }).expect(200),
  );
  await service.api.delete(`/v1/webhooks/${id}`).expect(200);
  expect(await actions()).toEqual([
    'webhook.registered',
    'webhook.changed',
    'webhook.secret_rotated',
    'webhook.deleted',
  ]);
  const { items } = await page();
  const me = dataOf<{ id: string }>(await service.api.get('/v1/api-keys/me').expect(200)).id;
  for (const { actor, target } of items) expect([actor, target]).toEqual([{ kind: 'api_key', id: me }, id]);
  expect(items[2]!.details).toEqual({ host: 'hooks.example.com', status: 'disabled', description: 'CRM' });
  for (const leak of ['canary', secret, rotated.secret]) expect(JSON.stringify(items)).not.toContain(leak);
});

test('records issued, rotated and revoked keys without the key itself', async () => {
  const made = dataOf<{ id: string; key: string }>(
    await service.api.post('/v1/api-keys', { name: 'console', scopes: ['read'] }).expect(201),
  );
  const next = dataOf<{ id: string; key: string }>(
    await service.api.post(`/v1/api-keys/${made.id}/rotate`, { grace_seconds: 5 }).expect(201),
  );
  await service.api.delete(`/v1/api-keys/${next.id}`).expect(200);
  const { items } = await page();
  expect(items.map(({ action, target, details }) => [action, target, details])).toEqual([
    ['api_key.revoked', next.id, {}],
    ['api_key.rotated', made.id, { successor: next.id, grace_seconds: 5 }],
    [
      'api_key.issued',
      made.id,
      { name: 'console', scopes: ['read'], expires_at: null, allowed_ips: [], bot_ids: [] },
    ],
  ]);
  for (const { key } of [made, next]) expect(JSON.stringify(items)).not.toContain(key);
});

test('records archived and purged bots, but no rejected or repeated requests', async () => {
  const create = async () =>
    dataOf<{ id: string }>(await service.api.post('/v1/bots', { name: 'b' }).expect(201)).id;
  const [one, two] = [await create(), await create()];
  await service.api.delete(`/v1/bots/${one}`).expect(200);
  await service.api.delete(`/v1/bots/${one}`).expect(404);
  await service.api.delete(`/v1/bots/${two}?purge=true`).expect(200);
  expect(await actions()).toEqual(['bot.archived', 'bot.purged']);
  const register = () =>
    service.api
      .post('/v1/webhooks', { url: 'https://x.example/', events: ['*'] })
      .set('idempotency-key', 'once');
  await register().expect(201);
  await register().expect(201);
  expect(await actions('?action=webhook.registered')).toHaveLength(1);
});

test('has pages and filters, and needs the scope admin', async () => {
  for (let n = 0; n < 3; n += 1) await service.api.post('/v1/api-keys', { name: `${n}`, scopes: ['read'] });
  const first = await page('?limit=2');
  expect([first.items.length, first.has_more]).toEqual([2, true]);
  const rest = await page(`?limit=2&cursor=${first.next_cursor}`);
  expect([rest.items.length, rest.next_cursor]).toEqual([1, null]);
  const at = rest.items[0]!.at;
  expect(await actions(`?to=${at}`)).toEqual([]);
  expect((await actions(`?from=${at}`)).length).toBe(3);
  expect(await actions('?actor=nobody')).toEqual([]);
  await service.api.get('/v1/audit-log?action=no.such').expect(400);
  await service.api.get('/v1/audit-log?from=yesterday').expect(400);
  const other = service.as(await service.issueKey('other'));
  expect(dataOf<Page>(await other.get('/v1/audit-log').expect(200)).items).toEqual([]);
  const writer = service.as(await service.issueKey('acme', ['read', 'write', 'delete']));
  await writer.get('/v1/audit-log').expect(403);
});
