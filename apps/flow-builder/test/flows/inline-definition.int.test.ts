// Simulates, compares, draws and tests a definition in the request, which is never stored.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { greeting, greetingThatEnds, startFlowBuilder, type FlowBuilder } from '../service.ts';

let flows: FlowBuilder;
beforeAll(async () => {
  flows = await startFlowBuilder();
  await flows.api.post('/v1/flows', { flow_id: 'f', definition: greeting }).expect(201);
});
afterAll(() => flows.stop());

const changed = greetingThatEnds('See you, {{ name }}.');
/** Parses, but has errors. */
const faulty = { nodes: [{ id: 'a', type: 'speak' }], edges: [] };
/** Too large for the main thread. */
const large = { ...changed, notes: 'x'.repeat(40_000) };
const code = (response: { body: unknown }) => (response.body as { code: string }).code;

describe('simulate', () => {
  test.each([
    ['a small one', changed],
    ['a large one', large],
  ])('%s, of a flow that need not exist', async (_what, definition) => {
    const response = await flows.api
      .post('/v1/flows/none/simulate', { definition, utterances: ['Ada'] })
      .expect(200);
    const body: unknown = response.body;
    expect(body).toMatchObject({
      version: null,
      turns: [{ status: 'waiting' }, { outputs: [{ text: 'See you, Ada.' }] }],
    });
    await flows.api.get('/v1/flows/none').expect(404);
  });

  test('refuses a malformed definition, errors, and a version with a definition', async () => {
    const simulate = (body: object) => flows.api.post('/v1/flows/f/simulate', { utterances: [], ...body });
    expect((await simulate({ definition: { nodes: 1 } }).expect(400)).text).toContain('/definition/nodes');
    expect(code(await simulate({ definition: faulty }).expect(422))).toBe('flow_has_errors');
    await simulate({ definition: changed, version: 1 }).expect(400);
  });

  test('turns have a time and variables of their own, from the opening one on', async () => {
    const definition = {
      nodes: [
        { id: 'when', type: 'collect', prompt: 'When, {{ who }}?', variable: 'day', cast: 'date' },
        { id: 'and', type: 'collect', prompt: '{{ day }}. And then?', variable: 'then', cast: 'date' },
        { id: 'end', type: 'end', message: '{{ then }}, {{ who }}' },
      ],
      edges: [
        { source: 'when', target: 'and' },
        { source: 'and', target: 'end' },
      ],
    };
    const at = (date: string) => Date.parse(date) / 1000;
    const response = await flows.api
      .post('/v1/flows/f/simulate', {
        definition,
        turns: [
          { variables: { who: 'Ada' } },
          { user_input: 'tomorrow', now: at('2026-08-24T12:00:00Z') },
          { user_input: 'tomorrow', variables: { who: 'Bob' } },
        ],
      })
      .expect(200);
    const body: unknown = response.body;
    const { turns } = body as { turns: { outputs: { text: string }[] }[] };
    expect(turns.map(({ outputs }) => outputs[0]!.text)).toEqual([
      'When, Ada?',
      '2026-08-25. And then?',
      '2026-08-25, Bob',
    ]);
    const both = { utterances: [], turns: [{}] };
    for (const body of [{}, both]) await flows.api.post('/v1/flows/f/simulate', body).expect(400);
  });
});

test('diff shows what storing it would change', async () => {
  const response = await flows.api.post('/v1/flows/f/diff', { definition: changed }).expect(200);
  const body: unknown = response.body;
  expect(body).toMatchObject({ from: 1, to: null, identical: false, nodes: { changed: [{}] } });
  await flows.api.post('/v1/flows/f/diff', { definition: changed, from: 7 }).expect(404);
  await flows.api.post('/v1/flows/none/diff', { definition: changed }).expect(404);
  await flows.api.post('/v1/flows/f/diff', { definition: { nodes: 1 } }).expect(400);
});

test('diagram: as of a stored version', async () => {
  const { text } = await flows.api.post('/v1/flows/none/diagram', { definition: changed }).expect(200);
  expect(text).toContain('See you');
  const dot = await flows.api.post('/v1/flows/f/diagram', { format: 'dot' }).expect(200);
  expect(dot.text).toContain('digraph');
  await flows.api.post('/v1/flows/none/diagram', {}).expect(404);
});

test('tests/run: the stored tests against it', async () => {
  const expected = {
    turns: [{ expect: {} }, { user_input: 'Ada', expect: { messages: ['See you, Ada.'] } }],
  };
  await flows.api.put('/v1/flows/f/tests/new-words', expected).expect(201);
  const run = async (body?: object) =>
    (await flows.api.post('/v1/flows/f/tests/run', body).expect(200)).body as object;
  expect(await run()).toMatchObject({ version: 1, failed: 1 });
  for (const definition of [changed, large])
    expect(await run({ definition })).toMatchObject({ version: null, passed: 1, failed: 0 });
  await flows.api.post('/v1/flows/f/tests/run', { definition: { nodes: 1 } }).expect(400);
});
