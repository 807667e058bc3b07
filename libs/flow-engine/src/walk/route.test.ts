// The routing order and the classifier: everything but one valid index with enough confidence takes
// the default edge.
import { describe, expect, test } from '@jest/globals';
import { flowOf, play, playTurn, turnOf } from '../../test/play.ts';
import { readClassification } from './route.ts';
import type { BranchQuestion, Classification, Step } from './turn.ts';
import { walkTurn } from './walk.ts';

const ends = (...ids: string[]) => ids.map((id) => ({ id, type: 'end' }));
const branch = { id: 'b', type: 'branch' };
const from = (target: string, more: Record<string, unknown> = {}) => ({ source: 'b', target, ...more });
const chosen = (index: number, confidence = 1): Classification => ({ kind: 'chosen', index, confidence });

describe('deterministic edges', () => {
  const edges = [
    from('first', { variable: 'n', op: 'lt', value: 18 }),
    from('second', { variable: 'n', op: 'lt', value: 65 }),
  ];
  const nodes = [branch, ...ends('first', 'second', 'rest')];

  test.each([
    [5, 'first'],
    [30, 'second'],
    [70, 'rest'],
    ['abc', 'rest'],
  ])('n = %j goes to %s', (n, last) =>
    expect(playTurn(flowOf(nodes, [...edges, from('rest')]), { variables: { n } }).lastNode).toBe(last),
  );

  test('declared order is priority, wherever the default edge is', () => {
    const swapped = flowOf(nodes, [from('rest'), edges[1], edges[0]]);
    expect(playTurn(swapped, { variables: { n: 5 } }).lastNode).toBe('second');
  });

  test('come before the classifier, which then is not asked', () => {
    const flow = flowOf(nodes, [from('second', { nl: 'anything' }), edges[0], from('rest')]);
    expect(playTurn(flow, { variables: { n: 5 }, userInput: 'hi' }).lastNode).toBe('first');
  });

  test('variable against variable, types kept', () => {
    const flow = flowOf(nodes, [
      from('first', { variable: 'n', op: 'gte', value: '{{ limit }}' }),
      from('rest'),
    ]);
    const lastNode = (variables: Record<string, unknown>) => playTurn(flow, { variables }).lastNode;
    expect(lastNode({ n: 10, limit: 9 })).toBe('first');
    expect(lastNode({ n: 10, limit: '11' })).toBe('rest');
    expect(lastNode({ n: 10 })).toBe('rest');
  });

  test('a templated pattern is compiled with the current variables', () => {
    const flow = flowOf(nodes, [
      from('first', { variable: 'n', op: 'matches', value: '^{{ prefix }}-\\d+$' }),
      from('rest'),
    ]);
    const lastNode = (n: string, prefix: string) => playTurn(flow, { variables: { n, prefix } }).lastNode;
    expect(lastNode('ab-12', 'AB')).toBe('first');
    expect(lastNode('ab-12', 'cd')).toBe('rest');
    expect(lastNode('ab-12', '(')).toBe('rest');
    for (let i = 0; i < 300; i++) expect(lastNode(`p${i}-1`, `p${i}`)).toBe('first');
  });

  test.each<[string, Record<string, unknown>]>([
    ['an unknown operator', { variable: 'n', op: 'resembles', value: 1 }],
    ['nothing to compare', { op: 'neq', value: 1 }],
    ['a broken pattern', { variable: 'n', op: 'matches', value: '(' }],
    ['a value that reads a missing variable', { variable: 'n', op: 'starts_with', value: '{{ gone }}' }],
  ])('%s never matches', (_, condition) =>
    expect(
      playTurn(flowOf(nodes, [from('first', condition), from('rest')]), { variables: { n: 'x' } }).lastNode,
    ).toBe('rest'),
  );

  test('user_input is a variable like any other', () => {
    const flow = flowOf(nodes, [
      from('first', { variable: 'user_input', op: 'contains', value: 'tea' }),
      from('rest'),
    ]);
    expect(playTurn(flow, { userInput: 'Some TEA' }).lastNode).toBe('first');
    expect(playTurn(flow, { userInput: null, variables: { user_input: 'tea' } }).lastNode).toBe('rest');
  });
});

describe('default edge and no edge', () => {
  test('the first default edge', () =>
    expect(
      playTurn(flowOf([branch, ...ends('x', 'y')], [from('x'), from('y', { default: true })])).lastNode,
    ).toBe('x'));

  test.each<[string, unknown[]]>([
    ['no edges', []],
    ['no match and no default', [from('x', { variable: 'n', value: 1 })]],
    ['an edge into nothing', [from('gone')]],
  ])('%s: no_route at the node', (_, edges) =>
    expect(playTurn(flowOf([branch, ...ends('x')], edges))).toMatchObject({
      status: 'no_route',
      nextNode: 'b',
      lastNode: 'b',
      steps: 1,
    }),
  );
});

