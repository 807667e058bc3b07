// Tools that a flow waits for and handoffs that may return, over HTTP: executed, simulated, tested
// and reported.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startFlowBuilder, type FlowBuilder } from '../service.ts';

interface Turn {
  status: string;
  next_node: string | null;
  actions: { call_id?: string }[];
  variables: Record<string, unknown>;
}

let flows: FlowBuilder;
beforeAll(async () => {
  flows = await startFlowBuilder();
  await flows.api.post('/v1/flows', { flow_id: 'orders', definition: orders }).expect(201);
  await flows.api.post('/v1/flows/orders/publish').expect(200);
});
afterAll(() => flows.stop());

/**
 * Looks an order up and reads it out. Unknown orders go to the desk, and return when nobody is
 * there.
 */
const orders = {
  nodes: [
    { id: 'ask', type: 'collect', prompt: 'Which order?', variable: 'id' },
    { id: 'wait', type: 'message', text: 'A moment.' },
    {
      id: 'lookup',
      type: 'tool',
      tool: 'find_order',
      args: { id: '{{ id }}' },
      output_var: 'order',
      wait_for_result: true,
      set: [{ variable: 'asked', add: 1 }],
    },
    { id: 'tell', type: 'end', message: 'It is {{ order.state }} on {{ _today }}.' },
    { id: 'desk', type: 'handoff', target: 'desk', reason: '{{ _tool_error }}', returns: true },
    { id: 'sorry', type: 'end', message: 'Nobody is there: {{ _handoff_reason }}.' },
    { id: 'bye', type: 'end', message: 'Goodbye.' },
  ],
  edges: [
    { source: 'ask', target: 'wait' },
    { source: 'wait', target: 'lookup' },
    { source: 'lookup', target: 'tell', variable: '_tool_status', value: 'ok' },
    { source: 'lookup', target: 'desk', default: true },
    { source: 'desk', target: 'sorry', variable: '_handoff_status', value: 'failed' },
    { source: 'desk', target: 'bye', default: true },
  ],
};

const failed = { error: { code: 'no_such_order', message: 'There is none' } };

const execute = (body: object) => flows.api.post('/v1/flows/orders/execute', { session_id: 's-1', ...body });
const code = (response: { body: unknown }) => (response.body as { code: string }).code;

async function called(more: object = {}): Promise<Turn & { call_id: string }> {
  const answer = await execute({ current_node: 'ask', user_input: '17', ...more }).expect(200);
  const turn = answer.body as Turn;
  return { ...turn, call_id: turn.actions[0]!.call_id! };
}

