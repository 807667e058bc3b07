import { expect, test } from '@jest/globals';
import type { RecordedTurn } from '@parley/flow-analysis';
import type { AuthoredFlow } from '@parley/flow-engine';
import { listBranches } from './branches.ts';

const flow: AuthoredFlow = {
  nodes: [
    { id: 'ask', type: 'collect' },
    { id: 'help', type: 'trigger', on: 'any_turn' },
    { id: 'later', type: 'collect' },
    { id: 'bye', type: 'end' },
  ],
  edges: [
    { source: 'ask', target: 'bye', default: true },
    { source: 'ask', target: 'later', nl: 'wants it later', label: 'later' },
    { source: 'help', target: 'bye', condition: 'asks for help' },
    { source: 'later', target: 'bye', nl: 'not visited' },
  ],
};
const turn = (words: string | null, path: RecordedTurn['path']) =>
  ({ path, input: { user_input: words } }) as RecordedTurn;
const unheard: RecordedTurn['path'] = [
  [0, 0, 'default'],
  [3, null, null],
];

test('lists the branches of visited nodes and of commands, by their place in the latest version', () => {
  const moved = { ...flow, edges: [{ source: 'bye', target: 'ask' }, ...flow.edges!] };
  expect(listBranches(turn('Not now', unheard), flow, moved)).toEqual({
    isTaken: false,
    edges: [
      { index: 2, nl: 'wants it later', label: 'later', target: 'later' },
      { index: 3, nl: 'asks for help', label: null, target: 'bye' },
    ],
  });
  expect(listBranches(turn('Later', [[0, 1, 'classifier']]), flow, flow).isTaken).toBe(true);
});

test('offers nothing without an utterance, or where no branch was', () => {
  expect(listBranches(turn(null, unheard), flow, flow).edges).toEqual([]);
  expect(listBranches(turn('Bye', [[3, null, null]]), flow, flow).edges).toEqual([]);
});
