// A secret belongs to its address: a flow sends to an address only what was written with that
// address (docs/platform.md#secrets). For tools in process, tools and servers in run specs, and
// webhook nodes.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { fakeGateway, receiver, type FakeGateway, type Receiver } from '@parley/testing';
import { startFlowBuilder, type FlowBuilder } from './service.ts';

const HIDDEN = 'canary-hidden-value';
const REFERENCED = 'canary-of-the-reference';

let gateway: FakeGateway;
let before: Receiver;
let after: Receiver;
let flows: FlowBuilder;
let secrets: string;
let made = 0;

beforeAll(async () => {
  secrets = mkdtempSync(join(tmpdir(), 'parley-secrets-'));
  mkdirSync(join(secrets, 'acme'));
  writeFileSync(join(secrets, 'acme', 'shop'), REFERENCED);
  gateway = await fakeGateway({ key: 'sk-gateway' });
  [before, after] = await Promise.all([receiver(), receiver()]);
  flows = await startFlowBuilder({
    OPERATOR_ORGANIZATION: 'acme',
    OUTBOUND_ALLOW: '127.0.0.1',
    FLOW_SECRETS: `file://${secrets}/{organization}/{name}`,
    GATEWAY_URL: gateway.url,
    GATEWAY_KEY: 'env://GATEWAY_KEY_VALUE',
    GATEWAY_KEY_VALUE: 'sk-gateway',
    CLASSIFIER_MODEL: 'small',
    AGENT_MODEL: 'large',
  });
});
afterAll(async () => {
  await flows.stop();
  await Promise.all([gateway.close(), before.close(), after.close()]);
  rmSync(secrets, { recursive: true });
});
beforeEach(() => {
  before.requests.length = 0;
  after.requests.length = 0;
});

const credentials = { 'x-key': HIDDEN, 'x-ref': 'secret://shop' };

/** Every address of a flow, all with the same headers. */
function definition(base: string, headers: object | undefined, agent_mode = 'in_process') {
  const to = (path: string) => ({ url: `${base}/${path}`, ...(headers === undefined ? {} : { headers }) });
  return {
    start: 'helper',
    agent_mode,
    nodes: [
      {
        id: 'helper',
        type: 'autonomous',
        goal: 'Find the order.',
        tools: [{ name: 'find', description: 'Finds an order', parameters: { type: 'object' } }],
        tool_dispatch: { find: to('find') },
        mcp: [to('mcp')],
      },
      { id: 'bye', type: 'end', message: 'Bye.' },
      { id: 'hook', type: 'webhook', ...to('hook') },
    ],
    edges: [{ source: 'helper', target: 'bye' }],
  };
}

async function stored(agentMode?: string): Promise<string> {
  const flow_id = `f-${(made += 1)}`;
  const first = definition(before.url, credentials, agentMode);
  await flows.api.post('/v1/flows', { flow_id, definition: first }).expect(201);
  return flow_id;
}

async function callsTool(flowId: string): Promise<void> {
  gateway.script({ tools: [{ name: 'find', args: {} }] }, { goalReached: 'Found.' });
  await flows.api.post(`/v1/flows/${flowId}/execute`, {}).expect(200);
}

test('a tool is called with its hidden value and its secret', async () => {
  await callsTool(await stored());
  expect(before.requests).toMatchObject([{ headers: { 'x-key': HIDDEN, 'x-ref': REFERENCED } }]);
});

test.each<[string, object | undefined]>([
  ['without headers', undefined],
  ['with other headers', { 'x-other': 'mine' }],
])('a tool at another origin, saved %s, is sent none of the old', async (_what, headers) => {
  const id = await stored();
  await flows.api.patch(`/v1/flows/${id}`, { definition: definition(after.url, headers) }).expect(200);
  await callsTool(id);
  expect(before.requests).toEqual([]);
  expect(after.requests).toHaveLength(1);
  expect(after.requests[0]!.headers).not.toHaveProperty('x-key');
  expect(JSON.stringify(after.requests[0]!.headers)).not.toMatch(/canary/);
  if (headers) expect(after.requests[0]!.headers).toMatchObject(headers);
});

test('saving masks with another address restores no hidden value', async () => {
  const id = await stored();
  const reader = flows.as(await flows.issueKey('acme', ['read']));
  const shown = (await reader.get(`/v1/flows/${id}`).expect(200)).body as { definition: object };
  const moved = JSON.parse(JSON.stringify(shown.definition).replaceAll(before.url, after.url)) as ReturnType<
    typeof definition
  >;
  await flows.api.patch(`/v1/flows/${id}`, { definition: moved }).expect(200);
  await callsTool(id);
  expect(after.requests).toHaveLength(1);
  expect(JSON.stringify(after.requests[0]!.headers)).not.toContain(HIDDEN);
});

test('run specs and stored definitions hold no values of an earlier address', async () => {
  const id = await stored('out_of_band');
  const moved = definition(after.url, undefined, 'out_of_band');
  await flows.api.patch(`/v1/flows/${id}`, { definition: moved }).expect(200);
  const latest = await flows.api.get(`/v1/flows/${id}`).expect(200);
  const turn = await flows.api.post(`/v1/flows/${id}/execute`, {}).expect(200);
  for (const { text } of [latest, turn]) {
    expect(text).toContain(after.url);
    expect(text).not.toMatch(/canary|secret:\/\/|x-key/);
  }
});

test('a tool that answers with a redirect to another origin sends nothing there', async () => {
  before.script({ status: 307, headers: { location: `${after.url}/find` } });
  await callsTool(await stored());
  expect(before.requests).toHaveLength(1);
  expect(after.requests).toEqual([]);
});
