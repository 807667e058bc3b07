// Executes turns over HTTP: conversations, the choice of the version, errors.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '@parley/testing';
import { broken, greeting, greetingThatEnds, startFlowBuilder, type FlowBuilder } from '../service.ts';

interface Turn {
  version: number;
  status: string;
  next_node: string | null;
  outputs: { text: string }[];
  variables: object;
}

let flows: FlowBuilder;
beforeAll(async () => {
  flows = await startFlowBuilder();
});
afterAll(() => flows.stop());

const turn = (response: { body: unknown }) => response.body as Turn;
const code = (response: { body: unknown }) => (response.body as { code: string }).code;

async function published(flowId: string, definition: object = greeting) {
  await flows.api.post('/v1/flows', { flow_id: flowId, definition }).expect(201);
  await flows.api.post(`/v1/flows/${flowId}/publish`).expect(200);
}

describe.each(['/v1', '/product/v1'])('a conversation on %s', (face) => {
  test('is held turn by turn with the caller’s state', async () => {
    const flowId = `talk${face.replaceAll('/', '-')}`;
    await published(flowId);
    const first = turn(
      await flows.api.post(`${face}/flows/${flowId}/execute`, { session_id: 's-1' }).expect(200),
    );
    expect(first).toMatchObject({
      flow_id: flowId,
      version: 1,
      session_id: 's-1',
      status: 'waiting',
      next_node: 'ask',
      outputs: [
        { type: 'message', node_id: 'start', text: 'Hello.' },
        { type: 'prompt', node_id: 'ask', text: 'Who are you?' },
      ],
      actions: [],
      steps: 2,
    });
    expect(first).not.toHaveProperty('published');
    const second = await flows.api
      .post(`${face}/flows/${flowId}/execute?trace=true`, {
        session_id: 's-1',
        current_node: first.next_node,
        user_input: 'Ada',
        variables: first.variables,
      })
      .expect(200);
    expect(second.body).toMatchObject({
      status: 'completed',
      next_node: null,
      outputs: [{ type: 'message', node_id: 'bye', text: 'Goodbye, Ada.' }],
      variables: { name: 'Ada' },
      input: { status: 'captured', node_id: 'ask', variable: 'name' },
      trace: [{ node_id: 'ask', decided_by: 'default' }, { node_id: 'bye' }],
    });
  });
});

describe('which version answers', () => {
  test('the requested one, else the published one, else on /v1 the latest without errors', async () => {
    await flows.api.post('/v1/flows', { flow_id: 'which', definition: greeting }).expect(201);
    await flows.api.patch('/v1/flows/which', { definition: greetingThatEnds('2') }).expect(200);
    await flows.api.patch('/v1/flows/which', { definition: broken }).expect(200);
    const execute = (face: string, query = '', body = {}) =>
      flows.api.post(`${face}/flows/which/execute${query}`, body);

    expect((await execute('/v1').expect(200)).body).toMatchObject({ version: 2, published: false });
    expect(code(await execute('/product/v1').expect(409))).toBe('not_published');
    expect(turn(await execute('/v1', '?version=1').expect(200)).version).toBe(1);
    expect(turn(await execute('/product/v1', '', { version: 1 }).expect(200)).version).toBe(1);
    expect(code(await execute('/v1', '?version=3').expect(422))).toBe('flow_has_errors');
    expect(code(await execute('/v1', '?version=4').expect(404))).toBe('not_found');
    expect(code(await execute('/v1', '?version=1', { version: 2 }).expect(400))).toBe('invalid_request');

    await flows.api.post('/v1/flows/which/publish', { version: 1 }).expect(200);
    // The replica that published answers so immediately.
    const answer = await execute('/product/v1').expect(200);
    expect(turn(answer).version).toBe(1);
    expect(answer.body).not.toHaveProperty('published');
  });

  test('a flow that was requested before it existed is found once it is created', async () => {
    await flows.api.post('/v1/flows/early/execute').expect(404);
    await flows.api.post('/v1/flows', { flow_id: 'early', definition: greeting }).expect(201);
    await flows.api.post('/v1/flows/early/execute').expect(200);
  });

  test('a publish and an unpublish are seen by another replica within a second', async () => {
    const other = await startFlowBuilder(flows.env);
    try {
      await published('replicas');
      const version = async () => turn(await other.api.post('/product/v1/flows/replicas/execute')).version;
      expect(await version()).toBe(1);
      await flows.api.patch('/v1/flows/replicas', { name: 'Two' }).expect(200);
      await flows.api.post('/v1/flows/replicas/publish').expect(200);
      await eventually(async () => (await version()) === 2, { timeoutMs: 1_000 });
      await flows.api.delete('/v1/flows/replicas/publish').expect(200);
      const unpublished = async () =>
        (await other.api.post('/product/v1/flows/replicas/execute')).status === 409;
      await eventually(unpublished, { timeoutMs: 1_000 });
    } finally {
      await other.stop();
    }
  });
});

