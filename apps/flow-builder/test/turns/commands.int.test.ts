// Commands over HTTP: available at every question, with a way back, validated, and part of stored
// tests.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startFlowBuilder, type FlowBuilder } from '../service.ts';

let flows: FlowBuilder;
beforeAll(async () => {
  flows = await startFlowBuilder();
});
afterAll(() => flows.stop());

const said = (source: string, target: string, value: string) => {
  return { source, target, variable: 'user_input', op: 'eq', value };
};
const definition = {
  nodes: [
    { id: 'when', type: 'collect', prompt: 'Which day?', variable: 'day', cast: 'date', max_attempts: 3 },
    { id: 'done', type: 'end', message: 'Booked for {{ day }}.' },
    { id: 'anywhere', type: 'trigger', on: 'any_turn' },
    { id: 'help', type: 'message', text: 'I book tables.' },
    { id: 'back', type: 'end', message: 'Now, then.', resume: true },
    { id: 'desk', type: 'handoff', target: 'desk' },
  ],
  edges: [
    { source: 'when', target: 'done' },
    said('anywhere', 'help', 'help'),
    { source: 'anywhere', target: 'desk', nl: 'wants to speak to a person' },
    { source: 'help', target: 'back' },
    { source: 'when', target: 'desk', variable: '_input_status', op: 'neq', value: 'captured' },
  ],
};

interface Turn {
  next_node: string | null;
  variables: Record<string, unknown>;
  outputs: { text: string }[];
}

test('a command interrupts a conversation and returns, and hands it to a person', async () => {
  const created = await flows.api.post('/v1/flows', { flow_id: 'book', definition }).expect(201);
  expect(created.body).toMatchObject({
    validation: { valid: true, warnings: [], stats: { reachable: 5, max_steps_per_turn: 4 } },
  });
  await flows.api.post('/v1/flows/book/publish').expect(200);

  let turn: Turn = { next_node: null, variables: {}, outputs: [] };
  const say = async (user_input: string | null, query = '') => {
    const { next_node: current_node, variables } = turn;
    const body = { session_id: 's-1', current_node, variables, user_input };
    const answer = await flows.api.post(`/v1/flows/book/execute${query}`, body).expect(200);
    turn = answer.body as Turn;
    return answer.body as object;
  };
  await say(null);
  expect(await say('soon')).toMatchObject({
    input: { status: 'no_match' },
    variables: { _flow: { turn: 2, attempts: { when: 1 } } },
  });
  expect(await say('help', '?trace=true')).toMatchObject({
    status: 'waiting',
    next_node: 'when',
    outputs: [
      { type: 'message', node_id: 'help', text: 'I book tables.' },
      { type: 'message', node_id: 'back', text: 'Now, then.' },
      { type: 'prompt', node_id: 'when', text: 'Which day?' },
    ],
    variables: { _flow: { turn: 3, attempts: { when: 1 } } },
    input: { status: 'command', node_id: 'when' },
    steps: 4,
    trace: [
      { node_id: 'when', command: 'anywhere', decided_by: 'deterministic', edge_index: 1 },
      { node_id: 'help' },
      { node_id: 'back' },
      { node_id: 'when' },
    ],
  });
  expect(await say('I want to speak to a person')).toMatchObject({
    status: 'handed_off',
    actions: [{ type: 'handoff', target: 'desk' }],
    input: { status: 'command' },
  });
});

test('a stored test scripts the one question to the classifier, and the diagram shows the command', async () => {
  const turns = [
    { expect: { next_node: 'when' } },
    { user_input: 'help', classifier: 0, expect: { next_node: 'when', status: 'waiting' } },
    { user_input: 'a person, please', classifier: 0, expect: { status: 'handed_off' } },
  ];
  await flows.api.put('/v1/flows/book/tests/aside', { turns }).expect(201);
  const run = await flows.api.post('/v1/flows/book/tests/run').expect(200);
  expect(run.body).toMatchObject({ passed: 1, failed: 0 });
  const drawn = await flows.api.get('/v1/flows/book/diagram?format=mermaid').expect(200);
  expect(drawn.text).toContain('wants to speak to a person');
});

test('an unreachable command is refused with its place', async () => {
  const wrong = {
    ...definition,
    edges: [
      { source: 'when', target: 'done' },
      { source: 'anywhere', target: 'desk' },
    ],
  };
  const refused = await flows.api.post('/v1/flows', { flow_id: 'wrong', definition: wrong }).expect(422);
  expect(JSON.stringify(refused.body)).toContain('command_without_condition');
});
