// `set`: what a node writes when the walk leaves it.
import { describe, expect, test } from '@jest/globals';
import { limits } from '../define/limits.ts';
import { flowOf, play, playTurn } from '../../test/play.ts';

const end = { id: 'end', type: 'end', text: 'Bye' };
const after = (set: unknown, variables: Record<string, unknown> = {}) => {
  const nodes = [{ id: 'm', type: 'message', text: 'Hi', set }, end];
  const { variables: bag } = playTurn(flowOf(nodes, [{ source: 'm', target: 'end' }]), { variables });
  const { _flow, ...rest } = bag;
  return rest;
};

describe('what an entry does', () => {
  test.each<[string, Record<string, unknown>, Record<string, unknown>, Record<string, unknown>]>([
    ['to: a value', { variable: 'x', to: { a: [1] } }, {}, { x: { a: [1] } }],
    ['to: a placeholder keeps its type', { variable: 'x', to: '{{ y }}' }, { y: 7 }, { x: 7, y: 7 }],
    ['to: a text', { variable: 'x', to: 'Hi {{ y }}' }, { y: 7 }, { x: 'Hi 7', y: 7 }],
    ['to: what is missing is null', { variable: 'x', to: '{{ y }}' }, { x: 1 }, { x: null }],
    ['to: a place within', { variable: 'x.y', to: 1 }, { x: { z: 2 } }, { x: { z: 2, y: 1 } }],
    ['add: to a number', { variable: 'x', add: 2 }, { x: 1 }, { x: 3 }],
    ['add: to what is missing', { variable: 'x', add: -2 }, {}, { x: -2 }],
    ['add: to a number in a text', { variable: 'x', add: 2 }, { x: '07' }, { x: 9 }],
    ['add: a placeholder', { variable: 'x', add: '{{ n }}' }, { x: 1, n: '2.5' }, { x: 3.5, n: '2.5' }],
    ['add: not to a word', { variable: 'x', add: 1 }, { x: 'many' }, { x: 'many' }],
    ['add: not a word', { variable: 'x', add: '{{ n }}' }, { x: 1, n: 'many' }, { x: 1, n: 'many' }],
    ['add: not beyond all numbers', { variable: 'x', add: 1e308 }, { x: 1.7e308 }, { x: 1.7e308 }],
    ['append: to a list', { variable: 'x', append: '{{ y }}' }, { x: [1], y: 2 }, { x: [1, 2], y: 2 }],
    ['append: to what is missing', { variable: 'x', append: [1] }, {}, { x: [[1]] }],
    ['append: not to a text', { variable: 'x', append: 1 }, { x: 'a' }, { x: 'a' }],
    [
      'remove: whatever is equal',
      { variable: 'x', remove: 'a' },
      { x: ['a', 'b', 'a', 'A'] },
      { x: ['b', 'A'] },
    ],
    [
      'remove: an object',
      { variable: 'x', remove: { id: 1 } },
      { x: [{ id: 1 }, { id: 2 }] },
      { x: [{ id: 2 }] },
    ],
    [
      'add: beyond what comes back in a request',
      { variable: 'x', add: 1 },
      { x: Number.MAX_SAFE_INTEGER },
      { x: Number.MAX_SAFE_INTEGER },
    ],
    ['clear', { variable: 'x', clear: true }, { x: 1, y: 2 }, { y: 2 }],
    ['clear: a place within', { variable: 'x.y', clear: true }, { x: { y: 1, z: 2 } }, { x: { z: 2 } }],
    ['clear: an element', { variable: 'x[0]', clear: true }, { x: ['a', 'b'] }, { x: ['b'] }],
    ['clear: what is not there', { variable: 'x.y', clear: true }, { x: 1 }, { x: 1 }],
    ['nothing to names of the engine', { variable: '_flow.turn', to: 9 }, {}, {}],
    ['nothing to reserved names', { variable: '__proto__.x', to: 9 }, {}, {}],
  ])('%s', (_, entry, variables, expected) => expect(after([entry], variables)).toEqual(expected));

  test('run in order, and a faulty one is skipped', () => {
    const set = [
      { variable: 'x', to: 1 },
      { variable: 'x' },
      { variable: 'x', add: 1 },
      { variable: 'y', to: '{{ x }}' },
    ];
    expect(after(set)).toEqual({ x: 2, y: 2 });
  });

  test('a list has a maximum length', () => {
    const x = Array.from({ length: limits.listElementsMax }, () => 0);
    expect(after([{ variable: 'x', append: 1 }], { x })).toEqual({ x });
  });

  test('never changes the variables of the caller', () => {
    const variables = { x: { y: [1] }, z: 1 };
    const before = structuredClone(variables);
    after(
      [
        { variable: 'x.y', append: 2 },
        { variable: 'x.w', to: 1 },
        { variable: 'z', clear: true },
      ],
      variables,
    );
    expect(variables).toEqual(before);
  });
});