describe('refusals', () => {
  test.each([
    ['an unknown node', { current_node: 'nowhere' }, 422, 'unknown_node'],
    ['a bag that is no object', { variables: [] }, 400, 'invalid_request'],
    ['an utterance that is no text', { user_input: 5 }, 400, 'invalid_request'],
    ['an unknown member', { utterance: 'hi' }, 400, 'invalid_request'],
    ['a bag over 256 KiB', { variables: { note: 'x'.repeat(256 * 1024) } }, 413, 'payload_too_large'],
  ])('%s', async (name, body, status, refusal) => {
    const flowId = name.replaceAll(' ', '-');
    await published(flowId);
    expect(code(await flows.api.post(`/v1/flows/${flowId}/execute`, body).expect(status))).toBe(refusal);
  });

  test('an unknown flow', async () => {
    expect(code(await flows.api.post('/v1/flows/none/execute').expect(404))).toBe('not_found');
  });

  test('a turn that does not settle names its path and changes nothing', async () => {
    // Every lap satisfies its condition: validation warns, and only the walk can tell.
    await published('laps', {
      nodes: [
        { id: 'a', type: 'message', text: 'a' },
        { id: 'b', type: 'message', text: 'b' },
        { id: 'stop', type: 'end' },
      ],
      edges: [
        { source: 'a', target: 'b' },
        { source: 'b', target: 'stop', variable: 'enough', op: 'is_true' },
        { source: 'b', target: 'a', default: true },
      ],
    });
    const response = await flows.api.post('/v1/flows/laps/execute').expect(422);
    const { path } = response.body as { path: string[] };
    expect(code(response)).toBe('turn_did_not_settle');
    expect(path.slice(0, 4)).toEqual(['a', 'b', 'a', 'b']);
    await flows.api.post('/v1/flows/laps/execute', { variables: { enough: true } }).expect(200);
  });
});