describe('a tool that the flow waits for', () => {
  test('ends the turn with a call, and the next turn brings its result', async () => {
    const turn = await called();
    expect(turn).toMatchObject({
      status: 'waiting_for_tool',
      next_node: 'lookup',
      outputs: [{ text: 'A moment.' }],
      actions: [{ type: 'tool', tool: 'find_order', args: { id: '17' }, output_var: 'order' }],
    });
    expect((await called()).call_id).toBe(turn.call_id);

    const told = await flows.api.post('/v1/flows/orders/execute?trace=true', {
      session_id: 's-1',
      current_node: turn.next_node,
      variables: { ...turn.variables, timezone: 'Europe/Berlin' },
      tool_result: { call_id: turn.call_id, result: { state: 'shipped' } },
    });
    expect(told.body).toMatchObject({
      status: 'completed',
      next_node: null,
      outputs: [{ text: expect.stringMatching(/^It is shipped on \d{4}-\d\d-\d\d\.$/) }],
      variables: { order: { state: 'shipped' }, asked: 1 },
      trace: [{ node_id: 'lookup', result: { status: 'ok' } }, { node_id: 'tell' }],
    });
  });

  test('may fail, and edges decide by the failure', async () => {
    const { call_id, variables, next_node: current_node } = await called();
    const turn = { current_node, variables, tool_result: { call_id, ...failed } };
    expect((await execute(turn).expect(200)).body).toMatchObject({
      status: 'handed_off',
      next_node: 'desk',
      actions: [{ type: 'handoff', target: 'desk', reason: 'no_such_order' }],
    });
  });

  test('accepts only the result of its own call', async () => {
    const { call_id, variables } = await called();
    const at = (current_node: string | null, more: object) => execute({ current_node, variables, ...more });
    const result = { call_id, result: 1 };
    for (const refused of [
      at('lookup', {}),
      at('lookup', { user_input: 'hello' }),
      at('lookup', { tool_result: { call_id: 'call_0', result: 1 } }),
      at('lookup', { tool_result: result, variables: {} }),
      at('lookup', { handoff_result: { status: 'failed' } }),
      at('ask', { tool_result: result }),
      at(null, { tool_result: result }),
    ])
      expect(code(await refused.expect(422))).toBe('tool_result_mismatch');
    const told = await at('lookup', { tool_result: { call_id, result: { state: 'sent' } } }).expect(200);
    expect(told.body).toMatchObject({ status: 'completed', variables: { order: { state: 'sent' } } });
  });

  test.each([null, {}, { state: null }, 'sent'])(
    'says no text with a gap for %j: the tool has failed',
    async (result) => {
      const { call_id, variables } = await called();
      const more = { current_node: 'lookup', variables, tool_result: { call_id, result } };
      const answer = await execute(more).expect(200);
      expect(answer.body).toMatchObject({
        status: 'handed_off',
        outputs: [],
        actions: [{ reason: 'missing_member' }],
      });
      expect(answer.body).not.toHaveProperty('variables.order');
    },
  );

  test.each([
    ['without a call', { result: 1 }],
    ['without result or error', { call_id: 'call_0' }],
    ['with both', { call_id: 'call_0', result: 1, ...failed }],
    ['with an error without a code', { call_id: 'call_0', error: { message: 'x' } }],
    ['that is a text', 'shipped'],
  ])('refuses a result %s', async (_, tool_result) => {
    await execute({ current_node: 'lookup', tool_result }).expect(400);
  });

  test('accepts one result at a time', async () => {
    const both = { tool_result: { call_id: 'x', result: 1 }, handoff_result: { status: 'failed' } };
    const refused = await execute({ current_node: 'lookup', ...both }).expect(400);
    expect(refused.body).toMatchObject({ errors: [{ path: '/handoff_result' }] });
  });

  test('a result counts with the variables', async () => {
    const { call_id, variables } = await called();
    const large = { current_node: 'lookup', variables: { ...variables, note: 'x'.repeat(200_000) } };
    const result = (length: number) => ({ ...large, tool_result: { call_id, result: 'y'.repeat(length) } });
    await execute(result(50_000)).expect(200);
    await execute(result(70_000)).expect(413);
  });
});

describe('a handoff that returns', () => {
  const resumed = (more: object) => execute({ current_node: 'desk', variables: {}, ...more });

  test('continues with its outcome', async () => {
    const failing = { handoff_result: { status: 'failed', reason: 'closed' } };
    expect((await resumed(failing).expect(200)).body).toMatchObject({
      status: 'completed',
      outputs: [{ text: 'Nobody is there: closed.' }],
    });
    expect((await resumed({ handoff_result: { status: 'returned' } }).expect(200)).body).toMatchObject({
      outputs: [{ text: 'Goodbye.' }],
    });
  });

  test('accepts nothing else', async () => {
    for (const refused of [
      resumed({}),
      resumed({ tool_result: { call_id: 'x', result: 1 } }),
      execute({ current_node: null, handoff_result: { status: 'failed' } }),
    ])
      expect(code(await refused.expect(422))).toBe('handoff_result_mismatch');
    await resumed({ handoff_result: { status: 'accepted' } }).expect(400);
  });
});

