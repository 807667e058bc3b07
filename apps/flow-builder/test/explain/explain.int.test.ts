// Generated tests, coverage, reach, comparison and publish preview over HTTP (docs/why.md).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ages, recorded } from './explain.ts';
import { startFlowBuilder, type FlowBuilder } from '../service.ts';

let flows: FlowBuilder;
beforeAll(async () => {
  flows = await startFlowBuilder();
  await flows.api.post('/v1/flows', { flow_id: 'ages', definition: ages() }).expect(201);
  await flows.api.patch('/v1/flows/ages', { definition: ages('lt') }).expect(200);
});
afterAll(() => flows.stop());

const post = (path: string, body: object) =>
  flows.api.post(path === '' ? '/v1/flows' : `/v1/flows/${path}`, body);

const dead = {
  ...ages(),
  nodes: [...ages().nodes, { id: 'nobody', type: 'end' }],
  edges: [{ ...ages().edges[0]!, value: 30 }, { ...ages().edges[0]!, target: 'nobody' }, ages().edges[1]!],
};

describe('generated tests', () => {
  test('take every edge, and pass when they are stored', async () => {
    const body = (await post('ages/tests/generate', { version: 1, save: true }).expect(200)).body as object;
    expect(body).toMatchObject({
      version: 1,
      edges: { all: 2, taken: 2, proved_dead: 0 },
      uncovered: [],
      saved: 2,
      tests: [
        { name: 'generated.edge-0', edge_index: 0, edges: [0], test: { turns: [{}, { user_input: '18' }] } },
        { edge_index: 1, edges: [1] },
      ],
    });
    const run = (version: number) =>
      flows.api.post(`/v1/flows/ages/tests/run?version=${version}`).expect(200);
    expect((await run(1)).body).toMatchObject({ passed: 2, failed: 0 });
    expect((await run(2)).body).toMatchObject({ passed: 1, failed: 1 });
  });

  test('are replaced together, and others stay', async () => {
    await flows.api.put('/v1/flows/ages/tests/own', { turns: [{ expect: {} }] }).expect(201);
    await post('ages/tests/generate', { save: true }).expect(200);
    const { items } = (await flows.api.get('/v1/flows/ages/tests').expect(200)).body as {
      items: { name: string }[];
    };
    expect(items.map(({ name }) => name)).toEqual(['generated.edge-0', 'generated.edge-1', 'own']);
    await flows.api.delete('/v1/flows/ages/tests/own').expect(200);
  });

  test('with several questions to the classifier in one turn, each with its answer', async () => {
    const branch = (id: string, a: string, b: string) => [
      { source: id, target: a, nl: `wants ${a}` },
      { source: id, target: 'other', nl: 'wants less' },
      { source: id, target: b, default: true },
    ];
    const definition = {
      nodes: [
        { id: 'ask', type: 'collect', prompt: 'What for?', variable: 'need' },
        { id: 'first', type: 'branch' },
        { id: 'second', type: 'branch' },
        ...['tea', 'cake', 'other'].map((id) => ({ id, type: 'end', message: id })),
      ],
      edges: [
        { source: 'ask', target: 'first' },
        ...branch('first', 'tea', 'second'),
        ...branch('second', 'cake', 'other'),
      ],
    };
    await post('', { flow_id: 'questions', definition }).expect(201);
    const made = await post('questions/tests/generate', { save: true }).expect(200);
    expect(made.body).toMatchObject({ edges: { all: 7, taken: 7 }, uncovered: [] });
    expect(JSON.stringify(made.body)).toContain('"classifier":["none",0]');
    const run = await flows.api.post('/v1/flows/questions/tests/run').expect(200);
    expect(run.body).toMatchObject({ failed: 0 });
  });

  test('for a definition prove which edges are never taken; saving needs a version and the scope', async () => {
    expect((await post('ages/tests/generate', { definition: dead }).expect(200)).body).toMatchObject({
      version: null,
      uncovered: [{ edge_index: 1, reason: 'proved_dead', witness: { edges: [0] } }],
    });
    await post('ages/tests/generate', { definition: dead, save: true }).expect(400);
    const reader = flows.as(await flows.issueKey('acme', ['read']));
    await reader.post('/v1/flows/ages/tests/generate', {}).expect(200);
    await reader.post('/v1/flows/ages/tests/generate', { save: true }).expect(403);
    await post('none/tests/generate', {}).expect(404);
    await post('ages/tests/generate', { definition: { nodes: 1 } }).expect(400);
  });
});

