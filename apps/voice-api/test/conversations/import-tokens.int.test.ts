// Vendors post reports themselves: import tokens and signatures
// (docs/voice-api.md#import-tokens).
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startVoiceApi, type VoiceApi } from '../service.ts';
import { dataOf } from '../webhooks.ts';

let service: VoiceApi;
beforeAll(async () => {
  service = await startVoiceApi();
});
afterAll(() => service.stop());

interface Issued {
  readonly id: string;
  readonly token: string;
  readonly path: string;
}
const create = async (body: object) =>
  dataOf<Issued>(await service.api.post('/v1/import-tokens', body).expect(201));
const post = async (path: string, body: string, headers: Readonly<Record<string, string>> = {}) => {
  const answer = await fetch(service.server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  return { status: answer.status, body: (await answer.json()) as { data?: object; error?: object } };
};
const report = readFileSync(join(import.meta.dirname, 'reports', 'vapi-end-of-call.json'), 'utf8');
/** The report of another call. */
const reportOf = (id: string) => report.replaceAll('7420f27a-30fd-4f49-a995-5549ae7cc00d', id);
const countOf = async (id: string) => (await service.api.get(`/v1/conversations/${id}`)).status;

test('a token opens the import of its vendor and nothing else, until it is revoked', async () => {
  const { id, token, path } = await create({ name: 'Vapi', source: 'vapi' });
  expect(path).toBe(`/v1/conversations/import/vapi/${token}`);
  expect(await post(path, reportOf('by-token'))).toMatchObject({
    status: 200,
    body: { data: { conversation_id: 'by-token' } },
  });
  await service.as(token).get('/v1/conversations').expect(401);
  await service.as(token).post('/v1/conversations/import/vapi', {}).expect(401);
  expect((await post(path.replace('/vapi/', '/retell/'), '{}')).status).toBe(401);
  expect((await post('/v1/conversations/import/vapi/imp_none', '{}')).status).toBe(401);
  await service.api.delete(`/v1/import-tokens/${id}`).expect(200);
  expect((await post(path, reportOf('revoked'))).status).toBe(401);
  expect(await countOf('revoked')).toBe(404);
  await service.api.delete(`/v1/import-tokens/${id}`).expect(404);
});

test('a token is shown once, listed by its beginning, stored hashed, and audited', async () => {
  const { id, token } = await create({ name: 'Once', source: 'retell', secret: 'api-key-of-retell' });
  const listed = await service.api.get('/v1/import-tokens').expect(200);
  expect(dataOf<{ items: object[] }>(listed).items).toContainEqual(
    expect.objectContaining({ id, name: 'Once', source: 'retell', has_secret: true, last_used_at: null }),
  );
  expect(JSON.stringify(listed.body)).not.toContain(token);
  const rows = await service.deps.sql('SELECT import_tokens::text AS row FROM import_tokens', []);
  expect(JSON.stringify(rows)).not.toContain(token);
  expect(JSON.stringify(rows)).not.toContain('api-key-of-retell');
  await service.api.delete(`/v1/import-tokens/${id}`).expect(200);
  const log = JSON.stringify((await service.api.get('/v1/audit-log').expect(200)).body);
  expect(log).toContain('import_token.created');
  expect(log).toContain('import_token.revoked');
  expect(log).not.toContain('api-key-of-retell');
  expect(service.log.text()).not.toContain(token);
});

test('only an administrator manages tokens', async () => {
  const writer = service.as(await service.issueKey('acme', ['read', 'write', 'delete']));
  await writer.post('/v1/import-tokens', { name: 'x', source: 'vapi' }).expect(403);
  await writer.get('/v1/import-tokens').expect(403);
  await service.api.post('/v1/import-tokens', { name: 'x', source: 'bland' }).expect(400);
  await service.api.post('/v1/import-tokens', { name: 'x', source: 'vapi', secret: 'secret://' }).expect(400);
});

test('a wrong signature of Vapi is refused with 401 and nothing is stored', async () => {
  const { path } = await create({ name: 'Signed', source: 'vapi', secret: 'vapi-secret' });
  const body = reportOf('signed-by-vapi');
  const hmac = (text: string) => createHmac('sha256', 'vapi-secret').update(text).digest('hex');
  for (const headers of [
    {},
    { 'x-vapi-secret': 'vapi-secre' },
    { 'x-signature': hmac(`2.${body}`), 'x-timestamp': '1' },
    { 'x-signature': hmac(body) },
  ] as Record<string, string>[])
    expect((await post(path, body, headers)).status).toBe(401);
  expect(await countOf('signed-by-vapi')).toBe(404);
  expect((await post(path, body, { 'x-vapi-secret': 'vapi-secret' })).status).toBe(200);
  const signed = { 'x-signature': hmac(`1.${body}`), 'x-timestamp': '1' };
  expect((await post(path, body, signed)).status).toBe(200);
});

test('a secret may be a reference, and one that cannot be read is no fault of the vendor', async () => {
  const { path } = await create({ name: 'Reference', source: 'vapi', secret: 'secret://missing' });
  expect((await post(path, reportOf('by-reference'), { 'x-vapi-secret': 'secret://missing' })).status).toBe(
    503,
  );
});
