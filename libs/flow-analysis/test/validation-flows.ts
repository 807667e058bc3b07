// Random flows and conversations for the properties of validation: small graphs of every node type,
// comparisons over a few variables, and values on both sides of comparisons ("007" and 7, dates,
// blanks, words such as "yes").
import fc from 'fast-check';
import { validateFlow, type Validation } from '../src/index.ts';
import { compileFlow, walkTurn, type CompiledFlow, type FlowModel } from '@parley/flow-engine';
import { operators } from '@parley/flow-engine/define/operators';
import type { CallerAnswer } from '@parley/flow-engine/define/waits';
import type { AgentOutcome, Step, TurnInput, TurnOutcome } from '@parley/flow-engine/walk/turn';
import { modelOf, turnOf } from '@parley/flow-engine/testing';

type Members = Readonly<Record<string, unknown>>;

export interface CheckedFlow {
  readonly model: FlowModel;
  readonly compiled: CompiledFlow;
  readonly validation: Validation;
}

export function check(nodes: readonly Members[], edges: readonly Members[], stepsMax = 200): CheckedFlow {
  const model = modelOf(nodes, edges);
  return { model, compiled: compileFlow(model), validation: validateFlow(model, { stepsMax }) };
}

/** Scalars on both sides of every threshold of a comparison. */
const scalars = [
  ...[0, 1, -1, 5, 5.5, 9, 10, 1e21, 0.1, Infinity],
  ...['', ' ', '0', '1', '5', '05', '5.0', '+5', '9', '10', '-1', '.5', '1e3', '٣'],
  ...[
    'yes',
    'Yes',
    'NO',
    'true',
    'false',
    ' true ',
    'abc',
    'ABC',
    'Abc',
    'aBC',
    'ab',
    'AB',
    'Ab',
    'b',
    'straße',
    'STRASSE',
    'İ',
  ],
  ...[
    '2026-01-01',
    '2026-01-01T00:00:00Z',
    '2026-01-01T01:00:00+01:00',
    '2026-06-15',
    '0099-01-01',
    '9999-12-31',
  ],
  ...['12:00', '12:00:00', '23:59:59.999999', '00:00', '2026-02-30', 'captured', 'no_match', 'ok', 'failed'],
  ...[true, false],
];
const scalar = fc.constantFrom<unknown>(...scalars);
export const value = fc.oneof(
  { weight: 8, arbitrary: scalar },
  fc.constantFrom<unknown>(null, undefined, [], {}, [5], ['5'], ['abc', 'b'], { a: 1 }, { a: '1' }),
);
const operator = fc.constantFrom(...Object.keys(operators), 'eq', 'in', 'lt', 'gte', 'exists', 'not_exists');

/** Values of a palette, alone and in lists and pairs, and sometimes something else. */
const operandOf = (palette: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { weight: 6, arbitrary: palette },
    { weight: 2, arbitrary: fc.array(palette, { maxLength: 3 }) },
    { weight: 2, arbitrary: fc.tuple(palette, palette) },
    fc.constantFrom<unknown>(
      null,
      undefined,
      [],
      [5],
      { a: 1 },
      '{{ y }}',
      ['{{ y }}', 5],
      'abc, 5',
      'a.c',
      '^ab',
    ),
  );

const comparisonWith = (variable: fc.Arbitrary<string>, palette: fc.Arbitrary<unknown>) =>
  fc.record(
    { variable, op: operator, value: operandOf(palette), case_sensitive: fc.boolean() },
    { requiredKeys: ['variable', 'op'] },
  );

/** One comparison, or a few that `all` or `any` joins. */
const joinedOr = (single: fc.Arbitrary<Members>): fc.Arbitrary<Members> =>
  fc.oneof(
    { weight: 3, arbitrary: single },
    fc
      .tuple(
        fc.constantFrom('all', 'any'),
        fc.array(single, { minLength: 1, maxLength: 3 }),
        fc.constantFrom({}, { case_sensitive: true }),
      )
      .map(([joint, members, more]) => ({
        [joint]: members.map(({ case_sensitive: _ofTheEdge, ...compared }) => compared),
        ...more,
      })),
  );

/** Comparisons of a few close values: only such ones can shadow each other. */
export const comparisons = (variable: fc.Arbitrary<string>) =>
  fc
    .oneof(
      fc.constantFrom<unknown[]>(
        ['ab', 'abc', 'ABC', 'b'],
        [0, 1, 5, 5.5, '5'],
        ['yes', 'YES', true, 1],
        ['12:00', '00:00'],
        ['2026-01-01', '2026-06-15'],
      ),
      fc.array(scalar, { minLength: 2, maxLength: 4 }),
    )
    .chain((palette) =>
      fc.array(joinedOr(comparisonWith(variable, fc.constantFrom(...palette))), {
        minLength: 1,
        maxLength: 5,
      }),
    );

const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const anyId = fc.constantFrom(...ids);
const variable = fc.constantFrom(
  ...['x', 'x', 'y', 'user_input', '_attempts', '_input_status', '_tool_status', '_handoff_status', 'x.y'],
  ...['_weekday'],
);

