// Agents that talk (docs/flow-language.md#agents-that-talk) over execute and the chat face, in
// process and out of band: each text is spoken once, and one call to the provider answers and
// branches.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { fakeGateway, type FakeGateway, type GatewayAnswer } from '@parley/testing';
import { publishFlows, startFlowBuilder, type FlowBuilder } from '../service.ts';

let gateway: FakeGateway;
let flows: FlowBuilder;

const talking = (agent_mode: string, more: object = {}) => ({
  agent_mode,
  nodes: [
    { id: 'hello', type: 'message', text: 'Welcome.' },
    { id: 'advise', type: 'autonomous', converse: true, goal: 'Find the tyre.', max_turns: 3, ...more },
    { id: 'order', type: 'end', message: 'Ordered.' },
    { id: 'stop', type: 'end', message: 'Stopped.' },
    { id: 'person', type: 'end', message: 'A person will call.' },
  ],
  edges: [
    { source: 'hello', target: 'advise' },
    { source: 'advise', target: 'stop', variable: 'user_input', op: 'eq', value: 'stop' },
    { source: 'advise', target: 'order', nl: 'has chosen a tyre' },
    { source: 'advise', target: 'person', default: true },
  ],
});

/** The agent also finds out values, and an edge compares one of them. */
const finding = (agent_mode: string) => {
  const flow = talking(agent_mode, {
    extraction: {
      variables: [
        { name: 'car', type: 'string', prompt: 'The model of the car' },
        { name: 'count', type: 'integer' },
        { name: 'season', type: 'enum', choices: ['winter', 'summer'] },
      ],
    },
  });
  const few = { source: 'advise', target: 'few', variable: 'count', op: 'lt', value: 4 };
  const end = { id: 'few', type: 'end', message: 'Only {{ count }} for the {{ car }}?' };
  return { ...flow, nodes: [...flow.nodes, end], edges: [few, ...flow.edges] };
};

beforeAll(async () => {
  gateway = await fakeGateway({ key: 'sk-test' });
  flows = await startFlowBuilder({
    GATEWAY_URL: gateway.url,
    GATEWAY_KEY: 'env://GATEWAY_KEY_VALUE',
    GATEWAY_KEY_VALUE: 'sk-test',
    CLASSIFIER_MODEL: 'small',
    AGENT_MODEL: 'large',
  });
  await publishFlows(flows, {
    inside: talking('in_process'),
    outside: talking('out_of_band'),
    once: talking('in_process', { max_turns: 1 }),
    finding: finding('in_process'),
    found: finding('out_of_band'),
  });
});
afterAll(async () => {
  await flows.stop();
  await gateway.close();
});
beforeEach(() => {
  gateway.chats.length = 0;
});

interface Turn {
  readonly status: string;
  readonly next_node: string | null;
  readonly outputs: readonly { readonly text: string }[];
  readonly actions: readonly Readonly<Record<string, unknown>>[];
  readonly variables: Readonly<Record<string, unknown>>;
}

const chooses = (answer: string, branch: unknown): GatewayAnswer => ({
  tools: [{ name: 'goal_reached', args: { answer, branch, confidence: 0.9 } }],
});

/** Turn after turn; each brings what it is given. */
function conversation(flow: string) {
  let last: Turn | null = null;
  return async (brought: object): Promise<Turn> => {
    const response = await flows.api
      .post(`/v1/flows/${flow}/execute`, {
        session_id: flow,
        current_node: last?.next_node ?? null,
        variables: last?.variables ?? {},
        ...brought,
      })
      .expect(200);
    return (last = response.body as Turn);
  };
}

const texts = ({ outputs }: Turn) => outputs.map(({ text }) => text);

