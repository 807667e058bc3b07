// Plans and caps (docs/platform.md#plans-and-limits) for callers of this service.
// apps/voice-api/test/limits/limits.int.test.ts checks how exactly requests are counted.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { setOrganization } from '@parley/server/organizations';
import { eventually } from '@parley/testing';
import { greeting, greetingThatEnds, startFlowBuilder, type FlowBuilder } from './service.ts';

let flows: FlowBuilder;
beforeAll(async () => {
  flows = await startFlowBuilder();
});
afterAll(() => flows.stop());

/** Clients of an organisation without settings: it is on starter. */
const clientOf = async (organizationId: string) => flows.as(await flows.issueKey(organizationId));
const LIMITS = {
  requests_per_minute: 30_000,
  concurrent_connections: 200,
  storage_bytes: 2_000_000_000,
  api_keys: 100,
  flows: 1_000,
  versions_per_flow: 5_000,
};

/** Heads of flows that take space only. */
const fillFlows = (organizationId: string, count: number) =>
  flows.deps.sql(
    `INSERT INTO flows (organization_id, flow_id, name, latest_version, created_at, updated_at)
     SELECT $1, 'filler-' || n, 'filler', 1, now(), now() FROM generate_series(1, $2::int) AS n`,
    [organizationId, count],
  );

test('GET /v1/organization shows the plan’s limits and the usage', async () => {
  const api = await clientOf('shown');
  await api.post('/v1/flows', { definition: greeting }).expect(201);
  const shown = await api.get('/v1/organization').expect(200);
  expect(shown.body).toEqual({
    id: 'shown',
    name: null,
    plan: 'starter',
    limits: LIMITS,
    used: { api_keys: 1, flows: 1, storage_bytes: 0 },
  });
});

test('requests are counted for each organisation', async () => {
  const api = await clientOf('busy');
  const { sql, clock } = flows.deps;
  await setOrganization(sql, 'busy', { requestsPerMinute: 3 }, clock());
  await eventually(async () => (await api.get('/v1/flows')).headers['x-ratelimit-limit'] === '3');
  await eventually(async () => (await api.get('/v1/flows')).status === 429);
  const refused = await api.post('/v1/flows/none/execute', {});
  expect(refused.status).toBe(429);
  expect(refused.body).toMatchObject({ code: 'rate_limited', policy: 'starter', limit: 3 });
  expect(refused.headers['retry-after']).toMatch(/^[1-9]\d*$/);
  const neighbour = await (await clientOf('neighbour')).get('/v1/flows').expect(200);
  expect(neighbour.headers['ratelimit-policy']).toBe(
    '"starter";q=30000;w=60, "concurrency";q=200;qu="concurrent-requests"',
  );
});

describe('a cap', () => {
  test('on flows: twenty at once fill the last five places and no more', async () => {
    const api = await clientOf('crowded');
    await fillFlows('crowded', 995);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => api.post('/v1/flows', { flow_id: `f${n}`, definition: greeting })),
    );
    expect(answers.filter(({ status }) => status === 201).length).toBe(5);
    const refused = answers.filter(({ status }) => status === 422);
    expect(refused.length).toBe(15);
    expect(refused[0]!.body).toMatchObject({
      code: 'limit_exceeded',
      limit: 'flows',
      used: 1_000,
      of: 1_000,
    });

    const made = answers.find(({ status }) => status === 201)!.body as { flow_id: string };
    // Nothing new: the same flow again, and another version of it.
    await api.post('/v1/flows', { flow_id: made.flow_id, definition: greeting }).expect(200);
    await api.patch(`/v1/flows/${made.flow_id}`, { definition: greetingThatEnds('Bye.') }).expect(200);
    await api.post(`/v1/flows/${made.flow_id}/duplicate`, {}).expect(422);
    await (await clientOf('elsewhere')).post('/v1/flows', { definition: greeting }).expect(201);
  });

  test('on versions of a flow', async () => {
    const api = await clientOf('edited');
    await api.post('/v1/flows', { flow_id: 'old', definition: greeting }).expect(201);
    await flows.deps.sql(
      `INSERT INTO flow_versions SELECT organization_id, flow_id, $2::int, name, definition, validation, valid, hash, note,
         created_at, created_by FROM flow_versions WHERE organization_id = $1`,
      ['edited', LIMITS.versions_per_flow],
    );
    await flows.deps.sql('UPDATE flows SET latest_version = $2::int WHERE organization_id = $1', [
      'edited',
      LIMITS.versions_per_flow,
    ]);
    await api.patch('/v1/flows/old', { definition: greeting }).expect(200); // unchanged
    const refused = await api.patch('/v1/flows/old', { definition: greetingThatEnds('Bye.') }).expect(422);
    expect(refused.body).toMatchObject({ code: 'limit_exceeded', limit: 'versions_per_flow', of: 5_000 });
  });

  test('on API keys counts valid keys only; a key can be replaced at any time', async () => {
    const api = await clientOf('keyring');
    const body = { name: 'x', scopes: ['read'] };
    const first = await api.post('/v1/api-keys', body).expect(201);
    const { id } = first.body as { id: string };
    await flows.deps.sql(
      `INSERT INTO api_keys (id, organization_id, name, display, hash, scopes, created_at, created_by)
       SELECT 'filler-' || n, 'keyring', 'x', 'x', sha256(('filler ' || n)::bytea), ARRAY['read'], now(), 'test'
       FROM generate_series(1, 98) AS n`,
    );
    // A count with much room left lets a few requests pass without another count.
    const refused = await untilRefused(() => api.post('/v1/api-keys', body));
    expect(refused.body).toMatchObject({ code: 'limit_exceeded', limit: 'api_keys', used: 100, of: 100 });
    await api.post(`/v1/api-keys/${id}/rotate`, { grace_seconds: 60 }).expect(422);
    await api.post(`/v1/api-keys/${id}/rotate`, {}).expect(201);
  });
});

/**
 * A cap may be exceeded by a tenth of the room at the last count. Only tests fill a table without
 * the service.
 */
async function untilRefused(ask: () => ReturnType<FlowBuilder['api']['post']>) {
  for (let count = 0; count < 20; count += 1) {
    const answer = await ask();
    if (answer.status === 422) return answer;
    expect(answer.status).toBe(201);
  }
  throw new Error('never refused');
}
