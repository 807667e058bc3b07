// The trace: every step with the edges tried, the operands, the result, who decided and why.
import { describe, expect, test } from '@jest/globals';
import { flowOf, playTurn } from '../../test/play.ts';
import { limits } from '../define/limits.ts';
import { toShown } from './trace.ts';

const ends = (...ids: string[]) => ids.map((id) => ({ id, type: 'end' }));

describe('a traced turn', () => {
  const flow = flowOf(
    [
      { id: 'ask', type: 'collect', variable: 'n', cast: 'integer' },
      { id: 'b', type: 'branch' },
      ...ends('young', 'tea', 'rest'),
    ],
    [
      { source: 'ask', target: 'b' },
      { source: 'b', target: 'young', variable: 'n', op: '<', value: '{{ limit }}' },
      { source: 'b', target: 'tea', nl: 'wants tea' },
      { source: 'b', target: 'rest', default: true },
    ],
  );
  const trace = (userInput: string | null, variables = {}, classify: never[] = []) =>
    playTurn(flow, { currentNode: 'ask', userInput, variables, trace: true }, { classify }).trace;
  const chosen = [{ kind: 'chosen', index: 0, confidence: 0.9 }] as never[];

  test('decided by a condition', () => {
    expect(trace('17', { limit: 18 })).toEqual([
      {
        nodeId: 'ask',
        type: 'collect',
        input: { status: 'captured', attempts: 0, reason: null, reading: 'whole' },
        extraction: null,
        classifier: null,
        edges: [{ edgeIndex: 0, kind: 'default', target: 'b', result: true }],
        edgesOmitted: 0,
        decidedBy: 'default',
        edgeIndex: 0,
        target: 'b',
        why: 'no condition matched; default edge',
      },
      {
        nodeId: 'b',
        type: 'branch',
        input: null,
        extraction: null,
        classifier: null,
        edges: [
          {
            edgeIndex: 1,
            kind: 'deterministic',
            target: 'young',
            result: true,
            variable: 'n',
            op: 'lt',
            actual: 17,
            expected: 18,
            note: null,
          },
        ],
        edgesOmitted: 0,
        decidedBy: 'deterministic',
        edgeIndex: 1,
        target: 'young',
        why: 'n lt 18',
      },
      expect.objectContaining({ nodeId: 'young', decidedBy: null, edges: [], why: 'the flow is completed' }),
    ]);
  });

  test('decided by the classifier', () => {
    expect(trace('30', { limit: 18 }, chosen)?.[1]).toMatchObject({
      classifier: { outcome: 'chosen', index: 0, confidence: 0.9 },
      edges: [
        { edgeIndex: 1, result: false, actual: 30, expected: 18 },
        { edgeIndex: 2, kind: 'nl', result: true, nl: 'wants tea' },
      ],
      decidedBy: 'classifier',
      edgeIndex: 2,
      why: 'the classifier chose it (confidence 0.9)',
    });
  });

  test('decided by default, and why', () => {
    const doubtful = [{ kind: 'chosen', index: 0, confidence: 0.2 }] as never[];
    expect(trace('30', {}, doubtful)?.[1]).toMatchObject({
      classifier: { outcome: 'low_confidence', index: 0, confidence: 0.2 },
      edges: [
        { edgeIndex: 1, result: false, actual: 30, expected: null, note: 'value_missing' },
        { edgeIndex: 2, result: false },
        { edgeIndex: 3, kind: 'default', result: true },
      ],
      decidedBy: 'default',
      why: 'classifier: low_confidence; default edge',
    });
  });

  test('gives the reason why an answer was not understood', () => {
    expect(trace('lots')).toEqual([
      expect.objectContaining({
        nodeId: 'ask',
        input: { status: 'no_match', attempts: 1, reason: 'not_a_number' },
        why: 'waits for an answer',
      }),
    ]);
  });

  test('is absent unless requested', () => {
    expect(playTurn(flow, { currentNode: 'ask', userInput: '1', variables: { limit: 2 } }).trace).toBeNull();
  });
});

test.each<[unknown, string, unknown, string]>([
  ['abc', 'gt', 5, 'type_mismatch'],
  [undefined, 'gt', 5, 'variable_missing'],
  ['x', 'matches', '(', 'invalid_pattern'],
  ['x', 'contains', '', 'empty_value'],
  ['x', 'resembles', 1, 'unknown_operator'],
])('%j %s %j is noted as %s, and no way out is said', (x, op, value, note) => {
  const flow = flowOf(
    [{ id: 'b', type: 'branch' }, ...ends('e')],
    [{ source: 'b', target: 'e', variable: 'x', op, value }],
  );
  const [step] = playTurn(flow, { variables: { x }, trace: true }).trace ?? [];
  expect(step).toMatchObject({
    edges: [{ result: false, note, op }],
    decidedBy: null,
    edgeIndex: null,
    target: null,
    why: 'no condition matched; no default edge',
  });
});

test('extraction: merged, rejected, unavailable', () => {
  const variables = [
    { name: 'a', type: 'string' },
    { name: 'b', type: 'string' },
  ];
  const flow = flowOf(
    [{ id: 'ask', type: 'collect', variable: 'n', extraction: { variables } }, ...ends('e')],
    [{ source: 'ask', target: 'e' }],
  );
  const input = { currentNode: 'ask', userInput: 'x', extractorAvailable: true, trace: true };
  const extraction = (answer: never) => playTurn(flow, input, { extract: [answer] }).trace?.[0]?.extraction;
  expect(extraction({ kind: 'extracted', values: { a: 'x', b: 1 } } as never)).toEqual({
    merged: ['a'],
    rejected: ['b'],
    unavailable: null,
  });
  expect(extraction({ kind: 'unavailable', reason: 'timeout' } as never)).toEqual({
    merged: [],
    rejected: [],
    unavailable: 'timeout',
  });
});

test('lists at most a thousand edges and counts the rest', () => {
  const edges = Array.from({ length: 3000 }, (_, i) => ({
    source: 'b',
    target: 'e',
    variable: 'x',
    value: i,
  }));
  const flow = flowOf([{ id: 'b', type: 'branch' }, ...ends('e')], [...edges, { source: 'b', target: 'e' }]);
  const [step] = playTurn(flow, { trace: true }).trace ?? [];
  expect(step?.edges).toHaveLength(limits.traceEdgesMax);
  expect(step?.edgesOmitted).toBe(3001 - limits.traceEdgesMax);
});

test.each<[unknown, unknown]>([
  [undefined, null],
  [null, null],
  [0, 0],
  ['short', 'short'],
  ['x'.repeat(150), `${'x'.repeat(100)}…`],
  [
    ['a', ['b']],
    ['a', '[list of 1]'],
  ],
  [
    { a: 1, b: { c: 1 } },
    { a: 1, b: '{object of 1}' },
  ],
  [Array(50).fill(1), '[list of 50]'],
])('%j is shown as %j', (value, expected) => expect(toShown(value)).toEqual(expected));
