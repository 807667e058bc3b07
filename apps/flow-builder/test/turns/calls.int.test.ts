// Flows that call flows, over HTTP: pins, runs, errors (docs/flow-language.md#calls).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startFlowBuilder, type FlowBuilder } from '../service.ts';

let flows: FlowBuilder;
beforeAll(async () => {
  flows = await startFlowBuilder();
  await flows.api.post('/v1/flows', { flow_id: 'naming', definition: naming('Thanks') }).expect(201);
  await flows.api.post('/v1/flows/naming/publish', {}).expect(200);
});
afterAll(() => flows.stop());

/** Asks for a name and says a last text. */
const naming = (thanks: string) => ({
  nodes: [
    { id: 'ask', type: 'collect', prompt: '{{ greeting }}! Your name?', variable: 'name' },
    { id: 'thanks', type: 'end', message: `${thanks}, {{ name }}.` },
  ],
  edges: [{ source: 'ask', target: 'thanks' }],
});

const calling = (call: object, flowId = 'naming') => ({
  nodes: [
    {
      id: 'who',
      type: 'branch',
      call: { flow_id: flowId, version: 'published', input: { greeting: 'Good day' }, ...call },
    },
    { id: 'anna', type: 'end', message: 'Hi Anna.' },
    { id: 'other', type: 'end', message: 'Who?' },
  ],
  edges: [
    { source: 'who', target: 'anna', variable: 'name', value: 'Anna' },
    { source: 'who', target: 'other' },
  ],
});

interface Turn {
  version: number;
  status: string;
  next_node: string | null;
  outputs: { node_id: string; text: string }[];
  variables: Record<string, unknown>;
  trace?: { node_id: string }[];
}

async function converse(flowId: string, answer: string, query = ''): Promise<Turn> {
  const execute = `/v1/flows/${flowId}/execute${query}`;
  const first = (await flows.api.post(execute, {}).expect(200)).body as Turn;
  const { next_node: current_node, variables } = first;
  const next = await flows.api.post(execute, { current_node, variables, user_input: answer }).expect(200);
  return next.body as Turn;
}
const said = ({ outputs }: Turn) => outputs.map(({ text }) => text);

