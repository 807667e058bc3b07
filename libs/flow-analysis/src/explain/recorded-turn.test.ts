import { expect, test } from '@jest/globals';
import { flowOf, noonMs, playTurn, turnOf } from '@parley/flow-engine/testing';
import type { TurnInput } from '@parley/flow-engine/walk/turn';
import { recordedTurn, recordTurn } from './recorded-turn.ts';
import type { RecordedAnswer } from './recorded-answer.ts';

const flow = flowOf(
  [
    { id: 'g', type: 'global', prompt: 'Be kind.' },
    { id: 'ask', type: 'collect', prompt: 'How old?', variable: 'age', cast: 'integer' },
    { id: 'child', type: 'end', message: 'Hello {{ name }}' },
    { id: 'route', type: 'branch' },
    { id: 'agent', type: 'autonomous', goal: 'help', tool_dispatch: { a: { url: 'https://x.test' } } },
    { id: 'bye', type: 'end', message: 'bye' },
  ],
  [
    { source: 'ask', target: 'child', variable: 'age', op: 'lt', value: 18 },
    { source: 'ask', target: 'route' },
    { source: 'route', target: 'agent', nl: 'wants help' },
    { source: 'route', target: 'bye', default: true },
    { source: 'agent', target: 'bye' },
  ],
  { start: 'ask' },
);
const of = { flowId: 'ages', version: 3 };
const chosen = { kind: 'chosen', index: 0, confidence: 0.9 } as const;

function record(input: Partial<TurnInput>, answers: RecordedAnswer[] = []) {
  const turn = turnOf(input);
  const classify = answers.flatMap((given) => (given.kind === 'classify' ? [given.answer] : []));
  return recordTurn(of, flow.model, turn, answers, playTurn(flow, turn, { classify }));
}

test('records the input, the path and the result', () => {
  expect(
    record({ currentNode: 'ask', userInput: '17', variables: { name: 'Ada', _flow: { turn: 1 } } }),
  ).toEqual({
    flow_id: 'ages',
    version: 3,
    turn: 2,
    current_node: 'ask',
    next_node: null,
    status: 'completed',
    now: noonMs / 1000,
    path: [
      [1, 0, 'deterministic'],
      [2, null, null],
    ],
    input: {
      user_input: '17',
      session_id: null,
      agent_mode: 'out_of_band',
      extractor: false,
      confidence_min: 0.5,
    },
    variables_in: { name: 'Ada', _flow: { turn: 1 } },
    variables_set: { age: 17, _flow: { turn: 2 } },
    variables_cleared: [],
    answers: [],
    messages: [{ type: 'message', node_id: 'child', text: 'Hello Ada' }],
    actions: [],
    answer_outcome: { node: 1, outcome: 'understood' },
  });
});

test('records who decided and what the models answered, but no parts of a run spec from the definition', () => {
  const answers: RecordedAnswer[] = [{ kind: 'classify', node_id: 'route', answer: chosen, ms: 12 }];
  const turn = record({ currentNode: 'ask', userInput: '30' }, answers);
  expect(turn.path).toEqual([
    [1, 1, 'default'],
    [3, 2, 'classifier'],
    [4, 4, 'default'],
    [5, null, null],
  ]);
  expect(turn.answers).toEqual(answers);
  expect(turn.actions).toEqual([
    {
      type: 'autonomous',
      node_id: 'agent',
      goal: 'help',
      prompt: 'Be kind.',
      max_iterations: 5,
      turn_budget: 20,
      output_var: 'agent_result',
    },
  ]);
});

test('the same path with a trace', () => {
  const input = { currentNode: 'ask', userInput: '17' };
  expect(record({ ...input, trace: true })).toEqual(record(input));
});

test.each([
  ['exactly 16 KiB', 'é'.repeat((16 * 1024 - 8) / 2), false],
  ['one byte more', `x${'é'.repeat((16 * 1024 - 8) / 2)}`, true],
])('a bag of %s', (_, text, isCut) => {
  const { variables_in, truncated } = record({ variables: { a: text } });
  expect(variables_in === null).toBe(isCut);
  expect(truncated === true).toBe(isCut);
});

test('survives its schema unchanged', () => {
  const turn = record({ currentNode: 'ask', userInput: '30' }, [
    { kind: 'classify', node_id: 'route', answer: chosen, ms: 12 },
  ]);
  expect(recordedTurn.parse(JSON.parse(JSON.stringify(turn)))).toEqual(turn);
});

test('records the outcome of an answer: understood, asked again, or lost', () => {
  const asking = flowOf(
    [
      {
        id: 'ask',
        type: 'collect',
        prompt: 'How old?',
        variable: 'age',
        cast: 'integer',
        max_attempts: 2,
        also: ['day'],
      },
      { id: 'day', type: 'collect', prompt: 'Which day?', variable: 'day', cast: 'date' },
      { id: 'lenient', type: 'collect', variable: 'n', cast: 'integer', max_attempts: 1, default_answer: 1 },
      { id: 'end', type: 'end' },
    ],
    [
      { source: 'ask', target: 'day' },
      { source: 'day', target: 'lenient' },
      { source: 'lenient', target: 'end' },
    ],
  );
  const outcome = (currentNode: string | null, userInput: string | null, failed = 0) => {
    const turn = turnOf({ currentNode, userInput, variables: { _flow: { attempts: { ask: failed } } } });
    return recordTurn(of, asking.model, turn, [], playTurn(asking, turn)).answer_outcome;
  };
  expect(outcome(null, null)).toBeUndefined();
  expect(outcome('ask', '17')).toEqual({ node: 0, outcome: 'understood' });
  expect(outcome('ask', '17', 1)).toEqual({ node: 0, outcome: 'understood_later' });
  expect(outcome('ask', 'hm')).toEqual({ node: 0, outcome: 'asked_again' });
  expect(outcome('ask', null)).toEqual({ node: 0, outcome: 'asked_again' });
  expect(outcome('ask', 'hm', 1)).toEqual({ node: 0, outcome: 'lost' });
  expect(outcome('ask', 'On Friday')).toBeUndefined();
  expect(outcome('lenient', 'hm')).toEqual({ node: 2, outcome: 'lost' });
});
