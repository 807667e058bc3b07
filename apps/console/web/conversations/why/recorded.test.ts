import { expect, test } from '@jest/globals';
import type { RecordedTurn } from '@parley/flow-analysis';
import type { AuthoredFlow } from '@parley/flow-engine';
import { readTurn } from '../../api/recorded-turns.ts';
import { computeVariables, getCompleteness, listMissing, toPath } from './recorded.ts';

const flow: AuthoredFlow = {
  nodes: [
    { id: 'ask', type: 'collect' },
    { id: 'who', type: 'branch' },
    { id: 'bye', type: 'end' },
  ],
  edges: [
    { source: 'ask', target: 'who' },
    { source: 'who', target: 'bye' },
  ],
};
const turn: RecordedTurn = {
  flow_id: 'f',
  version: 1,
  turn: 1,
  current_node: null,
  next_node: 'ask',
  status: 'waiting',
  now: 0,
  path: [[0, null, null]],
  input: {
    user_input: null,
    session_id: 's',
    agent_mode: 'in_process',
    extractor: false,
    confidence_min: 0.5,
  },
  variables_in: { a: 1, b: 2 },
  variables_set: { b: 3, c: 4 },
  variables_cleared: ['a'],
  answers: [],
  messages: [],
  actions: [],
};

test('reads a turn with unknown members, and rejects what is no turn', () => {
  expect(readTurn({ ...turn, of_tomorrow: 1 })).toEqual(turn);
  expect(readTurn({ turn: 'x' })).toBeNull();
});

test('says how much of a turn was stored', () => {
  const path = { ...turn, input: null, variables_in: null, messages: null, answers: null, actions: null };
  expect(getCompleteness(turn)).toBe('whole');
  expect(getCompleteness(path)).toBe('path');
  expect(getCompleteness({ ...turn, redacted: ['card'] })).toBe('masked');
  expect(getCompleteness({ ...turn, truncated: true, variables_in: null })).toBe('part');
  expect(listMissing({ ...turn, truncated: true, variables_in: null })).toEqual(['variables_in']);
});

test('computes the variables before and after', () => {
  expect(computeVariables(turn)).toEqual({ before: { a: 1, b: 2 }, after: { b: 3, c: 4 } });
  expect(computeVariables({ ...turn, variables_in: null })).toBeNull();
});

test('omits nodes of called flows from the path', () => {
  const path: RecordedTurn['path'] = [
    [0, 0, 'default'],
    [1, 7, null],
    [9, null, null],
  ];
  expect(toPath({ ...turn, path }, flow)).toMatchObject({ visited: ['ask', 'who'], taken: new Set([0]) });
});