describe('in process', () => {
  test('speaks, waits, remembers, and leaves by the branch of its own call', async () => {
    const next = conversation('inside');
    gateway.script(
      { content: 'Which car?' },
      { content: 'Winter or summer?' },
      chooses('The 205 it is.', '0'),
    );
    expect(await next({ user_input: 'Hi' })).toMatchObject({ status: 'waiting', next_node: 'advise' });
    expect(gateway.chats[0]!.tools![0]!.function.parameters['properties']).not.toHaveProperty('branch');
    const second = await next({ user_input: 'A Golf' });
    expect({ texts: texts(second), status: second.status }).toEqual({
      texts: ['Winter or summer?'],
      status: 'waiting',
    });
    const third = await next({ user_input: 'Winter' });
    expect({ texts: texts(third), status: third.status }).toEqual({
      texts: ['The 205 it is.', 'Ordered.'],
      status: 'completed',
    });
    // No classifier beside the agent.
    expect(gateway.chats.map(({ model }) => model)).toEqual(['large', 'large', 'large']);
    const { messages, tools } = gateway.chats[2]!;
    expect(messages.slice(1).map(({ role, content }) => [role, content])).toEqual([
      ['user', '{"utterance":"Hi"}'],
      ['assistant', 'Welcome.'],
      ['assistant', 'Which car?'],
      ['user', '{"utterance":"A Golf"}'],
      ['assistant', 'Winter or summer?'],
      ['user', '{"utterance":"Winter"}'],
    ]);
    expect(messages[0]!.content).toContain('has chosen a tyre');
    expect(tools![0]!.function.parameters['properties']).toMatchObject({ branch: { enum: [0] } });
    expect(third.variables['agent_result']).toMatchObject({ status: 'goal_reached' });
  });

  test('a condition leaves without a call; silence asks again', async () => {
    const next = conversation('inside');
    gateway.script({ content: 'Which car?' }, { content: 'Are you there?' });
    await next({ user_input: null });
    expect(texts(await next({ user_input: null }))).toEqual(['Are you there?']);
    expect(texts(await next({ user_input: 'stop' }))).toEqual(['Stopped.']);
    expect(gateway.chats).toHaveLength(2);
    expect(gateway.chats[1]!.messages.at(-1)!.content).toBe('{"utterance":null}');
  });

  test.each<[string, GatewayAnswer, string[]]>([
    ['a branch that is not there', chooses('Hm.', 7), ['Hm.']],
    ['a branch that is no number', chooses('Hm.', 'the first'), ['Hm.']],
    [
      'too little confidence',
      { tools: [{ name: 'goal_reached', args: { answer: 'Hm.', branch: 0, confidence: 0.1 } }] },
      ['Hm.'],
    ],
    [
      'a confidence in words',
      { tools: [{ name: 'goal_reached', args: { answer: 'Hm.', branch: 0, confidence: 'high' } }] },
      ['Hm.'],
    ],
  ])('%s leads nowhere', async (_, answer, said) => {
    const next = conversation('inside');
    gateway.script({ content: 'Which car?' }, answer);
    await next({ user_input: null });
    const turn = await next({ user_input: 'A Golf' });
    expect({ texts: texts(turn), next_node: turn.next_node }).toEqual({ texts: said, next_node: 'advise' });
  });

  test('a failure and the last turn take the default edge', async () => {
    const failing = conversation('inside');
    gateway.script({ content: 'Which car?' }, 500, 500);
    await failing({ user_input: null });
    expect(texts(await failing({ user_input: 'A Golf' }))).toEqual(['A person will call.']);
    const mute = conversation('inside');
    gateway.script(500, 500);
    expect(await mute({ user_input: null })).toMatchObject({ status: 'waiting', next_node: 'advise' });
    expect(texts(await mute({ user_input: 'Hello?' }))).toEqual(['A person will call.']);
    const once = conversation('once');
    gateway.script({ content: 'Which car?' }, { content: 'Goodbye then.' });
    await once({ user_input: null });
    expect(texts(await once({ user_input: 'A Golf' }))).toEqual(['Goodbye then.', 'A person will call.']);
    expect(gateway.chats.at(-1)!.messages[0]!.content).toContain('your last reply');
  });
});

