// Calls every operation of /openapi.json as every kind of caller, and from another organisation.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  cursorProblems,
  otherTenantProblems,
  pathProblems,
  scopeProblems,
  unboundedParts,
} from '@parley/testing-services';
import { matrixOf } from './matrix.ts';
import { startFlowBuilder, type FlowBuilder } from './service.ts';

/** Hundreds of requests, one after the other. */
const PATIENCE_MS = 120_000;

let flows: FlowBuilder;
beforeAll(async () => {
  flows = await startFlowBuilder();
});
afterAll(() => flows.stop());

/** Operations that change nothing, and one that costs money (docs/platform.md#scopes). */
const SCOPES = {
  checkGateway: 'admin',
  getModelUsage: 'admin',
  getModelSettings: 'admin',
  putModelSettings: 'admin',
  deleteModelSettings: 'admin',
  executeTurn: 'read',
  createChatCompletion: 'read',
  createResponse: 'read',
  validateFlow: 'read',
  simulateFlow: 'read',
  runTests: 'read',
  diffDefinition: 'read',
  drawDefinition: 'read',
  replayTurns: 'read',
  generateTests: 'read',
  measureCoverage: 'read',
  reachPlace: 'read',
  readAnswer: 'read',
  compareFlows: 'read',
  importFlow: 'read',
} as const;

test('every request member has a maximum', async () => {
  expect(await unboundedParts(flows)).toEqual([]);
});

test(
  'each kind of caller may do what it should, and nothing else',
  async () => {
    expect(await scopeProblems(flows, SCOPES)).toEqual([]);
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
  'a list refuses an invented cursor',
  async () => {
    expect(await cursorProblems(flows, matrixOf(flows))).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'nothing of another organisation can be seen or changed',
  async () => {
    expect(await otherTenantProblems(flows, matrixOf(flows))).toEqual([]);
  },
  PATIENCE_MS,
);
