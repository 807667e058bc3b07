// The endpoints that explain and predict behaviour (docs/why.md). They change nothing, except that
// tests can be saved and a draft can be taught.
import { get, post, type Endpoint } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { DEFINITION_BODY_BYTES_MAX, flowParams } from '../versions/schemas.ts';
import { compareFlows } from './compare-flows.ts';
import { generateFlowTests } from './generate-tests.ts';
import { measureClassifier } from './measure-classifier.ts';
import { measureCoverage } from './measure-coverage.ts';
import { previewPublish } from './preview-publish.ts';
import { reachPlace } from './reach-place.ts';
import { readAnswer } from './read-answer.ts';
import { replayTurns } from './replay-turns.ts';
import { teachFlow } from './teach-flow.ts';
import { classifierReport, teachReply, teachRequest } from './teach-schemas.ts';
import {
  compareRequest,
  comparison,
  coverage,
  versionOnlyQuery,
  coverageRequest,
  generatedTests,
  generateRequest,
  publishPreview,
  reachReply,
  reachRequest,
  readReply,
  readRequest,
  replayReply,
  replayRequest,
} from './schemas.ts';

/** Recorded turns with their variables, and a definition. */
const TURNS_BODY_BYTES_MAX = 5 * 1024 * 1024;

export function explainEndpoints(deps: Deps): Endpoint[] {
  return [...replayEndpoints(deps), ...coverageEndpoints(deps), ...comparisonEndpoints(deps)];
}

function replayEndpoints(deps: Deps): Endpoint[] {
  return [
    post(
      '/flows/{flow_id}/replay',
      {
        operationId: 'replayTurns',
        summary: 'Replay recorded turns on any version, and show the differences',
        scope: 'read', // it changes nothing (docs/platform.md#scopes)
        params: flowParams,
        body: replayRequest,
        bodyBytesMax: TURNS_BODY_BYTES_MAX,
        replies: { 200: replayReply },
        refusals: ['limit_exceeded', 'request_too_costly'],
      },
      ({ caller, params, body }) => replayTurns(deps, caller, params.flow_id, body),
    ),
    post(
      '/flows/{flow_id}/teach',
      {
        operationId: 'teachFlow',
        stores: true,
        summary: 'Teach a branch from a recorded turn: example, test, and which other turns change',
        scope: 'write',
        params: flowParams,
        body: teachRequest,
        bodyBytesMax: TURNS_BODY_BYTES_MAX,
        replies: { 200: teachReply },
        refusals: ['unprocessable', 'stale_version', 'limit_exceeded', 'request_too_costly'],
      },
      ({ caller, params, body }) => teachFlow(deps, caller, params.flow_id, body),
    ),
    post(
      '/flows/{flow_id}/tests/generate',
      {
        operationId: 'generateTests',
        summary: 'Generate conversations that take every reachable edge; `save` stores them as tests',
        scope: 'read', // saving needs `write`
        params: flowParams,
        body: generateRequest,
        bodyBytesMax: DEFINITION_BODY_BYTES_MAX,
        replies: { 200: generatedTests },
        refusals: ['limit_exceeded', 'request_too_costly'],
      },
      ({ caller, params, body }) => generateFlowTests(deps, caller, params.flow_id, body),
    ),
  ];
}

function coverageEndpoints(deps: Deps): Endpoint[] {
  return [
    get(
      '/flows/{flow_id}/coverage',
      {
        operationId: 'getCoverage',
        summary: 'Measure which edges and nodes stored and generated tests visit',
        scope: 'read',
        params: flowParams,
        query: versionOnlyQuery,
        replies: { 200: coverage },
        refusals: ['request_too_costly'],
      },
      ({ caller, params, query }) =>
        measureCoverage(deps, caller, params.flow_id, { version: query.version, turns: [] }),
    ),
    post(
      '/flows/{flow_id}/coverage',
      {
        operationId: 'measureCoverage',
        summary: 'Measure coverage with recorded turns, or of a definition in the request',
        scope: 'read', // it changes nothing
        params: flowParams,
        body: coverageRequest,
        bodyBytesMax: TURNS_BODY_BYTES_MAX,
        replies: { 200: coverage },
        refusals: ['limit_exceeded', 'request_too_costly'],
      },
      ({ caller, params, body }) => measureCoverage(deps, caller, params.flow_id, body),
    ),
    get(
      '/flows/{flow_id}/classifier',
      {
        operationId: 'measureClassifier',
        summary: 'Measure how well examples tell the branches of each node apart',
        scope: 'read',
        params: flowParams,
        query: versionOnlyQuery,
        replies: { 200: classifierReport },
        refusals: ['limit_exceeded', 'request_too_costly'],
      },
      ({ caller, params, query }) => measureClassifier(deps, caller, params.flow_id, query),
    ),
    post(
      '/flows/{flow_id}/reach',
      {
        operationId: 'reachPlace',
        summary: 'Find the shortest conversation to a node or an edge, or why none exists',
        scope: 'read', // it changes nothing
        params: flowParams,
        body: reachRequest,
        bodyBytesMax: DEFINITION_BODY_BYTES_MAX,
        replies: { 200: reachReply },
        refusals: ['limit_exceeded', 'request_too_costly'],
      },
      ({ caller, params, body }) => reachPlace(deps, caller, params.flow_id, body),
    ),
  ];
}

function comparisonEndpoints(deps: Deps): Endpoint[] {
  return [
    post(
      '/flows/{flow_id}/read',
      {
        operationId: 'readAnswer',
        summary: 'Show how a question reads an utterance, word by word',
        scope: 'read', // it changes nothing
        params: flowParams,
        body: readRequest,
        bodyBytesMax: DEFINITION_BODY_BYTES_MAX,
        replies: { 200: readReply },
        refusals: ['turn_too_costly', 'limit_exceeded', 'request_too_costly'],
      },
      ({ caller, params, body }) => readAnswer(deps, caller, params.flow_id, body),
    ),
    post(
      '/flows/{flow_id}/compare',
      {
        operationId: 'compareFlows',
        summary: 'Compare the behaviour of two versions, with their diff',
        scope: 'read', // it changes nothing
        params: flowParams,
        body: compareRequest,
        bodyBytesMax: TURNS_BODY_BYTES_MAX,
        replies: { 200: comparison },
        refusals: ['limit_exceeded', 'request_too_costly'],
      },
      ({ caller, params, body }) => compareFlows(deps, caller, params.flow_id, body),
    ),
    get(
      '/flows/{flow_id}/publish/preview',
      {
        operationId: 'previewPublish',
        summary: 'Preview what publishing a version changes for callers, and its test run',
        scope: 'read',
        params: flowParams,
        query: versionOnlyQuery,
        replies: { 200: publishPreview },
        refusals: ['limit_exceeded', 'request_too_costly'],
      },
      ({ caller, params, query }) => previewPublish(deps, caller, params.flow_id, query.version),
    ),
  ];
}