describe('hostile variables', () => {
  test('members such as __proto__ are data: stored in definitions, arguments and variables, and no path reads them', async () => {
    const hostile =
      '{"__proto__":{"polluted":"yes"},"constructor":{"name":"x"},"prototype":[{"__proto__":1}]}';
    const flow = `{"flow_id":"hostile","definition":{"nodes":[
      {"id":"t","type":"tool","tool":"look","args":{"at":"{{ safe }}","more":${hostile}},"note":${hostile}},
      {"id":"e","type":"end","message":"[{{ constructor.name }}|{{ __proto__.polluted }}|{{ safe }}]"}],
      "edges":[{"source":"t","target":"e"}],"__proto__":{"a":1}}}`;
    const send = (method: 'get' | 'post', path: string, body: string) =>
      flows.as(flows.key)[method](path).set('content-type', 'application/json').send(body);
    await send('post', '/v1/flows', flow).expect(201);
    const stored = await flows.api.get('/v1/flows/hostile').expect(200);
    expect(stored.text).toContain(`"note":${hostile}`);
    expect(stored.text).toContain('"__proto__":{"a":1}');

    const response = await send(
      'post',
      '/v1/flows/hostile/execute',
      `{"variables":{"safe":"ok","x":${hostile},${hostile.slice(1)}}`,
    );
    expect(turn(response).outputs[0]?.text).toBe('[||ok]');
    expect(response.text).toContain(`"args":{"at":"ok","more":${hostile}}`);
    expect(response.text).toContain(`"x":${hostile},${hostile.slice(1, -1)}`);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('values that JSON would lose are refused with their place', async () => {
    const send = (body: string) =>
      flows.as(flows.key).post('/v1/flows').set('content-type', 'application/json').send(body);
    for (const [body, path] of [
      [
        '{"definition":{"nodes":[{"id":"a","type":"end","max_attempts":9007199254740993}]}}',
        '/definition/nodes/0/max_attempts',
      ],
      ['{"definition":{"nodes":[{"id":"a","type":"end","type":"message"}]}}', '/definition/nodes/0/type'],
    ] as const) {
      const response = await send(body);
      expect([response.status, code(response), response.text]).toEqual([
        400,
        'invalid_request',
        expect.stringContaining(`"${path}"`),
      ]);
    }
  });
});

describe('natural-language edges without a provider gateway', () => {
  test('are chosen by their words, else the default edge is taken', async () => {
    await published('nl', {
      nodes: [
        { id: 'ask', type: 'collect', prompt: 'What do you need?', variable: 'need' },
        { id: 'sales', type: 'end', message: 'Sales' },
        { id: 'repair', type: 'end', message: 'Repair' },
        { id: 'other', type: 'end', message: 'Other' },
      ],
      edges: [
        { source: 'ask', target: 'sales', nl: 'the caller wants to buy a car', label: 'buy a car' },
        { source: 'ask', target: 'repair', nl: 'the caller wants something repaired', label: 'repair' },
        { source: 'ask', target: 'other', default: true },
      ],
    });
    const says = (text: string) =>
      flows.api
        .post('/v1/flows/nl/execute?trace=true', { current_node: 'ask', user_input: text })
        .expect(200);
    expect((await says('I would like to buy a car')).body).toMatchObject({
      outputs: [{ text: 'Sales' }],
      trace: [{ decided_by: 'classifier', classifier: { outcome: 'chosen', index: 0 } }, {}],
    });
    expect((await says('What is the weather?')).body).toMatchObject({
      outputs: [{ text: 'Other' }],
      trace: [{ decided_by: 'default', classifier: { outcome: 'none' } }, {}],
    });
    expect((await flows.api.get('/health')).body).toMatchObject({
      classifier: { ready: true, kind: 'lexical' },
    });
    const { text } = await flows.api.get('/metrics');
    expect(text).toMatch(/flow_classifier_total\{[^}]*outcome="chosen"[^}]*\} 1/);
  });
});

describe('simulate', () => {
  test('holds a conversation with any version and changes nothing', async () => {
    await flows.api.post('/v1/flows', { flow_id: 'sim', definition: greeting }).expect(201);
    const hook = { id: 'hook', type: 'webhook', url: 'https://example.com' };
    const hooked = { ...greeting, nodes: [...greeting.nodes, hook] };
    await flows.api.patch('/v1/flows/sim', { definition: hooked }).expect(200);
    const response = await flows.api
      .post('/v1/flows/sim/simulate?trace=true', { utterances: [null, 'Ada', 'still there?'] })
      .expect(200);
    expect(response.body).toMatchObject({
      version: 2,
      turns: [
        { user_input: null, status: 'waiting', outputs: [{ text: 'Hello.' }, { text: 'Who are you?' }] },
        { user_input: null, status: 'waiting', input: { status: 'no_input' } },
        { user_input: 'Ada', status: 'completed', outputs: [{ text: 'Goodbye, Ada.' }], trace: [{}, {}] },
      ],
    });
    expect(await flows.deps.sql('SELECT 1 FROM outbox')).toEqual([]);
    expect(
      (
        await flows.api.post('/v1/flows/sim/simulate', {
          utterances: ['Ada'],
          version: 1,
          current_node: 'ask',
        })
      ).body,
    ).toMatchObject({ version: 1, turns: [{ status: 'completed' }] });
  });

  test('refuses invalid simulations', async () => {
    await flows.api.post('/v1/flows/none/simulate', { utterances: [] }).expect(404);
    await flows.api.post('/v1/flows/sim/simulate', { utterances: [], version: 9 }).expect(404);
    await flows.api.post('/v1/flows/sim/simulate', {}).expect(400);
    await flows.api.post('/v1/flows/sim/simulate', { utterances: [], current_node: 'x' }).expect(200);
    expect(
      code(
        await flows.api.post('/v1/flows/sim/simulate', { utterances: [''], current_node: 'x' }).expect(422),
      ),
    ).toBe('unknown_node');
  });
});
