// Texts that read a member that the result of a tool lacks (docs/flow-language.md#missing-members):
// no caller hears the gap.
import { expect, test } from '@jest/globals';
import { flowOf, playTurn, texts } from '../../test/play.ts';
import { turnResultToWire } from './wire.ts';
import type { TurnInput } from './turn.ts';

const book = { id: 'book', type: 'tool', tool: 'book', output_var: 'booking', wait_for_result: true };
const sorry = { id: 'sorry', type: 'end', text: 'No table: {{ _tool_error }}.' };
const edges = [
  { source: 'book', target: 'first', variable: '_tool_status', value: 'ok' },
  { source: 'book', target: 'sorry', default: true },
  { source: 'first', target: 'done' },
];
const first = { id: 'first', type: 'message', text: 'Good news.' };
const done = { id: 'done', type: 'end', text: 'I have table {{ booking.table }} for 4.' };
type Flow = ReturnType<typeof flowOf>;

function bring(flow: Flow, result: unknown, more: Partial<TurnInput> = {}) {
  const called = playTurn(flow, { session: 's' });
  const callId = (called.actions[0] as { callId: string }).callId;
  const answer = { kind: 'tool_result', callId, outcome: { status: 'ok', result } } as const;
  const { variables } = called;
  return playTurn(flow, { currentNode: 'book', session: 's', variables, answer, trace: true, ...more });
}
const steps = (turn: Parameters<typeof turnResultToWire>[0]) =>
  (turnResultToWire(turn)['trace'] as Record<string, unknown>[]).map(({ node_id, result, missing }) => ({
    node_id,
    ...(result === undefined ? {} : { result }),
    ...(missing === undefined ? {} : { missing }),
  }));

const flow = flowOf([book, first, done, sorry], edges);

test('a result with the member is spoken', () => {
  expect(texts(bring(flow, { table: 7 }))).toEqual(['Good news.', 'I have table 7 for 4.']);
});

test.each([
  ['no member', {}],
  ['null', { table: null }],
  ['a text', 'cancelled'],
  ['nothing', null],
])('the turn takes the way of an error: %s', (_, result) => {
  const turn = bring(flow, result);
  expect(texts(turn)).toEqual(['No table: missing_member.']);
  expect(turn.variables['booking']).toBeUndefined();
  expect(steps(turn)).toEqual([
    { node_id: 'book', result: { status: 'error', reason: 'missing_member', missing: 'booking.table' } },
    { node_id: 'sorry' },
  ]);
});

test('a text that is empty, and one with a default, are no gaps', () => {
  expect(texts(bring(flow, { table: '' }))).toEqual(['Good news.', 'I have table  for 4.']);
  const text = 'I have a table{{ booking.note | default: "" }}.';
  const noted = flowOf([book, first, { ...done, text }, sorry], edges);
  expect(texts(bring(noted, {}))).toEqual(['Good news.', 'I have a table.']);
});

test('a flow without a way for errors does not say the text', () => {
  const careless = flowOf([book, done], [{ source: 'book', target: 'done' }]);
  const turn = bring(careless, {});
  expect(turn).toMatchObject({ status: 'completed', outputs: [] });
  expect(steps(turn)).toEqual([
    { node_id: 'book', result: { status: 'error', reason: 'missing_member', missing: 'booking.table' } },
    { node_id: 'done', missing: 'booking.table' },
  ]);
});

test('a variant without the gap is said, and so is the reprompt of a question', () => {
  const either = { ...first, text: 'Table {{ booking.table }}.', variants: ['You have a table.'] };
  const varied = flowOf([book, either, { ...done, text: 'Bye.' }, sorry], edges);
  expect(texts(bring(varied, {}))).toEqual(['You have a table.', 'Bye.']);
  const ask = { id: 'first', type: 'collect', variable: 'ok', prompt: 'Table {{ booking.table }}?' };
  const asked = flowOf([book, { ...ask, reprompt: 'Shall I book?' }, done, sorry], edges);
  expect(bring(asked, {}).outputs).toEqual([{ type: 'prompt', nodeId: 'first', text: 'Shall I book?' }]);
});

test('a later turn does not say the text, and says so in the trace', () => {
  const ask = { id: 'first', type: 'collect', variable: 'name', prompt: 'Your name?' };
  const later = flowOf([book, ask, done, sorry], edges);
  const { variables } = bring(later, {});
  const turn = playTurn(later, { currentNode: 'first', userInput: 'Ada', variables, trace: true });
  expect(turn).toMatchObject({ status: 'completed', outputs: [] });
  expect(steps(turn).at(-1)).toEqual({ node_id: 'done', missing: 'booking.table' });
});

test('after a model has answered, the turn is not walked again', () => {
  const agent = { id: 'first', type: 'autonomous', goal: 'Praise' };
  const praising = flowOf([book, agent, done, sorry], edges, { agent_mode: 'in_process' });
  const called = playTurn(praising, { session: 's' });
  const callId = (called.actions[0] as { callId: string }).callId;
  const answer = { kind: 'tool_result', callId, outcome: { status: 'ok', result: {} } } as const;
  const turn = playTurn(
    praising,
    { currentNode: 'book', variables: called.variables, answer, session: 's', agentMode: 'in_process' },
    { runAgent: [{ status: 'goal_reached', answer: 'Well done.', iterations: 1, toolCalls: [] }] },
  );
  expect(turn).toMatchObject({ status: 'completed', visited: ['book', 'first', 'done'] });
  expect(texts(turn)).toEqual(['Well done.']);
});

test('a declared member that is required is missed before the flow goes on', () => {
  const output_schema = { type: 'object', properties: { table: {}, area: {} }, required: ['table', 'area'] };
  const strict = flowOf([{ ...book, output_schema }, first, done, sorry], edges);
  expect(texts(bring(strict, { table: 7, area: 'bar' }))).toEqual(['Good news.', 'I have table 7 for 4.']);
  const turn = bring(strict, { table: 7 });
  expect(texts(turn)).toEqual(['No table: missing_member.']);
  expect(steps(turn)[0]).toMatchObject({ result: { missing: 'booking.area' } });
});

test('members of other variables are empty, as before', () => {
  const name = { ...done, text: 'Bye{{ caller.name }}.' };
  expect(texts(bring(flowOf([book, first, name, sorry], edges), {}))).toEqual(['Good news.', 'Bye.']);
});
