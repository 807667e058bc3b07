// GET …/diagram in its three formats.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startFlowBuilder, type FlowBuilder } from '../service.ts';

const definition = {
  nodes: [
    { id: 'ask', type: 'collect', prompt: 'Say "yes" <or> `no` #1', variable: 'answer', cast: 'boolean' },
    { id: 'yes', type: 'end', message: 'Good.' },
    { id: 'no', type: 'handoff', target: 'sales' },
    { id: 'who', type: 'global', prompt: 'You are kind.' },
  ],
  edges: [
    { source: 'ask', target: 'yes', variable: 'answer', op: 'is_true' },
    { source: 'ask', target: 'no', default: true, label: 'otherwise' },
  ],
};

let flows: FlowBuilder;
beforeAll(async () => {
  flows = await startFlowBuilder();
  await flows.api.post('/v1/flows', { flow_id: 'drawn', definition }).expect(201);
});
afterAll(() => flows.stop());

const draw = (query: string) => flows.api.get(`/v1/flows/drawn/diagram${query}`);

test('mermaid, the default: every node and edge, labels that cannot break out', async () => {
  const response = await draw('').expect(200);
  expect(response.headers['content-type']).toContain('mermaid');
  expect(response.text).toBe(
    [
      'flowchart TD',
      '  n0[/"ask: Say #34;yes#34; #60;or#62; #96;no#96; #35;1"/]',
      '  n1(["yes: Good."])',
      '  n2(["no: sales"])',
      '  n3>"who: You are kind."]',
      '  n0 -->|"answer is_true"| n1',
      '  n0 -.->|"otherwise"| n2',
      '',
    ].join('\n'),
  );
});

test('dot', async () => {
  const response = await draw('?format=dot&version=1').expect(200);
  expect(response.text).toContain(
    'n0 [shape=parallelogram, label="ask: Say \\"yes\\" <or> `no` #1", penwidth=2];',
  );
  expect(response.text).toContain('n0 -> n2 [label="otherwise", style=dashed];');
});

test('svg', async () => {
  const response = await draw('?format=svg').expect(200);
  expect(response.headers['content-type']).toContain('image/svg+xml');
  const svg = (response.body as Buffer).toString();
  expect(svg).toContain('<svg');
  expect(svg).toContain('ask: Say &quot;yes&quot; &lt;or&gt;');
});

test('refuses an unknown format, version or flow, and a flow too large to draw', async () => {
  await draw('?format=png').expect(400);
  await draw('?version=2').expect(404);
  await flows.api.get('/v1/flows/none/diagram').expect(404);
  const nodes = Array.from({ length: 201 }, (_, index) => ({ id: `n${index}`, type: 'end' }));
  await flows.api.post('/v1/flows', { flow_id: 'large', definition: { nodes, edges: [] } }).expect(201);
  const refused = await flows.api.get('/v1/flows/large/diagram?format=svg').expect(422);
  expect(refused.body).toMatchObject({ code: 'limit_exceeded' });
  await flows.api.get('/v1/flows/large/diagram?format=dot').expect(200);
});
