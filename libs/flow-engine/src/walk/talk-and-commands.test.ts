// Commands around agents that talk (docs/flow-language.md#agents-that-talk): they are tried at
// questions and tools, not while an agent talks, and the way back survives the talk.
import { expect, test } from '@jest/globals';
import { flowOf, playTurn, texts } from '../../test/play.ts';
import type { AgentOutcome, TurnResult } from './turn.ts';

const nodes = [
  { id: 'any', type: 'trigger', on: 'any_turn' },
  { id: 'day', type: 'collect', variable: 'day', prompt: 'Which day?' },
  { id: 'book', type: 'tool', tool: 'book', output_var: 'booking', wait_for_result: true },
  { id: 'advise', type: 'autonomous', converse: true, goal: 'Advise' },
  { id: 'back', type: 'end', text: 'Back to it.', resume: true },
  { id: 'end', type: 'end', text: 'Table {{ booking.table }}.' },
];
const edges = [
  { source: 'any', target: 'advise', variable: 'user_input', op: 'contains', value: 'help' },
  { source: 'day', target: 'book' },
  { source: 'book', target: 'end' },
  { source: 'advise', target: 'back', variable: 'user_input', value: 'thanks' },
  { source: 'advise', target: 'back', default: true },
];
const flow = flowOf(nodes, edges);
const replied = (answer: string): AgentOutcome => ({
  status: 'replied',
  answer,
  iterations: 1,
  toolCalls: [],
});
const says = (before: TurnResult, userInput: string | null, ...answers: string[]) =>
  playTurn(
    flow,
    { currentNode: before.nextNode, variables: before.variables, userInput, agentMode: 'in_process' },
    { runAgent: answers.map(replied) },
  );
const brings = (before: TurnResult, callId: string, result: unknown, userInput: string | null = null) =>
  playTurn(flow, {
    currentNode: before.nextNode,
    variables: before.variables,
    userInput,
    answer: {
      kind: 'tool_result',
      callId,
      outcome: result === undefined ? { status: 'pending' } : { status: 'ok', result },
    },
  });
const callOf = (turn: TurnResult) => (turn.actions[0] as { callId: string }).callId;
const begun = playTurn(flow, { currentNode: 'day', userInput: null });

test('a command leads to an agent, and its words call none', () => {
  const called = says(begun, 'help me', 'What is it?');
  expect(called).toMatchObject({ status: 'waiting', nextNode: 'advise', input: { status: 'command' } });
  const more = says(called, 'more help', 'Saturdays are full.');
  expect(more).toMatchObject({ nextNode: 'advise', visited: ['advise'] });
  expect(texts(more)).toEqual(['Saturdays are full.']);
});

test('the way back leads to the interrupted question', () => {
  const called = says(begun, 'help me', 'What is it?');
  const back = says(says(called, 'full?', 'Yes.'), 'thanks');
  expect(texts(back)).toEqual(['Back to it.', 'Which day?']);
  expect(back).toMatchObject({ status: 'waiting', nextNode: 'day' });
  expect(says(back, 'Friday').status).toBe('waiting_for_tool');
});

test('a tool that still runs is not forgotten while an agent out of band talks', () => {
  const booking = says(begun, 'Friday');
  const tool = callOf(booking);
  const called = brings(booking, tool, undefined, 'help');
  expect(called).toMatchObject({ status: 'waiting_for_tool', nextNode: 'advise' });
  const words = brings(called, callOf(called), 'What is it?');
  expect(words).toMatchObject({ status: 'waiting', nextNode: 'advise' });
  const back = playTurn(flow, {
    currentNode: 'advise',
    variables: words.variables,
    userInput: 'thanks',
  });
  expect(back).toMatchObject({ status: 'waiting_for_tool', nextNode: 'book', actions: [] });
  expect(texts(brings(back, tool, { table: 7 }))).toEqual(['Table 7.']);
});

test('words beside an agent that still runs call no command, and wait for its answer', () => {
  const called = playTurn(flow, { currentNode: 'day', userInput: 'help' });
  const waiting = brings(called, callOf(called), undefined, 'help, thanks');
  expect(waiting).toMatchObject({ status: 'waiting_for_tool', nextNode: 'advise', visited: ['advise'] });
  expect(texts(brings(waiting, callOf(called), 'What is it?'))).toEqual(['What is it?']);
});
