// Values of agents that talk (docs/flow-language.md#agents-that-talk): only declared ones, only of
// their type, and never those of a run that failed.
import { expect, test } from '@jest/globals';
import { flowOf, playTurn, turnOf } from '../../test/play.ts';
import type { AgentOutcome } from './turn.ts';
import { walkTurn } from './walk.ts';

const variables = [
  { name: 'city', type: 'string' },
  { name: 'people', type: 'integer' },
  { name: 'rate', type: 'number' },
  { name: 'smokes', type: 'boolean' },
  { name: 'meal', type: 'enum', choices: ['fish', 'meat'] },
];
const talk = (members: object = {}, language = 'en') =>
  flowOf(
    [
      { id: 'a', type: 'autonomous', converse: true, goal: 'G', extraction: { variables }, ...members },
      { id: 'end', type: 'end' },
    ],
    [{ source: 'a', target: 'end', default: true }],
    { language },
  );
const outcome = (values: Record<string, unknown>, more: Partial<AgentOutcome> = {}): AgentOutcome => ({
  status: 'replied',
  answer: 'So.',
  iterations: 1,
  toolCalls: [],
  values,
  ...more,
});
const play = (found: AgentOutcome, flow = talk()) =>
  playTurn(
    flow,
    { currentNode: 'a', userInput: 'x', agentMode: 'in_process', trace: true },
    { runAgent: [found] },
  );

test.each<[string, unknown, unknown]>([
  ['city', ' Ulm ', 'Ulm'],
  ['city', '{{ bot }}', '{{ bot }}'],
  ['people', 4, 4],
  ['people', 'twenty-one', 21],
  ['rate', '2.5', 2.5],
  ['smokes', 'no', false],
  ['meal', 'Fish', 'fish'],
])('%s: %j is %j', (name, given, value) =>
  expect(play(outcome({ [name]: given })).variables).toMatchObject({ [name]: value }),
);

test.each<[string, unknown]>([
  ['city', 7],
  ['city', ['Ulm']],
  ['city', '  '],
  ['city', null],
  ['people', 4.5],
  ['people', 'about four'],
  ['people', 'four or five'],
  ['rate', 1e300],
  ['smokes', 'fish'],
  ['meal', 'meat or fish'],
  ['meal', 'tofu'],
])('%s: %j does not count', (name, given) =>
  expect(play(outcome({ [name]: given })).variables).not.toHaveProperty(name),
);

test('texts are read in the language of the flow', () =>
  expect(play(outcome({ people: 'einundzwanzig' }), talk({}, 'de')).variables).toMatchObject({ people: 21 }));

test('the trace says what was merged and what was rejected', () =>
  expect(play(outcome({ city: 'Ulm', meal: 'tofu', color: 'red' })).trace![0]).toMatchObject({
    extraction: { merged: ['city'], rejected: ['meal'], unavailable: null },
    agent: { status: 'replied' },
  }));

test.each<Partial<AgentOutcome>>([{ status: 'error' }, { status: 'max_iterations' }])(
  'the values of a run that failed do not count: %j',
  (more) => expect(play(outcome({ city: 'Ulm' }, more)).variables).not.toHaveProperty('city'),
);

test('an agent that does not talk extracts nothing, and is not told to', () => {
  const flow = talk({ converse: false });
  const step = walkTurn(flow, turnOf({ agentMode: 'in_process' }));
  if (step.kind !== 'run_agent') throw new Error(step.kind);
  expect(step.spec.talk).toBeUndefined();
  const found = outcome({ city: 'Ulm' }, { status: 'goal_reached' });
  expect(playTurn(flow, { agentMode: 'in_process' }, { runAgent: [found] }).variables).not.toHaveProperty(
    'city',
  );
});