describe('the classifier', () => {
  const nodes = [
    branch,
    { id: 'g', type: 'global', prompt: 'You help {{ name }}.' },
    ...ends('tea', 'milk', 'rest'),
  ];
  const edges = [
    from('tea', { nl: 'wants tea', label: 'Tea' }),
    from('milk', { condition: 'wants milk' }),
    from('rest', { default: true }),
  ];
  const flow = flowOf(nodes, edges, { start: 'b' });
  const input = { userInput: 'a cup please', variables: { name: 'Ada' } };

  test('is asked with the utterance, the persona and the candidates', () => {
    const step = walkTurn(flow, turnOf(input));
    expect(step.kind === 'classify' && step.question).toEqual({
      nodeId: 'b',
      utterance: 'a cup please',
      persona: 'You help Ada.',
      candidates: [
        { index: 0, nl: 'wants tea', label: 'Tea' },
        { index: 1, nl: 'wants milk', label: null },
      ],
    } satisfies BranchQuestion);
  });

  test.each<[string, Classification, string, string]>([
    ['the first', chosen(0), 'tea', 'chosen'],
    ['the second, just sure enough', chosen(1, 0.5), 'milk', 'chosen'],
    ['too little confidence', chosen(1, 0.49), 'rest', 'low_confidence'],
    ['no confidence', chosen(1, NaN), 'rest', 'low_confidence'],
    ['an index past the end', chosen(2), 'rest', 'wrong_index'],
    ['a negative index', chosen(-1), 'rest', 'wrong_index'],
    ['half an index', chosen(0.5), 'rest', 'wrong_index'],
    ['none', { kind: 'none' }, 'rest', 'none'],
    ['a time-out', { kind: 'unavailable', reason: 'timeout' }, 'rest', 'timeout'],
    ['an error', { kind: 'unavailable', reason: 'error' }, 'rest', 'error'],
    ['a spent budget', { kind: 'unavailable', reason: 'budget_spent' }, 'rest', 'budget_spent'],
  ])('%s', (_, answer, lastNode, outcome) => {
    const result = playTurn(flow, input, { classify: [answer] });
    expect(result.lastNode).toBe(lastNode);
    expect(result.questions).toEqual([{ kind: 'classify', nodeId: 'b', outcome }]);
  });

  // Labels that a model invents must not match an edge by similarity: only whole indexes count.
  test.each(['Tea', 'tea ', 'wants', 'WANTS TEA', 'Coffee', '', '0'])(
    'the label %j is no answer',
    (label) => {
      const choices = flow.nodes.get('b')?.routes.choices ?? [];
      const answer = { kind: 'chosen', index: label, confidence: 1 } as unknown as Classification;
      expect(readClassification(answer, choices, 0.5)).toMatchObject({ outcome: 'wrong_index', exit: null });
    },
  );

  test("the confidence asked for is the caller's", () => {
    const answers = { classify: [chosen(0, 0.8)] };
    expect(playTurn(flow, { ...input, classifierConfidenceMin: 0.9 }, answers).lastNode).toBe('rest');
  });

  test.each([null, undefined, '', '  \n'])('is not asked about %j', (userInput) => {
    const result = playTurn(flow, { userInput });
    expect(result.lastNode).toBe('rest');
    expect(result.questions).toEqual([{ kind: 'classify', nodeId: 'b', outcome: 'no_utterance' }]);
  });

  test('without a default edge its refusal is no_route', () => {
    const open = flowOf(nodes, edges.slice(0, 2), { start: 'b' });
    expect(playTurn(open, input, { classify: [{ kind: 'none' }] })).toMatchObject({
      status: 'no_route',
      nextNode: 'b',
    });
    expect(playTurn(open, { userInput: null })).toMatchObject({ status: 'no_route', nextNode: 'b' });
  });

  test('is asked once per node: the second visit of a turn takes the default', () => {
    const circle = flowOf(
      [branch, { id: 'm', type: 'message' }, ...ends('rest')],
      [from('m', { nl: 'again' }), from('rest'), { source: 'm', target: 'b' }],
    );
    const result = playTurn(circle, input, { classify: [chosen(0)] });
    expect(result.lastNode).toBe('rest');
    expect(result.questions.map((question) => question.outcome)).toEqual(['chosen', 'already_asked']);
  });

  test('is asked five times a turn', () => {
    const ids = ['b0', 'b1', 'b2', 'b3', 'b4', 'b5', 'b6'];
    const many = flowOf(
      [...ids.map((id) => ({ id, type: 'branch' })), ...ends('out')],
      ids.flatMap((source, i) => [
        { source, target: ids[i + 1] ?? 'out', nl: 'on' },
        { source, target: 'out' },
      ]),
    );
    const result = playTurn(many, input, { classify: Array.from({ length: 7 }, () => chosen(0)) });
    expect(result).toMatchObject({ lastNode: 'out', steps: 7 });
    expect(result.questions.map((question) => question.outcome)).toEqual([
      ...Array.from({ length: 5 }, () => 'chosen'),
      'budget_spent',
    ]);
    expect(playTurn(many, { ...input, classifierCallsMax: 0 }).questions).toHaveLength(1);
  });

  test('every answer starts from the same place, however often it is given', () => {
    const asked = walkTurn(
      flowOf(
        [branch, { id: 'm', type: 'message', text: 'M' }, ...ends('rest')],
        [from('m', { nl: 'x' }), from('rest'), { source: 'm', target: 'rest' }],
      ),
      turnOf({ ...input, trace: true }),
    ) as Extract<Step, { kind: 'classify' }>;
    const once = asked.resume(chosen(0));
    asked.resume({ kind: 'none' });
    expect(asked.resume(chosen(0))).toEqual(once);
  });
});

test('a question inside a cycle still counts steps', () => {
  const flow = flowOf(
    [branch, { id: 'c', type: 'branch' }],
    [from('c', { nl: 'x' }), from('c'), { source: 'c', target: 'b' }],
  );
  expect(play(flow, { userInput: 'x', stepsMax: 10 }, { classify: [chosen(0)] })).toMatchObject({
    kind: 'turn_did_not_settle',
    stepsMax: 10,
  });
});