describe('out of band', () => {
  test('the action carries the run spec, and the flow waits for the words', async () => {
    const next = conversation('outside');
    const opening = await next({ user_input: 'Hi' });
    expect(opening).toMatchObject({ status: 'waiting_for_tool', next_node: 'advise' });
    expect(texts(opening)).toEqual(['Welcome.']);
    expect(opening.actions).toEqual([
      {
        type: 'autonomous',
        node_id: 'advise',
        call_id: expect.stringMatching(/^call_/),
        goal: 'Find the tyre.',
        max_iterations: 5,
        turn_budget: 20,
        output_var: 'agent_result',
        converse: true,
        transcript: [
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: 'Welcome.' },
        ],
        branches: [],
        turns_left: 3,
      },
    ]);
    const spoken = await next({
      tool_result: { call_id: opening.actions[0]!['call_id'], result: 'Which car?' },
    });
    expect({ texts: texts(spoken), status: spoken.status }).toEqual({
      texts: ['Which car?'],
      status: 'waiting',
    });
    const asked = await next({ user_input: 'A Golf' });
    expect(asked).toMatchObject({ status: 'waiting_for_tool', outputs: [] });
    expect(asked.actions[0]).toMatchObject({
      branches: [{ index: 0, nl: 'has chosen a tyre', label: null }],
      turns_left: 2,
    });
    const call_id = asked.actions[0]!['call_id'];
    const last = await next({ tool_result: { call_id, result: { answer: 'The 205.', branch: 0 } } });
    expect({ texts: texts(last), status: last.status }).toEqual({
      texts: ['The 205.', 'Ordered.'],
      status: 'completed',
    });
    expect(gateway.chats).toHaveLength(0);
  });

  test.each([
    ['an error', { error: { code: 'failed', message: 'It failed' } }],
    ['an unknown status', { result: { answer: 'Hm.', status: 'pending' } }],
    ['nothing', { result: {} }],
    ['a number', { result: 7 }],
  ])('%s takes the default edge', async (_, outcome) => {
    const next = conversation('outside');
    const { actions } = await next({ user_input: null });
    const turn = await next({ tool_result: { call_id: actions[0]!['call_id'], ...outcome } });
    expect(turn).toMatchObject({ status: 'completed' });
    expect(texts(turn).at(-1)).toBe('A person will call.');
  });

  test('words for another call, or without one, are refused', async () => {
    const next = conversation('outside');
    const { next_node, variables, actions } = await next({ user_input: null });
    const execute = (brought: object, bag = variables) =>
      flows.api.post('/v1/flows/outside/execute', { current_node: next_node, variables: bag, ...brought });
    for (const brought of [
      {},
      { user_input: 'A Golf' },
      { tool_result: { call_id: 'call_x', result: 'Hi' } },
    ]) {
      const response = await execute(brought).expect(422);
      expect(response.body).toMatchObject({ type: 'urn:parley:problem:tool_result_mismatch' });
    }
    const call_id = actions[0]!['call_id'];
    const { variables: after } = await next({ tool_result: { call_id, result: 'Which car?' } });
    await execute({ tool_result: { call_id, result: 'Which car?' } }, after).expect(422);
  });
});

