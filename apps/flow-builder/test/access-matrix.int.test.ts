// Every operation of /openapi.json, by every kind of caller and from another organisation.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { otherTenantProblems, pathProblems, scopeProblems, unboundedParts } from '@parley/app-testkit';
import { greeting, startFlowBuilder, type FlowBuilder } from './service.ts';

/** Hundreds of requests, one after the other. */
const PATIENCE_MS = 120_000;

let flows: FlowBuilder;
beforeAll(async () => {
  flows = await startFlowBuilder();
});
afterAll(() => flows.stop());

/** They change nothing (docs/platform.md#scopes). */
const READING = {
  executeTurn: 'read',
  createChatCompletion: 'read',
  validateFlow: 'read',
  simulateFlow: 'read',
  runTests: 'read',
  diffDefinition: 'read',
  drawDefinition: 'read',
  replayTurns: 'read',
  generateTests: 'read',
  measureCoverage: 'read',
  reachPlace: 'read',
  compareFlows: 'read',
  importFlow: 'read',
} as const;

test('nothing in a request may be without end', async () => {
  expect(await unboundedParts(flows)).toEqual([]);
});

test(
  'each kind of caller may do what it should, and nothing else',
  async () => {
    expect(await scopeProblems(flows, READING)).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'no path is another one',
  async () => {
    expect(
      await pathProblems(flows, {
        putTest: { parameter: 'name', body: { turns: [{ expect: {} }] } },
      }),
    ).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'nothing of another organisation can be seen or changed',
  async () => {
    const clients = new Map<string, ReturnType<FlowBuilder['as']>>();
    const as = async (organizationId: string) => {
      const known = clients.get(organizationId) ?? flows.as(await flows.issueKey(organizationId));
      clients.set(organizationId, known);
      return known;
    };
    let made = 0;
    const problems = await otherTenantProblems(flows, {
      resources: {
        flows: async (organizationId) => {
          const api = await as(organizationId);
          const id = `flow-${(made += 1)}`;
          await api.post('/v1/flows', { flow_id: id, definition: greeting }).expect(201);
          await api.post(`/v1/flows/${id}/publish`).expect(200);
          return id;
        },
        tests: async (organizationId, known) => {
          const path = `/v1/flows/${known['flows']}/tests/one`;
          await (await as(organizationId)).put(path, { turns: [{ expect: {} }] }).expect(201);
          return 'one';
        },
        'api-keys': async (organizationId) => {
          const api = await as(organizationId);
          const created = await api.post('/v1/api-keys', { name: 'x', scopes: ['read'] }).expect(201);
          return (created.body as { id: string }).id;
        },
      },
      bodies: {
        simulateFlow: { utterances: [] },
        diffDefinition: { definition: greeting },
        replayTurns: { turns: [{}] },
        reachPlace: { edge_index: 0 },
        putTest: { turns: [{ expect: {} }] },
      },
    });
    expect(problems).toEqual([]);
  },
  PATIENCE_MS,
);