describe('coverage', () => {
  test('by stored tests, generated ones and recorded turns', async () => {
    await post('ages/tests/generate', { save: true }).expect(200);
    expect((await flows.api.get('/v1/flows/ages/coverage').expect(200)).body).toMatchObject({
      version: 2,
      looked_at: { stored: 2, generated: 2, recorded: 0 },
      taken: { edges: { stored: 2, generated: 2, recorded: 0 } },
      edges: [{ edge_index: 0, source: 'ask_age', stored: 1, generated: 1, recorded: 0 }, {}],
      nodes: [{ node_id: 'ask_age', stored: 2, generated: 2 }, {}, {}],
    });
    const of = (version: number) => ({ flowId: 'ages', version });
    const turns = [
      ...recorded(of(2), ages('lt'), [null, '18'], 'a'),
      ...recorded(of(2), ages('lt'), [null, '40'], 'b'),
      ...recorded(of(1), ages(), [null, '40'], 'c'),
    ];
    const body = (await post('ages/coverage', { turns }).expect(200)).body as object;
    expect(body).toMatchObject({
      looked_at: { recorded: 4 },
      taken: { edges: { recorded: 1 }, nodes: { recorded: 2 } },
      edges: [{ recorded: 0 }, { recorded: 2 }],
    });
    await post('ages/coverage', { turns: [{}] }).expect(400);
    await flows.api.get('/v1/flows/none/coverage').expect(404);
  });
});

describe('classifier', () => {
  test('the confusion table of a version, and an empty one without examples', async () => {
    const edge = (target: string, examples: string[]) => ({ source: 'ask', target, nl: target, examples });
    const definition = {
      nodes: [
        { id: 'ask', type: 'collect', prompt: 'How can I help?', variable: 'wish' },
        ...['bill', 'leak'].map((id) => ({ id, type: 'end' })),
      ],
      edges: [
        edge('bill', ['why is my bill so high', 'my bill is so high']),
        edge('leak', ['the tap leaks', 'the tap leaks again']),
      ],
    };
    await post('', { flow_id: 'desk', definition }).expect(201);
    expect((await flows.api.get('/v1/flows/desk/classifier').expect(200)).body).toEqual({
      flow_id: 'desk',
      version: 1,
      classifier_version: 1,
      nodes: [
        {
          node_id: 'ask',
          branches: [
            { edge_index: 0, target: 'bill', label: null, nl: 'bill', examples: 2, precision: 1, recall: 1 },
            { edge_index: 1, target: 'leak', label: null, nl: 'leak', examples: 2, precision: 1, recall: 1 },
          ],
          confusion: [
            [2, 0, 0],
            [0, 2, 0],
          ],
        },
      ],
      nodes_omitted: 0,
    });
    const plain = await flows.api.get('/v1/flows/ages/classifier?version=1').expect(200);
    expect(plain.body).toMatchObject({ version: 1, nodes: [], nodes_omitted: 0 });
    await flows.api.get('/v1/flows/none/classifier').expect(404);
    await flows.api.get('/v1/flows/ages/classifier?version=9').expect(404);
  });
});

describe('reach', () => {
  test('the shortest conversation, or the proof that there is none', async () => {
    expect((await post('ages/reach', { node_id: 'adult' }).expect(200)).body).toMatchObject({
      reached: true,
      edges: [1],
      test: { turns: [{}, { user_input: '18', expect: { messages: ['Hello adult'] } }] },
    });
    expect(
      (await post('ages/reach', { definition: dead, node_id: 'nobody' }).expect(200)).body,
    ).toMatchObject({
      reached: false,
      reason: 'proved_dead',
      witness: { edges: [1] },
    });
    expect((await post('ages/reach', { edge_index: 7 }).expect(200)).body).toMatchObject({ reached: false });
    await post('ages/reach', {}).expect(400);
    await post('ages/reach', { node_id: 'adult', edge_index: 1 }).expect(400);
  });
});

