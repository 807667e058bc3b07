// Keys that may write a definition see its header values; others get masks.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startFlowBuilder, type FlowBuilder } from './service.ts';

const definition = (token: string) => ({
  start: 'helper',
  nodes: [
    {
      id: 'helper',
      type: 'autonomous',
      goal: 'Find the order.',
      tools: [{ name: 'find', description: 'Finds an order', parameters: { type: 'object' } }],
      tool_dispatch: {
        find: { url: 'https://shop.example/find', headers: { 'x-key': token, 'x-ref': 'secret://shop' } },
      },
      mcp: [{ url: 'https://mcp.example', headers: { Authorization: 'canary-mcp' } }],
    },
    { id: 'bye', type: 'end', message: 'Bye.' },
    { id: 'hook', type: 'webhook', url: 'https://crm.example/hook', headers: { 'x-token': 'canary-hook' } },
  ],
  edges: [{ source: 'helper', target: 'bye' }],
});

let flows: FlowBuilder;
let reader: FlowBuilder['api'];
let author: FlowBuilder['api'];
beforeAll(async () => {
  flows = await startFlowBuilder();
  reader = flows.as(await flows.issueKey('acme', ['read']));
  author = flows.as(await flows.issueKey('acme', ['read', 'write']));
  await author.post('/v1/flows', { flow_id: 'f', definition: definition('canary-one') }).expect(201);
  await author.patch('/v1/flows/f', { definition: definition('canary-two') }).expect(200);
  const fails = { turns: [{ expect: { actions: [{ type: 'tool' }] } }] };
  await author.put('/v1/flows/f/tests/fails', fails).expect(201);
});
afterAll(() => flows.stop());

const asked: [string, (as: FlowBuilder['api']) => ReturnType<FlowBuilder['api']['get']>, boolean][] = [
  ['the latest version', (as) => as.get('/v1/flows/f'), true],
  ['an older one', (as) => as.get('/v1/flows/f?version=1'), true],
  ['on the product face', (as) => as.get('/product/v1/flows/f'), true],
  ['a diff', (as) => as.get('/v1/flows/f/diff?from=1&to=2'), true],
  ['the run spec of a turn', (as) => as.post('/v1/flows/f/execute', {}), true],
  ['a simulation', (as) => as.post('/v1/flows/f/simulate', { utterances: [] }), true],
  ['a failed test', (as) => as.post('/v1/flows/f/tests/run'), true],
  ['an analysis', (as) => as.post('/v1/flows/f/validate'), false],
  ['the ledger', (as) => as.get('/v1/flows/f/versions'), false],
  ['a picture', (as) => as.get('/v1/flows/f/diagram?format=dot'), false],
];

test.each(asked)('%s', async (_what, ask, shows) => {
  const masked = await ask(reader).expect(200);
  expect(masked.text).not.toContain('canary');
  if (shows) expect(masked.text).toMatch(/\[hidden 1\]/);
  const whole = await ask(author).expect(200);
  expect(whole.text.includes('canary')).toBe(shows);
  expect(whole.text).not.toContain('[hidden');
});

test('references are visible, and a masked diff still shows changes', async () => {
  expect((await reader.get('/v1/flows/f')).text).toContain('secret://shop');
  const diff = (await reader.get('/v1/flows/f/diff?from=1&to=2')).body as {
    identical: boolean;
    nodes: { changed: unknown[] };
  };
  expect(diff.identical).toBe(false);
  expect(diff.nodes.changed).toEqual([
    {
      id: 'helper',
      changes: [
        {
          path: '/tool_dispatch/find/headers/x-key',
          before: '[hidden 1]',
          after: expect.stringMatching(/^\[hidden \d\]$/),
        },
      ],
    },
  ]);
});