describe('a flow that calls another', () => {
  test('is stored as written, shows its pinned versions, and runs as one flow', async () => {
    const definition = calling({ output: ['name'] });
    const stored = await flows.api.post('/v1/flows', { flow_id: 'shop', definition }).expect(201);
    expect(stored.body).toMatchObject({
      definition,
      calls: [{ node_id: 'who', flow_id: 'naming', version: 1 }],
      validation: { valid: true, errors: [], stats: { nodes: 6 } },
    });
    const first = (await flows.api.post('/v1/flows/shop/execute', {}).expect(200)).body as Turn;
    expect(first).toMatchObject({ status: 'waiting', next_node: 'who/ask' });
    expect(said(first)).toEqual(['Good day! Your name?']);
    const turn = await converse('shop', 'Anna', '?trace=true');
    expect(said(turn)).toEqual(['Thanks, Anna.', 'Hi Anna.']);
    expect(turn.trace!.map(({ node_id }) => node_id)).toEqual(['who/ask', 'who/thanks', 'who/', 'anna']);
    expect(turn.variables['name']).toBe('Anna');
    expect(turn.variables).not.toHaveProperty('greeting');
  });

  test('a published version runs its pinned versions; saving again pins the current ones', async () => {
    const definition = calling({});
    await flows.api.post('/v1/flows', { flow_id: 'pinned', definition }).expect(201);
    await flows.api.post('/v1/flows/pinned/publish', {}).expect(200);
    await flows.api.post('/v1/flows', { flow_id: 'moving', definition: naming('One') }).expect(201);
    await flows.api.post('/v1/flows/moving/publish', {}).expect(200);
    const request = { flow_id: 'follows', definition: calling({}, 'moving') };
    await flows.api.post('/v1/flows', request).expect(201);
    await flows.api.post('/v1/flows/follows/publish', {}).expect(200);

    await flows.api.patch('/v1/flows/moving', { definition: naming('Two') }).expect(200);
    await flows.api.post('/v1/flows/moving/publish', {}).expect(200);
    expect(said(await converse('follows', 'Bob'))).toEqual(['One, Bob.', 'Who?']);
    // Repeating the create has the same result, although the called flow has changed.
    expect((await flows.api.post('/v1/flows', request).expect(200)).body).toMatchObject({ version: 1 });

    // Unpublished, its last version is still the pinned one.
    const again = await flows.api.patch('/v1/flows/follows', { definition: request.definition }).expect(200);
    expect(again.body).toMatchObject({ version: 2, calls: [{ version: 2 }] });
    expect(said(await converse('follows', 'Bob'))).toEqual(['One, Bob.', 'Who?']);
    expect(said(await converse('follows', 'Bob', '?version=2'))).toEqual(['Two, Bob.', 'Who?']);
    await flows.api.patch('/v1/flows/follows', { definition: request.definition }).expect(200);
    const diff = await flows.api.get('/v1/flows/follows/diff?from=1&to=2').expect(200);
    expect(diff.body).toMatchObject({
      identical: false,
      summary: ['The call "who" runs version 2 of flow "moving" instead of 1.'],
      calls: [{ node_id: 'who', flow_id: 'moving', before: 1, after: 2 }],
      patch: [],
    });
  });

  test('does not change with the called flow', async () => {
    await flows.api.post('/v1/flows', { flow_id: 'gone', definition: naming('Kept') }).expect(201);
    const definition = calling({ version: 1 }, 'gone');
    await flows.api.post('/v1/flows', { flow_id: 'keeps', definition }).expect(201);
    await flows.deps.sql(`DELETE FROM flow_versions WHERE organization_id = 'acme' AND flow_id = 'gone'`);
    await flows.deps.sql(`DELETE FROM flows WHERE organization_id = 'acme' AND flow_id = 'gone'`);
    expect(said(await converse('keeps', 'Bob'))).toEqual(['Kept, Bob.', 'Who?']);
    await flows.api.post('/v1/flows/keeps/publish', {}).expect(200);
    // Its copy and its next version run the same; a new definition that calls it does not.
    await flows.api.post('/v1/flows/keeps/duplicate', { flow_id: 'copy' }).expect(201);
    expect(said(await converse('copy', 'Bob'))).toEqual(['Kept, Bob.', 'Who?']);
    await flows.api.patch('/v1/flows/keeps', { name: 'Renamed' }).expect(200);
    expect(said(await converse('keeps', 'Bob', '?version=2'))).toEqual(['Kept, Bob.', 'Who?']);
    await flows.api.post('/v1/flows', { flow_id: 'late', definition }).expect(422);
  });

  test('can be tested, simulated, drawn and called', async () => {
    await flows.api.post('/v1/flows', { flow_id: 'middle', definition: calling({}) }).expect(201);
    const outer = await flows.api
      .post('/v1/flows', { flow_id: 'outer', definition: calling({ version: 1 }, 'middle') })
      .expect(201);
    expect(outer.body).toMatchObject({
      calls: [{ node_id: 'who' }, { node_id: 'who/who', flow_id: 'naming' }],
    });
    const turns = [
      { expect: { next_node: 'who/who/ask' } },
      {
        user_input: 'Anna',
        expect: { messages: ['Thanks, Anna.', 'Hi Anna.', 'Hi Anna.'], status: 'completed' },
      },
    ];
    await flows.api.put('/v1/flows/outer/tests/anna', { turns }).expect(201);
    const run = await flows.api.post('/v1/flows/outer/tests/run', {}).expect(200);
    expect(run.body).toMatchObject({ passed: 1, failed: 0 });
    // A thread holds conversations of this length.
    const utterances = ['Anna', ...Array.from({ length: 40 }, () => 'x'.repeat(1_000))];
    const simulated = await flows.api.post('/v1/flows/outer/simulate', { utterances }).expect(200);
    expect((simulated.body as { turns: Turn[] }).turns.at(-1)).toMatchObject({ status: 'completed' });

    const drawn = (await flows.api.get('/v1/flows/outer/diagram').expect(200)).text.split('\n');
    const [opened, closed] = [
      drawn.filter((line) => line.includes('subgraph')),
      drawn.filter((line) => /^ *end$/.test(line)),
    ];
    expect(opened.map((line) => line.trim())).toEqual([
      expect.stringContaining('["who"]'),
      expect.stringContaining('["who/who"]'),
    ]);
    expect(closed).toHaveLength(2);
    const svg = await flows.api.get('/v1/flows/outer/diagram?format=svg').expect(200);
    expect((svg.body as Buffer).toString()).toContain('who/who/ask');
  });
});