const collect = (more: Record<string, unknown> = {}) => ({
  id: 'q',
  type: 'collect',
  prompt: 'How many?',
  variable: 'n',
  cast: 'integer',
  ...more,
});

describe('when', () => {
  const flow = (more: Record<string, unknown> = {}) =>
    flowOf(
      [
        collect({ set: [{ variable: 'total', add: '{{ n }}' }], ...more }),
        { ...end, text: 'All {{ total }}' },
      ],
      [
        { source: 'q', target: 'end', variable: 'total', op: 'gte', value: 5 },
        { source: 'q', target: 'q' },
      ],
    );

  test('runs after the answer was captured, and before the edges are tried', () => {
    const first = playTurn(flow(), { currentNode: 'q', userInput: '3' });
    expect(first).toMatchObject({ status: 'waiting', variables: { n: 3, total: 3 } });
    const second = playTurn(flow(), { currentNode: 'q', userInput: '2', variables: first.variables });
    expect(second.outputs).toEqual([{ type: 'message', nodeId: 'end', text: 'All 5' }]);
  });

  test('does not run while the question is asked again, but when it is given up', () => {
    const counting = flow({ max_attempts: 2, set: [{ variable: 'total', add: 7 }] });
    const first = playTurn(counting, { currentNode: 'q', userInput: 'hm' });
    expect(first.variables['total']).toBeUndefined();
    const second = playTurn(counting, { currentNode: 'q', userInput: 'hm', variables: first.variables });
    expect(second).toMatchObject({ status: 'completed', variables: { total: 7 } });
  });

  test('runs once, however often a question to a model is answered', () => {
    const asking = flowOf(
      [collect({ cast: 'string', set: [{ variable: 'turns', add: 1 }] }), end],
      [
        { source: 'q', target: 'end', nl: 'wants to go' },
        { source: 'q', target: 'q' },
      ],
    );
    const answers = { classify: [{ kind: 'chosen', index: 0, confidence: 1 }] } as const;
    for (let times = 0; times < 2; times++)
      expect(play(asking, { currentNode: 'q', userInput: 'bye' }, answers)).toMatchObject({
        variables: { turns: 1 },
      });
  });

  test('the trace shows what was set, and why something was not', () => {
    const nodes = [
      {
        id: 'm',
        type: 'message',
        set: [
          { variable: 'x', add: 1 },
          { variable: 'y', append: 1 },
        ],
      },
      end,
    ];
    const { trace } = playTurn(flowOf(nodes, [{ source: 'm', target: 'end' }]), {
      trace: true,
      variables: { y: 'a' },
    });
    expect(trace?.map(({ sets }) => sets)).toEqual([
      [
        { variable: 'x', op: 'add', operand: 1, value: 1, note: null },
        { variable: 'y', op: 'append', operand: 1, value: 'a', note: 'not_a_list' },
      ],
      undefined,
    ]);
  });
});
