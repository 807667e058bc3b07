// Groups of utterances that took the default edge.
import { expect, test } from '@jest/globals';
import { groupUnrecognised } from '../../src/explain/unrecognised.ts';
import type { RecordedTurn } from '../../src/explain/recorded-turn.ts';
import { flowFrom, recordPlayed } from '../recording.ts';

const flow = flowFrom({
  nodes: [
    { id: 'ask', type: 'collect', prompt: 'How can I help?', variable: 'wish' },
    { id: 'sure', type: 'collect', prompt: 'Sure?', variable: 'sure' },
    ...['bill', 'other'].map((id) => ({ id, type: 'end' })),
  ],
  edges: [
    {
      source: 'ask',
      target: 'bill',
      nl: 'asks about a bill',
      examples: ['my bill is wrong', 'a wrong bill'],
    },
    { source: 'ask', target: 'sure' },
    { source: 'sure', target: 'other' },
  ],
});
const say = (userInput: string, more: Partial<RecordedTurn> = {}, currentNode = 'ask'): RecordedTurn => ({
  ...recordPlayed(flow, { currentNode, userInput }, () => ({ kind: 'none' }))!.recorded,
  ...more,
});

test('like utterances are one group, the largest first, with the edge that they are most like', () => {
  const turns = [
    say('the tap in the kitchen leaks'),
    say('The tap in the bathroom leaks!'),
    say('the tap in the kitchen leaks?'),
    say('what does bill mean to you'),
    say('where do I park'),
    say('my bill is wrong'),
    say('yes', {}, 'sure'),
  ];
  const expected = [
    {
      node_id: 'ask',
      count: 5,
      groups: [
        {
          count: 3,
          utterances: ['the tap in the kitchen leaks', 'The tap in the bathroom leaks!'],
          edge_index: null,
        },
        { count: 1, utterances: ['what does bill mean to you'], edge_index: 0 },
        { count: 1, utterances: ['where do I park'], edge_index: null },
      ],
    },
  ];
  expect(groupUnrecognised(flow, turns)).toEqual(expected);
  expect(groupUnrecognised(flow, turns.toReversed())[0]!.groups.map(({ count }) => count)).toEqual([3, 1, 1]);
});

test('what cannot be an example is omitted', () => {
  const secret = say('my card is [redacted 1f2e]', { redacted: ['card'] });
  expect(groupUnrecognised(flow, [secret, say('x'.repeat(301)), say('?')])).toEqual([]);
});