const node = fc.record(
  {
    type: fc.constantFrom(
      'message',
      'message',
      'branch',
      'branch',
      'tool',
      'autonomous',
      'collect',
      'collect',
      'end',
      'handoff',
    ),
    variable: fc.constantFrom('x', 'y'),
    cast: fc.constantFrom('string', 'integer', 'boolean'),
    max_attempts: fc.integer({ min: 1, max: 2 }),
    allow_empty: fc.boolean(),
    skip_if_set: fc.boolean(),
    also: fc.constantFrom(['x'], ['y']),
    output_var: fc.constantFrom('x', 'y', 'z'),
    wait_for_result: fc.constant(true),
    returns: fc.constant(true),
  },
  { requiredKeys: ['type'] },
);
const condition = fc.oneof(
  { weight: 4, arbitrary: joinedOr(comparisonWith(variable, scalar)) },
  { weight: 2, arbitrary: fc.constant({}) },
  fc.constantFrom({ nl: 'wants more' }, { nl: 'wants less' }),
);

/** Nodes of every kind, and edges with every kind of condition. */
export const graph = fc.record({
  nodes: fc.tuple(...ids.map((id) => node.map((members) => ({ id, ...members })))),
  edges: fc.array(
    fc.tuple(anyId, anyId, condition).map(([source, target, members]) => ({ source, target, ...members })),
    { minLength: 4, maxLength: 20 },
  ),
});

/** A few silent nodes, each with an edge to take, and one end: half of them are endless. */
export const cyclicFlow = fc.record({
  nodes: fc.constant([...ids.slice(0, 3).map((id) => ({ id, type: 'branch' })), { id: 'd', type: 'end' }]),
  edges: fc
    .tuple(
      ...ids.slice(0, 3).map((source) =>
        fc
          .tuple(
            fc.constantFrom('a', 'b', 'c'),
            fc.constantFrom('a', 'b', 'd'),
            fc.constantFrom('exists', 'in', 'neq'),
            fc.boolean(),
          )
          .map(([target, other, op, hasDefault]) => [
            { source, target, ...(hasDefault ? {} : { variable: 'x', op: 'not_exists' }) },
            { source, target: other, variable: 'x', op, value: op === 'in' ? [] : 5 },
          ]),
      ),
    )
    .map((pairs) => pairs.flat()),
});

/** A turn, with the indexes that a classifier answers. */
export const turn = fc.record({
  currentNode: fc.option(anyId),
  userInput: fc.option(fc.constantFrom('', ' ', '5', 'abc', 'yes', 'twenty')),
  variables: fc.dictionary(fc.constantFrom('x', 'y', 'z'), value, { maxKeys: 3 }),
  choices: fc.array(fc.integer({ min: -1, max: 3 }), { maxLength: 5 }),
  agentMode: fc.constantFrom('in_process' as const, 'out_of_band' as const),
  tool: fc.constantFrom('ok' as const, 'error' as const),
  handoff: fc.constantFrom('failed' as const, 'returned' as const),
});

export type RandomTurn = typeof turn extends fc.Arbitrary<infer Turn> ? Turn : never;

const outcome: AgentOutcome = { status: 'goal_reached', answer: 'done', iterations: 1, toolCalls: [] };

/** The caller's answer to a node that waits for one instead of an utterance. */
export function answerAt(
  { model }: CompiledFlow,
  nodeId: string | null | undefined,
  { tool = 'ok', handoff = 'returned' }: Partial<Pick<RandomTurn, 'tool' | 'handoff'>>,
): CallerAnswer | null {
  const waitsFor = nodeId == null ? null : model.nodesById.get(nodeId)?.waitsFor;
  if (waitsFor === 'handoff_result') return { kind: waitsFor, status: handoff, reason: 'busy' };
  if (waitsFor !== 'tool_result') return null;
  const error = { status: 'error', code: 'none', message: 'There is none' } as const;
  return {
    kind: waitsFor,
    callId: null,
    outcome: tool === 'ok' ? { status: tool, result: 'result' } : error,
  };
}

/** Walks a turn to its end, however often it asks. */
export function playOut(
  flow: CompiledFlow,
  { choices, tool, handoff, ...input }: Partial<Omit<RandomTurn, 'userInput'>> & Partial<TurnInput>,
): TurnOutcome {
  const left = [...(choices ?? [])];
  const answer = answerAt(flow, input.currentNode, { tool: tool ?? 'ok', handoff: handoff ?? 'returned' });
  let step: Step = walkTurn(flow, turnOf({ stepsMax: 1_000, trace: true, answer, ...input }));
  for (;;)
    switch (step.kind) {
      case 'done':
        return step.result;
      case 'classify': {
        const index = left.shift() ?? -1;
        step = step.resume(index < 0 ? { kind: 'none' } : { kind: 'chosen', index, confidence: 1 });
        break;
      }
      case 'extract':
        step = step.resume({ kind: 'unavailable', reason: 'none here' });
        break;
      case 'run_agent':
        step = step.resume(outcome);
    }
}
