// Conversations as scripts: rewinding, editing, other answers and stored tests.
import { beforeEach, expect, test } from '@jest/globals';
import type { CallerAnswer } from '@parley/flow-engine';
import { engine } from '../../engine/engine.ts';
import { awaitedAfter } from './bring.tsx';
import {
  answer,
  begin,
  bring,
  bringInstead,
  forget,
  open,
  played,
  rewind,
  say,
  sayInstead,
  set,
  useTalk,
} from './talk-store.ts';
import { toScript, toTest } from './to-test.ts';
import { walkedBy } from './walked.ts';

const flow = {
  start: 'ask',
  nodes: [
    { id: 'ask', type: 'collect', prompt: 'What is it?', variable: 'what' },
    { id: 'sort', type: 'branch' },
    { id: 'bill', type: 'collect', prompt: 'Which bill?', variable: 'bill' },
    { id: 'desk', type: 'handoff', target: 'desk' },
    { id: 'done', type: 'end', message: 'Done with {{ bill }}.' },
  ],
  edges: [
    { source: 'ask', target: 'sort' },
    { source: 'sort', target: 'bill', nl: 'a bill' },
    { source: 'sort', target: 'desk' },
    { source: 'bill', target: 'done' },
  ],
};
const chose = { kind: 'classify', answer: { kind: 'chosen', index: 0, confidence: 1 } } as const;
const none = { kind: 'classify', answer: { kind: 'none' } } as const;

function play() {
  const turns = engine.converse(useTalk.getState().script)!;
  played(turns);
  return turns;
}

beforeEach(() => {
  engine.check(flow);
  forget();
  begin();
  set({ nowMs: 1_000_500 });
  say('about a bill');
});

test('an answer continues the conversation; another answer changes it', () => {
  expect(play().at(-1)?.outcome.kind).toBe('asks');
  answer(1, 0, chose);
  expect(play().at(-1)?.outcome).toMatchObject({ nextNode: 'bill' });
  say('May');
  expect(play().at(-1)?.outcome).toMatchObject({
    status: 'completed',
    outputs: [{ text: 'Done with May.' }],
  });
  answer(1, 0, none);
  expect(play().map(({ outcome }) => outcome.kind)).toEqual(['turn', 'turn', 'too_late']);
});

test('rewinds to a turn and changes its input', () => {
  answer(1, 0, chose);
  say('May');
  sayInstead(2, 'June');
  expect(play().at(-1)?.outcome).toMatchObject({ outputs: [{ text: 'Done with June.' }] });
  rewind(1);
  expect(play()).toHaveLength(2);
});

test('a turn has visited nodes in order and taken edges', () => {
  answer(1, 0, none);
  const turn = play().at(-1)!;
  expect(walkedBy(turn)).toEqual({
    visited: ['ask', 'sort', 'desk'],
    taken: new Set([0, 2]),
    refused: new Set([1]),
    inside: new Map(),
  });
  rewind(0);
  say('again');
  expect(walkedBy(play().at(-1)!).visited).toEqual(['sort']);
});

test('converts to a test with input, model results, expectations and time', () => {
  answer(1, 0, chose);
  say('May');
  expect(toTest(useTalk.getState().script, play())).toEqual({
    now: 1000,
    turns: [
      { user_input: null, expect: { messages: ['What is it?'], next_node: 'ask', status: 'waiting' } },
      {
        user_input: 'about a bill',
        classifier: 0,
        expect: { messages: ['Which bill?'], next_node: 'bill', status: 'waiting' },
      },
      { user_input: 'May', expect: { messages: ['Done with May.'], next_node: null, status: 'completed' } },
    ],
  });
  expect(toTest(useTalk.getState().script, [])).toBeNull();
});

test('a stored test plays without questions and converts back to the same test', () => {
  answer(1, 0, chose);
  say('May');
  const test = toTest(useTalk.getState().script, play())!;
  open(toScript(test, 0));
  expect(play().map(({ outcome }) => outcome.kind)).toEqual(['turn', 'turn', 'turn']);
  expect(toTest(useTalk.getState().script, play())).toEqual(test);
});

const waiting = {
  start: 'look',
  nodes: [
    { id: 'look', type: 'tool', tool: 'find', args: {}, output_var: 'found', wait_for_result: true },
    { id: 'desk', type: 'handoff', target: 'desk', returns: true },
    { id: 'done', type: 'end', message: 'Found {{ found.name }}.' },
    { id: 'sorry', type: 'end', message: 'Sorry.' },
  ],
  edges: [
    { source: 'look', target: 'desk', variable: '_tool_status', op: 'eq', value: 'error' },
    { source: 'look', target: 'done' },
    { source: 'desk', target: 'done', variable: '_handoff_status', op: 'eq', value: 'returned' },
    { source: 'desk', target: 'sorry' },
  ],
};
const gave = (result: unknown) =>
  ({ kind: 'tool_result', callId: null, outcome: { status: 'ok', result } }) as const;
const failed: CallerAnswer = {
  kind: 'tool_result',
  callId: null,
  outcome: { status: 'error', code: 'timeout', message: '' },
};

test('enters results of tools and handoffs by hand, and changes them', () => {
  engine.check(waiting);
  begin();
  expect(awaitedAfter(play().at(-1)!)).toBe('tool_result');
  bring(gave({ name: 'Ada' }));
  expect(play().at(-1)?.outcome).toMatchObject({ outputs: [{ text: 'Found Ada.' }] });
  bringInstead(1, failed);
  expect(awaitedAfter(play().at(-1)!)).toBe('handoff_result');
  bring({ kind: 'handoff_result', status: 'failed', reason: 'no agent available' });
  expect(play().at(-1)?.outcome).toMatchObject({ outputs: [{ text: 'Sorry.' }] });
  expect(awaitedAfter(play().at(-1)!)).toBeNull();
});

test('stores results in a test without call ids, and plays them again', () => {
  engine.check(waiting);
  begin();
  bring(failed);
  bring({ kind: 'handoff_result', status: 'returned', reason: null });
  const test = toTest(useTalk.getState().script, play())!;
  expect(test.turns.map(({ tool_result, handoff_result }) => tool_result ?? handoff_result)).toEqual([
    undefined,
    { error: { code: 'timeout', message: '' } },
    { status: 'returned' },
  ]);
  open(toScript(test, 0));
  expect(play().map(({ outcome }) => outcome.kind)).toEqual(['turn', 'turn', 'turn']);
  expect(
    engine.explore({ definition: waiting, called: null, tests: [{ name: 't', test }], nowMs: 0 }),
  ).toMatchObject({
    results: [{ name: 't', failures: [] }],
  });
});

test('changes one answer of a stored test and keeps the rest', () => {
  answer(1, 0, chose);
  say('May');
  open(toScript(toTest(useTalk.getState().script, play())!, 0));
  play();
  answer(1, 0, none);
  expect(play().at(1)?.outcome).toMatchObject({ status: 'handed_off' });
  expect(useTalk.getState().script.turns[2]?.input).toBe('May');
});
