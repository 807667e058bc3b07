// The endpoint table of simulations and stored tests.
import { del, get, post, put, type Endpoint } from '@parley/server/http';
import { flowBuilderDialect } from '@parley/envelopes';
import type { Deps } from '../deps.ts';
import { DEFINITION_BODY_BYTES_MAX, flowParams, ledgerQuery, validateQuery } from '../versions/schemas.ts';
import {
  conversationTest,
  deletedTest,
  runTestsRequest,
  simulateQuery,
  simulateRequest,
  simulation,
  storedTest,
  testParams,
  writtenTestParams,
  testRun,
} from './schemas.ts';
import { simulateFlow } from './simulate-flow.ts';
import { deleteTest, getTest, listTests, putTest, runTests } from './stored-tests.ts';

const { pageSchema } = flowBuilderDialect;

export function conversationEndpoints(deps: Deps): Endpoint[] {
  return [...runEndpoints(deps), ...storedTestEndpoints(deps)];
}

function runEndpoints(deps: Deps): Endpoint[] {
  return [
    post(
      '/flows/{flow_id}/simulate',
      {
        operationId: 'simulateFlow',
        summary: 'Simulate a conversation with any version or definition, without side effects',
        scope: 'read', // it changes nothing
        params: flowParams,
        query: simulateQuery,
        body: simulateRequest,
        bodyBytesMax: DEFINITION_BODY_BYTES_MAX,
        replies: { 200: simulation },
        refusals: [
          'flow_has_errors',
          'unknown_node',
          'tool_result_mismatch',
          'handoff_result_mismatch',
          'turn_did_not_settle',
          'turn_too_costly',
          'limit_exceeded',
          'request_too_costly',
        ],
      },
      ({ caller, params, query, body }) =>
        simulateFlow(deps, caller, params.flow_id, { ...body, trace: query.trace === 'true' }),
    ),
    get(
      '/flows/{flow_id}/tests',
      {
        operationId: 'listTests',
        summary: 'List the stored tests of a flow, by name',
        scope: 'read',
        params: flowParams,
        query: ledgerQuery,
        replies: { 200: pageSchema(storedTest) },
      },
      ({ caller, params, query }) => listTests(deps, caller, params.flow_id, query),
    ),
    post(
      '/flows/{flow_id}/tests/run',
      {
        operationId: 'runTests',
        summary: 'Run every stored test against a version or a definition',
        scope: 'read', // it changes nothing
        params: flowParams,
        query: validateQuery,
        body: runTestsRequest,
        bodyBytesMax: DEFINITION_BODY_BYTES_MAX,
        replies: { 200: testRun },
        refusals: ['limit_exceeded', 'request_too_costly'],
      },
      ({ caller, params, query, body }) =>
        runTests(deps, caller, params.flow_id, { ...body, version: query.version }),
    ),
  ];
}

function storedTestEndpoints(deps: Deps): Endpoint[] {
  return [
    put(
      '/flows/{flow_id}/tests/{name}',
      {
        operationId: 'putTest',
        stores: true,
        summary: 'Store a test: a conversation and its expected results',
        scope: 'write',
        params: writtenTestParams,
        body: conversationTest,
        replies: { 201: storedTest, 200: storedTest },
        refusals: ['limit_exceeded'],
      },
      ({ caller, params, body }) => putTest(deps, caller, params.flow_id, params.name, body),
    ),
    get(
      '/flows/{flow_id}/tests/{name}',
      {
        operationId: 'getTest',
        summary: 'Get a stored test',
        scope: 'read',
        params: testParams,
        replies: { 200: storedTest },
      },
      ({ caller, params }) => getTest(deps, caller, params.flow_id, params.name),
    ),
    del(
      '/flows/{flow_id}/tests/{name}',
      {
        operationId: 'deleteTest',
        summary: 'Delete a stored test',
        scope: 'delete',
        params: testParams,
        replies: { 200: deletedTest },
      },
      ({ caller, params }) => deleteTest(deps, caller, params.flow_id, params.name),
    ),
  ];
}
