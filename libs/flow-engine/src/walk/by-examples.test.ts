// Branches that examples decide, and the order of examples and models.
import { describe, expect, test } from '@jest/globals';
import { flowOf, turnOf } from '../../test/play.ts';
import type { Classification, Step, TurnResult } from './turn.ts';
import { walkTurn } from './walk.ts';

const ends = (...ids: string[]) => ids.map((id) => ({ id, type: 'end' }));
const edges = [
  { source: 'b', target: 'bill', nl: 'asks about a bill', examples: ['My bill is wrong.', 'help me'] },
  { source: 'b', target: 'leak', nl: 'reports a leak', examples: ['Es läuft aus!', 'help me'] },
  { source: 'b', target: 'rest' },
];

const decide = (userInput: string, classifier?: string): Step => {
  const global = { id: 'g', type: 'global', classifier };
  const flow = flowOf([{ id: 'b', type: 'branch' }, ...ends('bill', 'leak', 'rest'), global], edges);
  return walkTurn(flow, { ...turnOf({ userInput }), trace: true });
};
const result = (step: Step) => {
  if (step.kind !== 'done' || step.result.kind !== 'turn') throw new Error(`not decided: ${step.kind}`);
  return step.result;
};
const decision = ({ lastNode, trace }: TurnResult) => ({ lastNode, ...trace?.[0]?.classifier });
const answered = (step: Step, answer: Classification) => {
  if (step.kind !== 'classify') throw new Error(`no question: ${step.kind}`);
  return result(step.resume(answer));
};

describe('an equal example', () => {
  test.each([
    ['my bill is wrong', 'bill', 'My bill is wrong.'],
    ['  MY BILL, is wrong?? ', 'bill', 'My bill is wrong.'],
    ['es lauft aus', 'leak', 'Es läuft aus!'],
  ])('%j goes to %s, whoever would decide', (userInput, lastNode, nearest) => {
    for (const classifier of [undefined, 'examples_only', 'examples_first', 'model_first']) {
      const turn = result(decide(userInput, classifier));
      expect(decision(turn)).toEqual({
        lastNode,
        outcome: 'chosen',
        index: lastNode === 'bill' ? 0 : 1,
        confidence: 1,
        by: 'example',
        nearest,
      });
      expect(turn.questions).toEqual([
        { kind: 'classify', nodeId: 'b', outcome: 'chosen', savedBy: 'example' },
      ]);
    }
  });

  test('of two edges decides nothing', () => {
    const step = decide('help me');
    expect(step.kind).toBe('classify');
    expect(decision(answered(step, { kind: 'none' }))).toMatchObject({ lastNode: 'rest', outcome: 'none' });
    const chosen = answered(step, { kind: 'chosen', index: 1, confidence: 0.9 });
    expect(decision(chosen)).toMatchObject({ lastNode: 'leak', by: 'model' });
  });
});

test('the question carries the examples', () => {
  const step = decide('what now');
  expect(step).toMatchObject({ question: { candidates: [{ examples: edges[0]!.examples }, {}] } });
});

test('a model is not asked where the examples decide alone', () => {
  expect(decision(result(decide('what now', 'examples_only')))).toEqual({
    lastNode: 'rest',
    outcome: 'none',
    index: null,
    confidence: null,
  });
});

test('a list with a fault has no effect', () => {
  const flow = flowOf(
    [{ id: 'b', type: 'branch' }, ...ends('x', 'rest')],
    [
      { source: 'b', target: 'x', nl: 'wants it', examples: ['ok', 5] },
      { source: 'b', target: 'rest' },
    ],
  );
  expect(walkTurn(flow, turnOf({ userInput: 'ok' })).kind).toBe('classify');
});

describe('the embedded classifier', () => {
  const taught = [
    {
      ...edges[0],
      examples: ['why is my bill so high', 'there is an error on my bill', 'I was charged twice'],
    },
    { ...edges[1], examples: ['the tap in the kitchen leaks', 'water is coming through the ceiling'] },
    edges[2],
  ];
  const begin = (userInput: string, classifier?: string) => {
    const global = { id: 'g', type: 'global', classifier };
    const flow = flowOf([{ id: 'b', type: 'branch' }, ...ends('bill', 'leak', 'rest'), global], taught);
    return walkTurn(flow, { ...turnOf({ userInput }), trace: true });
  };
  const said = 'the tap in the bathroom leaks';

  test('decides before the model, and says by what', () => {
    const turn = result(begin(said));
    expect(decision(turn)).toMatchObject({
      lastNode: 'leak',
      outcome: 'chosen',
      by: 'embedded',
      nearest: 'the tap in the kitchen leaks',
    });
    expect(turn.questions).toMatchObject([{ savedBy: 'embedded' }]);
  });

  test('leaves what is like no example to the model, which may choose', () => {
    const step = begin('can I smoke here');
    const turn = answered(step, { kind: 'chosen', index: 0, confidence: 0.9 });
    expect(decision(turn)).toMatchObject({ lastNode: 'bill', by: 'model' });
    expect(turn.questions).toEqual([{ kind: 'classify', nodeId: 'b', outcome: 'chosen' }]);
  });

  test('decides after a model that made no choice, with model_first', () => {
    const turn = answered(begin(said, 'model_first'), { kind: 'unavailable', reason: 'timeout' });
    expect(decision(turn)).toMatchObject({ lastNode: 'leak', by: 'embedded' });
    expect(turn.questions).toEqual([{ kind: 'classify', nodeId: 'b', outcome: 'chosen' }]);
    const first = answered(begin(said, 'model_first'), { kind: 'chosen', index: 0, confidence: 0.9 });
    expect(decision(first)).toMatchObject({ lastNode: 'bill', by: 'model' });
  });

  test('takes the default edge where it is not sure and decides alone', () => {
    expect(decision(result(begin('can I smoke here', 'examples_only')))).toMatchObject({ lastNode: 'rest' });
  });

  test('a loop without an answer stays bounded', () => {
    const flow = flowOf(
      [{ id: 'b', type: 'branch' }, ...ends('rest')],
      [
        { source: 'b', target: 'b', nl: 'again', examples: ['again please'] },
        { source: 'b', target: 'rest' },
      ],
    );
    expect(result(walkTurn(flow, turnOf({ userInput: 'again please' }))).lastNode).toBe('rest');
  });
});