describe('is refused', () => {
  const findings = (body: unknown) =>
    (body as { validation: { errors: { code: string; path: string }[] } }).validation.errors.map(
      ({ code, path }) => `${code} ${path}`,
    );
  const unresolved = ['call_unresolved /nodes/0/call'];

  test('a call of an unknown or unpublished flow, or of another organisation’s', async () => {
    await flows.api.post('/v1/flows', { flow_id: 'drafted', definition: naming('x') }).expect(201);
    for (const call of [
      calling({}, 'nobody'),
      calling({ version: 7 }),
      calling({ version: 3_000_000_000 }),
      calling({}, 'drafted'),
    ]) {
      const refused = await flows.api.post('/v1/flows', { definition: call }).expect(422);
      expect(findings(refused.body)).toEqual(unresolved);
    }
    const other = flows.as(await flows.issueKey('globex'));
    expect(findings((await other.post('/v1/flows', { definition: calling({}) }).expect(422)).body)).toEqual(
      unresolved,
    );
    const invalid = await flows.api.post('/v1/flows', { definition: calling({ flow_id: 5 }) }).expect(422);
    expect(findings(invalid.body)).toEqual(['call_invalid /nodes/0/call']);
  });

  test('a flow that calls itself, which is stored as a draft', async () => {
    await flows.api.post('/v1/flows', { flow_id: 'ring', definition: naming('x') }).expect(201);
    await flows.api
      .post('/v1/flows', { flow_id: 'link', definition: calling({ version: 1 }, 'ring') })
      .expect(201);
    for (const flowId of ['ring', 'link']) {
      const draft = await flows.api
        .patch('/v1/flows/ring', { definition: calling({ version: 1 }, flowId) })
        .expect(200);
      expect(findings(draft.body)).toEqual(unresolved);
    }
    await flows.api.post('/v1/flows/ring/publish', {}).expect(422);
    await flows.api.post('/v1/flows/ring/execute', {}).expect(200); // version 1
    const asked = await flows.api
      .post('/v1/flows/ring/validate', { definition: calling({ version: 1 }, 'link') })
      .expect(200);
    expect(asked.body).toMatchObject({ valid: false, errors: [{ code: 'call_unresolved' }] });
  });

  test('calls that are too deep or too large', async () => {
    await flows.api.post('/v1/flows', { flow_id: 'deep-0', definition: naming('x') }).expect(201);
    for (let level = 1; level <= 5; level++)
      await flows.api
        .post('/v1/flows', {
          flow_id: `deep-${level}`,
          definition: calling({ version: 1 }, `deep-${level - 1}`),
        })
        .expect(201);
    const refused = await flows.api
      .post('/v1/flows', { definition: calling({ version: 1 }, 'deep-5') })
      .expect(422);
    expect(findings(refused.body)).toEqual(unresolved);

    const notes = 'x'.repeat(1_500_000);
    for (const name of ['large-a', 'large-b'])
      await flows.api.post('/v1/flows', { flow_id: name, definition: { ...naming('x'), notes } }).expect(201);
    const definition = {
      nodes: ['large-a', 'large-b'].map((flow_id) => ({
        id: flow_id,
        type: 'branch',
        call: { flow_id, version: 1 },
      })),
      edges: [],
    };
    const large = await flows.api.post('/v1/flows', { definition }).expect(422);
    expect(large.body).toMatchObject({ code: 'limit_exceeded' });
  });
});

test('a flow without calls is stored and tagged as before', async () => {
  const stored = await flows.api.post('/v1/flows', { flow_id: 'plain', definition: naming('x') }).expect(201);
  expect(stored.body).not.toHaveProperty('calls');
  const rows = await flows.deps.sql(
    `SELECT calls, expanded FROM flow_versions WHERE organization_id = 'acme' AND flow_id = 'plain'`,
  );
  expect(rows).toEqual([{ calls: null, expanded: null }]);
});