describe('read', () => {
  test('an answer that an example decides', async () => {
    const choices = ['damage', { value: 'theft', examples: ['somebody took my bike'] }];
    const ask = { id: 'ask', type: 'collect', prompt: 'What?', variable: 'what', cast: 'enum', choices };
    const asked = { definition: { nodes: [ask], edges: [] }, node_id: 'ask' };
    const read = async (utterance: string) =>
      (await post('ages/read', { ...asked, utterance }).expect(200)).body as object;
    expect(await read('Somebody took my bike!')).toMatchObject({
      status: 'captured',
      value: 'theft',
      reading: null,
      examples: { by: 'example', confidence: 1, nearest: 'somebody took my bike' },
    });
    expect(await read('damage')).toMatchObject({ value: 'damage', reading: 'whole' });
  });

  const collect = (more: object) => ({
    id: 'ask',
    type: 'collect',
    prompt: 'When?',
    variable: 'day',
    ...more,
  });
  const asking = (more: object = {}) => ({
    nodes: [collect({ cast: 'date', ...more }), { id: 'end', type: 'end' }],
    edges: [{ source: 'ask', target: 'end' }],
  });
  const now = Date.parse('2026-11-26T09:00:00Z') / 1000;
  const read = (utterance: string, more: object = {}) =>
    post('ages/read', { definition: asking(), node_id: 'ask', utterance, now, ...more });

  test('the value, the reading, and the rule of each word', async () => {
    expect((await read('we arrive on Monday, no, Tuesday').expect(200)).body).toEqual({
      flow_id: 'ages',
      version: null,
      node_id: 'ask',
      status: 'captured',
      value: '2026-12-01',
      reason: null,
      reading: 'sentence',
      discarded: 'we arrive on Monday,',
      unread: ['we', 'arrive'],
      tokens: expect.arrayContaining([
        { text: 'Monday', start: 13, end: 19, rule: 'discarded' },
        { text: 'no', start: 21, end: 23, rule: 'repair' },
        { text: 'Tuesday', start: 25, end: 32, rule: 'value' },
      ]) as unknown,
    });
    expect(
      (await post('ages/read', { node_id: 'ask_age', utterance: 'eighteen' }).expect(200)).body,
    ).toMatchObject({
      version: 2,
      status: 'captured',
      value: 18,
      reading: 'whole',
    });
  });

  test('why there is no value, and which word refused it', async () => {
    const refused = (await read('before Friday').expect(200)).body as { tokens: object[] };
    expect(refused).toMatchObject({ status: 'no_match', reason: 'not_a_date', reading: null });
    expect(refused).not.toHaveProperty('value');
    expect(refused.tokens[0]).toMatchObject({ text: 'before', rule: 'changes_value' });
    expect((await read(' ').expect(200)).body).toMatchObject({ status: 'no_input', tokens: [] });
    const past = (await read('tomorrow', { definition: asking({ max: 'today' }) }).expect(200))
      .body as object;
    expect(past).toMatchObject({ status: 'out_of_range', reason: 'out_of_range', reading: 'whole' });
    expect(past).not.toHaveProperty('value');
  });

  test('language, time zone and variables', async () => {
    const value = async (utterance: string, more: object) =>
      ((await read(utterance, more).expect(200)).body as { value: unknown }).value;
    expect(await value('morgen', { language: 'de' })).toBe('2026-11-27');
    expect(await value('morgen', { variables: { language: 'de' } })).toBe('2026-11-27');
    expect(await value('today', { timezone: 'Pacific/Kiritimati', now: now + 3600 })).toBe('2026-11-27');
    expect(await value('letzten Montag', { language: 'de', variables: { language: 'fr' } })).toBe(
      '2026-11-23',
    );
  });

  test('a large definition is read on a thread, with the same answer', async () => {
    const large = asking({ cast: 'enum', choices: Array.from({ length: 5_000 }, (_, at) => `choice ${at}`) });
    expect((await read('I take choice 4999', { definition: large }).expect(200)).body).toMatchObject({
      status: 'captured',
      value: 'choice 4999',
    });
  });

  test('the bounds of a turn apply', async () => {
    const nowhere = await read('x', { node_id: 'end' }).expect(400);
    expect(nowhere.body).toMatchObject({ code: 'invalid_request', errors: [{ path: '/node_id' }] });
    await read('x'.repeat(100_001)).expect(400);
    expect((await read('x'.repeat(100_000)).expect(200)).body).toMatchObject({
      reason: 'too_long',
      tokens: [],
    });
    await post('nowhere/read', { node_id: 'ask', utterance: 'x' }).expect(404);
  });
});

describe('comparison', () => {
  test('of two versions, with recorded conversations', async () => {
    const turns = recorded({ flowId: 'ages', version: 1 }, ages(), [null, '18']);
    const body = (await post('ages/compare', { from: 1, to: 2, turns }).expect(200)).body as object;
    expect(body).toMatchObject({
      from: 1,
      to: 2,
      diff: { identical: false, edges: { changed: [{}] } },
      behaviour: {
        same: false,
        complete: true,
        different: { recorded: 1 },
        groups: [
          {
            sentence: 'Callers who answer 18 to `ask_age` now reach `adult`, before `child`.',
            edge_before: 0,
            edge_after: 1,
            example: { turns: [{}, { user_input: '18' }] },
          },
        ],
      },
    });
  });

  test('a definition that is only laid out differently changes nothing', async () => {
    const { nodes, edges } = ages('lt');
    const [first, ...others] = nodes.map((node, x) => ({ ...node, x }));
    const definition = { nodes: [first, ...others.reverse()], edges };
    expect((await post('ages/compare', { from: 2, definition }).expect(200)).body).toMatchObject({
      from: 2,
      to: null,
      behaviour: { same: true, groups: [] },
      diff: { identical: true },
    });
    await post('ages/compare', { to: 1, definition }).expect(400);
    await post('ages/compare', { from: 9 }).expect(404);
    await post('none/compare', {}).expect(404);
  });

  test('the preview of a publish', async () => {
    const preview = (query = '') => flows.api.get(`/v1/flows/ages/publish/preview${query}`).expect(200);
    expect((await preview()).body).toMatchObject({
      version: 2,
      published_version: null,
      valid: true,
      comparison: null,
      tests: { failed: 0 },
    });
    await post('ages/publish', { version: 1, skip_tests: true, reason: 'first' }).expect(200);
    expect((await preview()).body).toMatchObject({
      published_version: 1,
      comparison: { from: 1, to: 2, behaviour: { same: false, groups: [{}] } },
    });
    expect((await preview('?version=1')).body).toMatchObject({
      comparison: { behaviour: { same: true } },
      tests: { failed: 1 },
    });
  });
});
