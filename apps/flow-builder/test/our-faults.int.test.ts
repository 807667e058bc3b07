// Every endpoint while Postgres or Redis does not respond, and while the disk is full
// (docs/platform.md#whose-fault-it-is).
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { fakeGateway, type FakeGateway } from '@parley/testing';
import {
  fullDiskProblems,
  invalidRequests,
  OUR_FAULTS,
  stallProblems,
  startFrozenReplicas,
  type FrozenReplicas,
  type ValidRequests,
} from '@parley/testing-services';
import { recorded } from './explain/explain.ts';
import { matrixOf } from './matrix.ts';
import { greeting, greetingThatEnds, startFlowBuilder, type FlowBuilder } from './service.ts';

/** Half a minute of waiting, and as much work; ten times as long on a busy machine. */
const PATIENCE_MS = 900_000;

let frozen: FrozenReplicas;
let service: FlowBuilder;
let valid: ValidRequests;
/** The assistant is refused without a provider. */
let gateway: FakeGateway;

beforeAll(async () => {
  gateway = await fakeGateway({ fallback: { content: '{"summary":"","cannot":"no"}' } });
  service = await startFlowBuilder({ GATEWAY_URL: gateway.url, CLASSIFIER_MODEL: 'small' });
  frozen = await startFrozenReplicas(service, startFlowBuilder);
  valid = validFor(service);
  const api = service.as(await service.issueKey(OUR_FAULTS));
  await api.post('/v1/flows', { flow_id: 'talk', definition: greeting }).expect(201);
  await api.post('/v1/flows/talk/publish').expect(200);
});
afterAll(async () => {
  await frozen.stop();
  await service.stop();
  await gateway.close();
});

let made = 0;

function validFor(flows: FlowBuilder): ValidRequests {
  const next = (name: string) => `${name}-${(made += 1)}`;
  let key: Promise<string> | undefined;
  const api = async () => flows.as(await (key ??= flows.issueKey(OUR_FAULTS)));
  return {
    ...matrixOf(flows),
    more: {
      createFlow: () => ({ flow_id: next('made'), definition: greeting }),
      importFlow: {
        source: {
          groups: [{ id: 'g', blocks: [{ id: 'b', type: 'text', content: { plainText: 'Hello.' } }] }],
          edges: [],
          events: [],
          variables: [],
          version: '6',
        },
      },
      createResponse: () => ({ model: 'talk', input: next('hello') }),
      createChatCompletion: () => ({ model: 'talk', messages: [{ role: 'user', content: next('hello') }] }),
      duplicateFlow: () => ({ flow_id: next('copy') }),
      updateFlow: () => ({ definition: greetingThatEnds(next('bye')) }),
      createApiKey: () => ({ name: next('key'), scopes: ['read'] }),
      putApiKey: () => ({ name: next('key'), scopes: ['read'] }),
    },
    once: ['rotateApiKey'],
    prepared: {
      // The flows of the other endpoints are published, and published flows cannot be archived.
      archiveFlow: async (path) => {
        const id = next('draft');
        await (await api()).post('/v1/flows', { flow_id: id, definition: greeting }).expect(201);
        return { path: path.replace('{flow_id}', id) };
      },
      replayTurns: (path) => {
        const turns = recorded({ flowId: 'talk', version: 1 }, greeting, [null, 'Ada']);
        return Promise.resolve({ path: path.replace('{flow_id}', 'talk'), body: JSON.stringify({ turns }) });
      },
      teachFlow: async (path) => {
        const flowId = next('taught');
        const definition = {
          nodes: [
            { id: 'ask', type: 'collect', prompt: 'Yes?', variable: 'wish' },
            { id: 'bye', type: 'end' },
          ],
          edges: [{ source: 'ask', target: 'bye', nl: 'wants to leave' }],
        };
        await (await api()).post('/v1/flows', { flow_id: flowId, definition }).expect(201);
        const [asked] = recorded({ flowId, version: 1 }, definition, [null]);
        const input = { ...asked!.input, user_input: 'goodbye' };
        const turns = [{ ...asked, turn: 2, current_node: 'ask', input }];
        const body = JSON.stringify({ session_id: 'call-1', turn: 2, edge: 0, turns });
        return { path: path.replace('{flow_id}', flowId), body };
      },
    },
  };
}

test(
  'every endpoint has a valid request, or a reason why not',
  async () => {
    expect(await invalidRequests(service, valid)).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'Postgres stands still for two seconds: 2xx, or 503 with Retry-After',
  async () => {
    expect(await stallProblems(service, valid, frozen, 'postgres')).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'Redis stands still for two seconds: 2xx, or 503 with Retry-After',
  async () => {
    expect(await stallProblems(service, valid, frozen, 'redis')).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'the disk of Postgres is full: 503 with Retry-After where something is written',
  async () => {
    const { problems, refused } = await fullDiskProblems(service, valid);
    expect(problems).toEqual([]);
    expect(refused).toBeGreaterThan(5);
  },
  PATIENCE_MS,
);
