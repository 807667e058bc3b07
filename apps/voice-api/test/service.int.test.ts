// Operator endpoints and API keys of voice-api in its envelope.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { serviceUnderTest, type ServiceUnderTest } from '@parley/testing-services';
import { createApp } from '../src/app.ts';
import { config } from '../src/config.ts';
import { createDeps, type Deps } from '../src/deps.ts';

let service: ServiceUnderTest<Deps>;
beforeAll(async () => {
  service = await serviceUnderTest({ service: 'voice-api', product: 'va', config, createDeps, createApp });
});
afterAll(() => service.stop());

test('operator endpoints need no credential', async () => {
  const api = supertest(service.server.url);
  expect((await api.get('/health').expect(200)).body).toMatchObject({ status: 'ok', store: { ready: true } });
  await api.get('/ready').expect(200);
  expect((await api.get('/metrics').expect(200)).text).toContain('http_request_duration_seconds');
});

test('manages its API keys in the envelope of the voice API', async () => {
  const authorization = `Bearer ${await service.issueKey('acme')}`;
  const created = await supertest(service.server.url)
    .post('/v1/api-keys')
    .set({ authorization })
    .send({ name: 'console', scopes: ['read'] })
    .expect(201);
  expect(created.body).toMatchObject({
    success: true,
    data: { name: 'console', scopes: ['read'], key: expect.stringMatching(/^va_test_/) },
    meta: { request_id: expect.any(String), timestamp: expect.stringMatching(/^\d{4}-.*Z$/) },
  });
  const listed = await supertest(service.server.url).get('/v1/api-keys').set({ authorization }).expect(200);
  expect(listed.body).toMatchObject({ success: true, data: { has_more: false, next_cursor: null } });
  const refused = await supertest(service.server.url).get('/v1/api-keys').expect(401);
  expect(refused.body).toMatchObject({ success: false, error: { code: 'UNAUTHORIZED' } });
});

test('keys of other products are rejected', async () => {
  const foreign = 'fb_test_0000000000000000000000000000000000000000';
  await supertest(service.server.url)
    .get('/v1/api-keys')
    .set({ authorization: `Bearer ${foreign}` })
    .expect(401);
});
