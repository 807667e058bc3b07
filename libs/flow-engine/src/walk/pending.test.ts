// A tool that is still running: the node waits on, commands act on what the caller says, and the
// result is taken where the flow is back.
import { expect, test } from '@jest/globals';
import { flowOf, playTurn, texts } from '../../test/play.ts';
import type { CallerAnswer } from '../define/waits.ts';

const commands = [
  { id: 'any', type: 'trigger', on: 'any_turn' },
  { id: 'hours', type: 'message', text: 'We open at nine.' },
  { id: 'back', type: 'end', text: 'One moment still.', resume: true },
  { id: 'party', type: 'collect', prompt: 'How many?', variable: 'people', cast: 'integer' },
];
const flow = flowOf(
  [
    { id: 'book', type: 'tool', tool: 'book', output_var: 'table', wait_for_result: true },
    { id: 'done', type: 'end', text: 'Table {{ table.name }}.' },
    { id: 'sorry', type: 'end', text: 'No table: {{ _tool_error }}.' },
    ...commands,
  ],
  [
    { source: 'book', target: 'done', variable: '_tool_status', value: 'ok' },
    { source: 'book', target: 'sorry', default: true },
    { source: 'any', target: 'hours', variable: 'user_input', op: 'contains', value: 'open' },
    { source: 'any', target: 'party', variable: 'user_input', op: 'contains', value: 'wait' },
    { source: 'hours', target: 'back' },
    { source: 'party', target: 'book' },
  ],
);

const called = playTurn(flow, { currentNode: null, userInput: null, variables: {}, session: 's' });
const callId = (called.actions[0] as { callId: string }).callId;
const result = (outcome: Extract<CallerAnswer, { kind: 'tool_result' }>['outcome'], of = callId) =>
  ({ kind: 'tool_result', callId: of, outcome }) as const;
const pending = result({ status: 'pending' });
const ok = result({ status: 'ok', result: { name: 'seven' } });
const at = (currentNode: string, variables: object, userInput: string | null, answer?: CallerAnswer) =>
  playTurn(flow, {
    currentNode,
    variables: variables as never,
    userInput,
    session: 's',
    answer: answer ?? null,
  });

test('waits on without another call, and takes the result of the same call', () => {
  const waiting = at('book', called.variables, 'hello?', pending);
  expect(waiting).toMatchObject({ status: 'waiting_for_tool', nextNode: 'book', actions: [], outputs: [] });
  expect(texts(at('book', waiting.variables, null, ok))).toEqual(['Table seven.']);
});

test('a command answers and goes back to the running tool', () => {
  const waiting = at('book', called.variables, 'when do you open?', pending);
  expect(waiting).toMatchObject({ status: 'waiting_for_tool', nextNode: 'book', actions: [] });
  expect(texts(waiting)).toEqual(['We open at nine.', 'One moment still.']);
  expect(waiting.visited).toEqual(['book', 'hours', 'back', 'book']);
  expect(texts(at('book', waiting.variables, null, ok))).toEqual(['Table seven.']);
});

test('a command may lead away; the tool is called again with a call of its own', () => {
  const away = at('book', called.variables, 'wait, five people', pending);
  expect(away).toMatchObject({ status: 'waiting', nextNode: 'party' });
  const again = at('party', away.variables, 'five');
  expect(again).toMatchObject({ status: 'waiting_for_tool', nextNode: 'book', actions: [{ type: 'tool' }] });
  const second = (again.actions[0] as { callId: string }).callId;
  expect(second).not.toBe(callId);
  const stale = at.bind(null, 'book', again.variables, null);
  expect(() => stale(ok)).toThrow();
  expect(texts(stale(result({ status: 'ok', result: { name: 'nine' } }, second)))).toEqual(['Table nine.']);
});

test('edges and templates see no outcome while it runs', () => {
  const asking = flowOf(
    [
      { id: 'book', type: 'tool', tool: 'book', wait_for_result: true },
      { id: 'x', type: 'end', text: 'x' },
      commands[0],
    ],
    [
      { source: 'book', target: 'x' },
      { source: 'any', target: 'x', variable: '_tool_status', op: 'exists' },
    ],
  );
  const begun = playTurn(asking, { currentNode: null, userInput: null, variables: {} });
  const id = (begun.actions[0] as { callId: string }).callId;
  const waiting = playTurn(asking, {
    currentNode: 'book',
    userInput: 'well?',
    variables: begun.variables,
    answer: result({ status: 'pending' }, id),
  });
  expect(waiting).toMatchObject({ status: 'waiting_for_tool', outputs: [] });
});
