// Scopes, organisations and faces, for every endpoint of the table.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { identityToken } from '@parley/testing-services';
import { greeting, startFlowBuilder, type FlowBuilder } from './service.ts';

let flows: FlowBuilder;
beforeAll(async () => {
  flows = await startFlowBuilder();
  await flows.api.post('/v1/flows', { flow_id: 'mine', definition: greeting }).expect(201);
  await flows.api.post('/v1/flows/mine/publish').expect(200);
  await flows.api.put('/v1/flows/mine/tests/one', { turns: [{ expect: {} }] }).expect(201);
});
afterAll(() => flows.stop());

/** Method, path, required scope, status of success. */
const endpoints = [
  ['post', '/flows', 'write', 201, { definition: greeting }],
  ['get', '/flows', 'read', 200],
  ['get', '/flows/mine', 'read', 200],
  ['patch', '/flows/mine', 'write', 200, {}],
  ['post', '/flows/mine/execute', 'read', 200, {}],
  ['post', '/flows/mine/validate', 'read', 200, {}],
  ['get', '/flows/mine/versions', 'read', 200],
  ['post', '/flows/mine/publish', 'write', 200, {}],
  ['post', '/flows/mine/duplicate', 'write', 201, {}],
  ['get', '/flows/mine/publications', 'read', 200],
  ['put', '/flows/mine/tests/one', 'write', 200, { turns: [{ expect: {} }] }],
  ['get', '/flows/mine/diff', 'read', 200],
  ['get', '/flows/mine/diagram', 'read', 200],
  ['post', '/flows/mine/simulate', 'read', 200, { utterances: [] }],
  ['get', '/flows/mine/tests', 'read', 200],
  ['get', '/flows/mine/tests/one', 'read', 200],
  ['post', '/flows/mine/tests/run', 'read', 200, {}],
  ['delete', '/flows/mine/publish', 'delete', 200],
] as const;

describe.each(['/v1', '/product/v1'])('on %s', (face) => {
  beforeAll(() => flows.api.post('/v1/flows/mine/publish').expect(200)); // the table ends with unpublishing it

  describe.each(endpoints)('%s %s', (method, path, scope, status, body?: object) => {
    const send = (authorization?: string) => {
      const request = supertest(flows.server.url)[method](face + path);
      if (authorization) void request.set('authorization', authorization);
      return body ? request.send(body) : request;
    };

    test('needs a credential', async () => {
      for (const authorization of [
        undefined,
        'Bearer',
        'Bearer x',
        `Basic ${flows.key}`,
        'Bearer fb_live_wrong',
      ]) {
        const response = await send(authorization).expect(401);
        expect(response.headers['www-authenticate']).toBe('Bearer');
        expect(response.body).toMatchObject({ code: 'unauthorized', status: 401 });
      }
    });

    test(`needs the scope ${scope}`, async () => {
      for (const other of (['read', 'write', 'delete'] as const).filter((candidate) => candidate !== scope)) {
        const response = await send(`Bearer ${await flows.issueKey('acme', [other])}`).expect(403);
        expect(response.body).toMatchObject({ code: 'insufficient_scope' });
      }
      await send(`Bearer ${await flows.issueKey('acme', [scope])}`).expect(status);
    });

    if (path.includes('mine')) {
      test("does not see another organisation's flow", async () => {
        const response = await send(`Bearer ${await flows.issueKey('rival')}`).expect(404);
        expect(response.body).toMatchObject({ code: 'not_found' });
      });
    }
  });
});

test('organization_id must be that of the credential, in the body and in the query', async () => {
  const create = (organizationId: string) =>
    flows.api.post('/v1/flows', { organization_id: organizationId, definition: greeting });
  await create('acme').expect(201);
  expect((await create('rival').expect(403)).body).toMatchObject({ code: 'organization_mismatch' });
  await flows.api.get('/v1/flows?organization_id=acme').expect(200);
  await flows.api.get('/v1/flows?organization_id=rival').expect(403);
});

test('ids that callers choose are unique per organisation, never globally', async () => {
  const rival = flows.as(await flows.issueKey('rival'));
  await rival.post('/v1/flows', { flow_id: 'mine', name: 'theirs', definition: greeting }).expect(201);
  expect((await flows.api.get('/v1/flows/mine')).body).toMatchObject({ name: 'mine' });
});

describe('identity tokens', () => {
  test('are accepted on /v1, with their scopes and organisation', async () => {
    const reader = flows.as(await identityToken({ organization_id: 'acme', scope: 'read openid' }));
    await reader.get('/v1/flows/mine').expect(200);
    await reader.patch('/v1/flows/mine', {}).expect(403);
    const rival = flows.as(await identityToken({ organization_id: 'nobody', scope: 'admin' }));
    await rival.get('/v1/flows/mine').expect(404);
  });

  test('of end users have no access: flows belong to the organisation', async () => {
    const person = { organization_id: 'acme', sub: 'user-1', scope: 'read write delete' };
    const refused = await flows
      .as(await identityToken(person))
      .get('/v1/flows/mine')
      .expect(403);
    expect(refused.body).toMatchObject({ code: 'not_for_end_users' });
  });

  test('are refused on the product face, and when they are expired or incomplete', async () => {
    const good = { organization_id: 'acme', scope: 'admin' };
    await flows
      .as(await identityToken(good))
      .get('/product/v1/flows')
      .expect(401);
    await flows
      .as(await identityToken(good, '-1m'))
      .get('/v1/flows')
      .expect(401);
    await flows
      .as(await identityToken({ scope: 'admin' }))
      .get('/v1/flows')
      .expect(401);
  });
});
