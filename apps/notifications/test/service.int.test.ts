// What notifications shares with every service: health, readiness, metrics, keys, in the envelope
// of its contract.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { serviceUnderTest, type ServiceUnderTest } from '@parley/testing-services';
import { createApp } from '../src/app.ts';
import { config } from '../src/config.ts';
import { createDeps, type Deps } from '../src/deps.ts';

let service: ServiceUnderTest<Deps>;
beforeAll(async () => {
  service = await serviceUnderTest({
    service: 'notifications',
    product: 'nt',
    config,
    createDeps,
    createApp,
  });
});
afterAll(() => service.stop());

test('answers operators without a credential', async () => {
  const api = supertest(service.server.url);
  // The base interface: web push, which makes it 1.2, is off.
  expect((await api.get('/health').expect(200)).body).toMatchObject({
    status: 'ok',
    store: { ready: true },
    version: '1.0.0',
  });
  await api.get('/ready').expect(200);
  expect((await api.get('/metrics').expect(200)).text).toContain('http_request_duration_seconds');
});

test('manages its keys as bare resources', async () => {
  const authorization = `Bearer ${await service.issueKey('acme')}`;
  const created = await supertest(service.server.url)
    .post('/v1/api-keys')
    .set({ authorization })
    .send({ name: 'console', scopes: ['read'] })
    .expect(201);
  expect(created.body).toMatchObject({
    name: 'console',
    scopes: ['read'],
    key: expect.stringMatching(/^nt_test_/),
    created_at: expect.any(Number),
  });
  const listed = await supertest(service.server.url).get('/v1/api-keys').set({ authorization }).expect(200);
  expect(Object.keys(listed.body as object).sort()).toEqual(['items', 'next_cursor']);
  const refused = await supertest(service.server.url).get('/v1/api-keys').expect(401);
  expect(refused.body).toEqual({ error: expect.stringContaining('credential') });
});

test('refuses a key of another product', async () => {
  const foreign = 'fb_test_0000000000000000000000000000000000000000';
  await supertest(service.server.url)
    .get('/v1/api-keys')
    .set({ authorization: `Bearer ${foreign}` })
    .expect(401);
});