describe('values that the agent finds out', () => {
  const replies = (args: object): GatewayAnswer => ({ tools: [{ name: 'reply', args }] });

  test('come with the words and the branch in one call, and each is checked', async () => {
    const next = conversation('finding');
    gateway.script(
      { content: 'Which car?' },
      replies({
        answer: 'How many?',
        values: { car: ' Golf ', count: null, season: 'Winter', color: 'red' },
      }),
      replies({ answer: 'Which size?', values: { car: '', count: 'four', season: 'autumn' } }),
      { tools: [{ name: 'goal_reached', args: { answer: '', branch: 0, values: { count: 2.5 } } }] },
    );
    await next({ user_input: null });
    const second = await next({ user_input: 'A Golf, for the winter' });
    expect({ texts: texts(second), next_node: second.next_node }).toEqual({
      texts: ['How many?'],
      next_node: 'advise',
    });
    expect(second.variables).toMatchObject({ car: 'Golf', season: 'winter' });
    expect(second.variables).not.toHaveProperty('color');
    const third = await next({ user_input: 'four' });
    expect(third.variables).toMatchObject({ car: 'Golf', count: 4, season: 'winter' });
    const last = await next({ user_input: 'the 205' });
    expect(texts(last)).toEqual(['Ordered.']);
    expect(last.variables).toMatchObject({ count: 4 });
    expect(gateway.chats).toHaveLength(4);
    const { properties } = gateway.chats[1]!.tools!.find((tool) => tool.function.name === 'reply')!.function
      .parameters as { properties: { values: { properties: object } } };
    expect(Object.keys(properties.values.properties)).toEqual(['car', 'count', 'season']);
  });

  test('decide edges in the same turn', async () => {
    const next = conversation('finding');
    gateway.script(
      { content: 'Which car?' },
      replies({ answer: 'I see.', values: { car: 'Golf', count: 2 } }),
    );
    await next({ user_input: null });
    expect(texts(await next({ user_input: 'Two for a Golf' }))).toEqual(['I see.', 'Only 2 for the Golf?']);
  });

  test('a reply without words is a failure, and its values do not count', async () => {
    const next = conversation('finding');
    gateway.script({ content: 'Which car?' }, replies({ values: { car: 'Golf' } }));
    await next({ user_input: null });
    const turn = await next({ user_input: 'A Golf' });
    expect(texts(turn)).toEqual(['A person will call.']);
    expect(turn.variables).not.toHaveProperty('car');
  });

  test('out of band the caller brings them beside the words', async () => {
    const next = conversation('found');
    const { actions } = await next({ user_input: null });
    expect(actions[0]).toMatchObject({
      extraction: { type: 'object', properties: { count: { type: 'integer' } } },
    });
    const bring = (call: unknown, result: object) => next({ tool_result: { call_id: call, result } });
    const spoken = await bring(actions[0]!['call_id'], { answer: 'Hi.', values: { car: 'Golf', count: [] } });
    expect(spoken.variables).toMatchObject({ car: 'Golf' });
    expect(spoken.variables).not.toHaveProperty('count');
    const asked = await next({ user_input: 'three' });
    const last = await bring(asked.actions[0]!['call_id'], { answer: 'So few.', values: { count: 3 } });
    expect(texts(last)).toEqual(['So few.', 'Only 3 for the Golf?']);
  });
});

describe('in a chat', () => {
  type Message = Readonly<Record<string, unknown>>;
  const post = (model: string, messages: readonly Message[]) =>
    flows.api
      .post('/openai/v1/chat/completions', { model, messages, metadata: { session_id: `chat-${model}` } })
      .expect(200);
  const answerOf = ({ body }: { body: unknown }) =>
    (body as { choices: [{ message: Message; finish_reason: string }] }).choices[0];

  test('in process, a history is walked again without another call', async () => {
    gateway.script({ content: 'Which car?' }, { content: 'Winter?' }, chooses('The 205.', 0));
    const messages: Message[] = [{ role: 'user', content: 'Hi' }];
    for (const [text, said] of [
      ['Welcome.\nWhich car?', 'A Golf'],
      ['Winter?', 'Yes'],
    ] as const) {
      const { message } = answerOf(await post('inside', messages));
      expect(message['content']).toBe(text);
      messages.push(message, { role: 'user', content: said });
    }
    const { message, finish_reason } = answerOf(await post('inside', messages));
    expect({ content: message['content'], finish_reason }).toEqual({
      content: 'The 205.\nOrdered.',
      finish_reason: 'end',
    });
    expect(gateway.chats).toHaveLength(3);
  });

  test('out of band, the client is called as a function', async () => {
    const messages: Message[] = [{ role: 'user', content: 'Hi' }];
    const said: unknown[] = [];
    for (const result of ['Which car?', '{"answer": "The 205.", "branch": 0}']) {
      const { message, finish_reason } = answerOf(await post('outside', messages));
      said.push(message['content']);
      expect(finish_reason).toBe('tool_calls');
      const [call] = message['tool_calls'] as [{ id: string; function: { name: string; arguments: string } }];
      expect(call.function.name).toBe('run_agent');
      expect(JSON.parse(call.function.arguments)).toMatchObject({
        node_id: 'advise',
        goal: 'Find the tyre.',
      });
      messages.push(message, { role: 'tool', tool_call_id: call.id, content: result });
      const spoken = answerOf(await post('outside', messages));
      said.push(spoken.message['content']);
      messages.push(spoken.message, { role: 'user', content: 'A Golf' });
    }
    expect(said).toEqual(['Welcome.', 'Which car?', null, 'The 205.\nOrdered.']);
  });
});