describe('played', () => {
  const turns = [
    { user_input: '17' },
    { tool_result: failed },
    { handoff_result: { status: 'failed', reason: 'closed' } },
  ];

  test('simulate accepts results, turn by turn', async () => {
    const opened = [{}, ...turns];
    const answer = await flows.api.post('/v1/flows/orders/simulate', { turns: opened }).expect(200);
    expect(answer.body).toMatchObject({
      turns: [
        { status: 'waiting' },
        { user_input: '17', status: 'waiting_for_tool', actions: [{ tool: 'find_order' }] },
        { user_input: null, status: 'handed_off', next_node: 'desk' },
        { status: 'completed', outputs: [{ text: 'Nobody is there: closed.' }] },
      ],
    });
    const [, call] = (answer.body as { turns: Turn[] }).turns;
    const { call_id } = call!.actions[0]!;
    const named = [{}, turns[0], { tool_result: { call_id, result: {} } }];
    await flows.api.post('/v1/flows/orders/simulate', { turns: named }).expect(200);
    const other = [{}, turns[0], { tool_result: { call_id: 'call_0', result: {} } }];
    const refused = await flows.api.post('/v1/flows/orders/simulate', { turns: other }).expect(422);
    expect(code(refused)).toBe('tool_result_mismatch');
  });

  test('simulate accepts utterances or turns', async () => {
    const both = { utterances: ['17'], turns };
    const refused = await flows.api.post('/v1/flows/orders/simulate', both).expect(400);
    expect(refused.body).toMatchObject({ errors: [{ path: '/utterances' }] });
    const answers = [{ tool_result: failed, handoff_result: { status: 'failed' } }];
    await flows.api.post('/v1/flows/orders/simulate', { turns: answers }).expect(400);
  });

  test('stored tests may have results', async () => {
    const [asked, answered, returned] = turns;
    const stored = {
      turns: [
        { expect: { status: 'waiting' } },
        { ...asked, expect: { status: 'waiting_for_tool', next_node: 'lookup' } },
        { ...answered, expect: { status: 'handed_off', variables: { asked: 1 } } },
        { ...returned, expect: { status: 'completed', messages: ['Nobody is there: closed.'] } },
      ],
    };
    await flows.api.put('/v1/flows/orders/tests/fails', stored).expect(201);
    const impatient = { turns: [...stored.turns.slice(0, 2), { user_input: 'Well?', expect: {} }] };
    await flows.api.put('/v1/flows/orders/tests/impatient', impatient).expect(201);
    expect((await flows.api.post('/v1/flows/orders/tests/run').expect(200)).body).toMatchObject({
      results: [
        { name: 'fails', passed: true },
        {
          name: 'impatient',
          passed: false,
          failures: [{ path: '/turns/2', actual: 'tool_result_mismatch' }],
        },
      ],
    });
  });
});

test('the call and its result are reported, and an utterance with a result is not', async () => {
  const bot = { bot_id: 'bot_1', session_id: 'told' };
  const { call_id, variables } = await called(bot);
  const resumed = {
    ...bot,
    current_node: 'lookup',
    variables,
    user_input: 'hello?',
    tool_result: { call_id, result: { state: 'shipped' } },
  };
  await execute(resumed).expect(200);
  const rows = await flows.deps.sql<{ payload: string }>('SELECT payload FROM outbox ORDER BY id');
  const events = rows.map(({ payload }) => JSON.parse(payload) as { type: string; data: object });
  const [started, said, moment, call, result, told, ended] = events;
  expect(events.map(({ type }) => type)).toEqual([
    'conversation.started',
    'speech.final',
    'bot.message',
    'tool.called',
    'tool.returned',
    'bot.message',
    'conversation.ended',
  ]);
  const indexed = [said, moment, call, result, told].map(
    (one) => (one!.data as { turn_index: number }).turn_index,
  );
  expect(indexed).toEqual([0, 1, 2, 100_000, 100_001]);
  expect(started!.data).toMatchObject({ flow_id: 'orders' });
  expect(call!.data).toMatchObject({ text: 'find_order({"id":"17"})' });
  expect(result!.data).toMatchObject({ text: 'find_order: {"state":"shipped"}' });
  expect(ended!.data).toEqual({ end_reason: 'flow_completed' });
});

test('a conversation that may return has not ended', async () => {
  const bot = { bot_id: 'bot_1', session_id: 'back' };
  const { call_id, variables } = await called(bot);
  await execute({ ...bot, current_node: 'lookup', variables, tool_result: { call_id, ...failed } }).expect(
    200,
  );
  const rows = await flows.deps.sql<{ payload: string }>(
    `SELECT payload FROM outbox WHERE payload LIKE '%"back"%' ORDER BY id`,
  );
  const events = rows.map(({ payload }) => JSON.parse(payload) as { type: string; data: { text: string } });
  expect(events.map(({ type }) => type)).not.toContain('conversation.ended');
  expect(events.at(-1)!.data.text).toBe('find_order: error no_such_order "There is none"');
});
