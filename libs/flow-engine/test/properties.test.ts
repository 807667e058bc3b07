// Properties of every flow, bag and utterance, tried on many of them.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  compileFlow,
  parseFlow,
  turnResultToWire,
  walkTurn,
  type Step,
  type TurnOutcome,
} from '../src/index.ts';
import { casts } from '@parley/answers';
import { engineVariables } from '../src/define/engine-variables.ts';
import { compileComparison } from '../src/read/compare.ts';
import { compileTemplate } from '../src/compile/interpolate.ts';
import { nodeTypes } from '../src/define/node-types.ts';
import { operators, type Operator } from '../src/define/operators.ts';
import { compileLookup, compileWriter } from '../src/read/paths.ts';
import { uncounted } from '../src/read/turn-budget.ts';
import { turnOf } from './play.ts';

const ids = ['a', 'b', 'c', 'd', 'toString', 'hasOwnProperty'];
const names = [
  'x',
  'y.z',
  'l[0]',
  '__proto__',
  'constructor',
  'constructor.prototype',
  'user_input',
  '_flow',
  '_attempts',
  '',
];
const patterns = [
  '(a+)+$',
  '(',
  '^(a|aa)+$',
  '.*.*.*=',
  '[^',
  '(?=x)',
  '\\p{L}+',
  '(?i)x',
  '{{ x }}',
  '\\',
  'x{1000}',
];

const id = fc.constantFrom(...ids);
const name = fc.constantFrom(...names);
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '{{ x }}',
    '{{ y.z | default: "d" }}',
    '{{',
    '}}',
    '{{ __proto__ }}',
    '{{ constructor.name }}',
    ...patterns,
  ),
);
const json = fc.jsonValue({ maxDepth: 3 });
const value = fc.oneof(
  json,
  text,
  fc.constantFrom(0, -0, NaN, '007', '9', 'false', '2026-02-30', '12:00'),
  fc.array(text),
);
/** As JSON.parse makes them: `__proto__` is then a member like any other. */
const bag = fc
  .dictionary(fc.oneof(name, fc.string()), value)
  .map(
    (members) =>
      JSON.parse(JSON.stringify({ ...members, ['__proto__']: { polluted: true } })) as Record<
        string,
        unknown
      >,
  );
const bookkeeping = fc.record(
  { turn: value, attempts: fc.oneof(value, fc.dictionary(id, value)) },
  { requiredKeys: [] },
);
const utterance = fc.oneof(
  text,
  fc.constantFrom(null, undefined, '', ' ', 'a'.repeat(20_000), '\ud800', '\0'),
);

const walked = ['message', 'message', 'collect', 'branch', 'branch', 'tool', 'agent'];
const members = fc.record(
  {
    type: fc.constantFrom(...walked, ...walked, ...Object.keys(nodeTypes), 'teleport'),
    text,
    prompt: text,
    reprompt: text,
    message: text,
    variable: name,
    cast: fc.constantFrom(...Object.keys(casts), 'colour'),
    choices: fc.array(text, { maxLength: 3 }),
    default_region: fc.constantFrom('DE', 'US', 'XX', ''),
    allow_empty: fc.boolean(),
    max_attempts: fc.integer({ min: -1, max: 3 }),
    args: fc.dictionary(fc.string(), value),
    tools: fc.array(value, { maxLength: 3 }),
    output_var: name,
    context_vars: fc.array(name, { maxLength: 3 }),
    extraction: fc.constantFrom(
      { variables: [{ name: 'x', type: 'string' }] },
      { properties: { y: {} } },
      {},
    ),
    max_iterations: fc.integer(),
    set: fc.array(
      fc.record(
        {
          variable: name,
          to: value,
          add: fc.oneof(fc.double(), text),
          append: value,
          remove: value,
          clear: value,
        },
        { requiredKeys: ['variable'] },
      ),
      { maxLength: 3 },
    ),
    variants: fc.array(text, { maxLength: 3 }),
    wait_for_result: fc.constantFrom(true, false, 'true'),
    returns: fc.constantFrom(true, false, 1),
    also: fc.oneof(fc.array(name, { maxLength: 3 }), text),
    skip_if_set: fc.constantFrom(true, false, 1),
  },
  { requiredKeys: ['type'] },
);
const edge = fc.record(
  {
    source: id,
    target: id,
    variable: name,
    op: fc.constantFrom(...Object.keys(operators), '==', 'resembles'),
    value: fc.oneof(value, fc.constantFrom(...patterns)),
    nl: text,
    default: fc.boolean(),
    case_sensitive: fc.boolean(),
    all: fc.oneof(
      fc.array(fc.oneof(json, fc.record({ variable: name, op: text, value })), { maxLength: 3 }),
      json,
    ),
    any: fc.oneof(fc.array(fc.record({ variable: name, value }), { maxLength: 22 }), json),
  },
  { requiredKeys: ['source', 'target'] },
);
/** A node of every id, most with an edge to take, so that turns progress. */
const definition = fc
  .record({
    nodes: fc.tuple(...ids.map((id) => members.map((node) => ({ ...node, id })))),
    edges: fc.array(edge, { maxLength: 15 }),
    ways: fc.tuple(
      ...ids.map((source) =>
        fc.option(
          id.map((target) => ({ source, target })),
          { freq: 4 },
        ),
      ),
    ),
  })
  .map(({ nodes, edges, ways }) => ({ nodes, edges: [...edges, ...ways.filter((way) => way !== null)] }));

/** Answers every question, right or wrong. */
function settle(first: Step, pick: number): TurnOutcome {
  let step = first;
  for (let questions = 0; ; questions++) {
    if (questions > 250) throw new Error('a turn that never stops asking');
    switch (step.kind) {
      case 'done':
        return step.result;
      case 'classify':
        step = step.resume({ kind: 'chosen', index: pick, confidence: pick === 3 ? NaN : 1 });
        break;
      case 'extract':
        step = step.resume({
          kind: 'extracted',
          values: JSON.parse('{"x": "y", "__proto__": {"polluted": true}}') as Record<string, unknown>,
        });
        break;
      case 'run_agent':
        step = step.resume({
          status: 'error',
          answer: pick === 0 ? null : 'A',
          iterations: 1,
          toolCalls: [],
        });
    }
  }
}

const answer = fc.option(
  fc.oneof(
    fc.record({
      kind: fc.constant('tool_result' as const),
      callId: fc.constantFrom(null, 'call_0'),
      outcome: fc.oneof(
        fc.record({ status: fc.constant('ok' as const), result: value }),
        fc.record({ status: fc.constant('error' as const), code: text, message: text }),
      ),
    }),
    fc.record({
      kind: fc.constant('handoff_result' as const),
      status: fc.constantFrom('failed' as const, 'returned' as const),
      reason: fc.option(text),
    }),
  ),
  { freq: 1 },
);

describe('a turn', () => {
  const turn = fc.record({
    definition,
    variables: fc.tuple(bag, bookkeeping).map(([members, _flow]) => ({ ...members, _flow })),
    currentNode: fc.option(id),
    userInput: utterance,
    agentMode: fc.constantFrom('in_process' as const, 'out_of_band' as const),
    stepsMax: fc.integer({ min: 0, max: 30 }),
    trace: fc.boolean(),
    answer,
    pick: fc.integer({ min: -1, max: 3 }),
  });

  test('never throws, never exceeds its steps, never changes its input, and returns JSON', () => {
    const endings = new Set<string>();
    fc.assert(
      fc.property(turn, ({ definition, pick, ...input }) => {
        const parsed = parseFlow(definition);
        if (!parsed.ok) throw new Error('the generator makes no flow');
        const before = JSON.stringify([definition, input.variables]);
        const flow = compileFlow(parsed.flow);
        const result = settle(walkTurn(flow, turnOf({ ...input, extractorAvailable: true })), pick);
        expect(JSON.stringify([definition, input.variables])).toBe(before);
        expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
        if (result.kind === 'turn_did_not_settle') expect(result.path.length).toBe(input.stepsMax + 1);
        endings.add(result.kind === 'turn' ? result.status : result.kind);
        if (result.kind !== 'turn') return;
        expect(result.steps).toBeLessThanOrEqual(input.stepsMax);
        expect(Object.getPrototypeOf(result.variables)).toBe(Object.prototype);
        expect(result.trace === null).toBe(!input.trace);
        expect(typeof JSON.stringify(turnResultToWire(result))).toBe('string');
      }),
      { numRuns: 2_000 },
    );
    // The property proves something only if turns end in every usual way; the rare one spends its
    // whole budget.
    const usual = [
      ...['completed', 'handed_off', 'no_route', 'turn_did_not_settle', 'unknown_node', 'waiting'],
      ...['waiting_for_tool', 'tool_result_mismatch', 'handoff_result_mismatch'],
    ];
    endings.delete('turn_too_costly');
    expect([...endings].sort()).toEqual(usual.sort());
  });

  test('has the same result with and without a trace', () => {
    fc.assert(
      fc.property(turn, ({ definition, pick, ...input }) => {
        const parsed = parseFlow(definition);
        if (!parsed.ok) throw new Error('the generator makes no flow');
        const flow = compileFlow(parsed.flow);
        const [plain, traced] = [false, true].map((trace) =>
          settle(walkTurn(flow, turnOf({ ...input, trace })), pick),
        );
        if (traced?.kind === 'turn') expect(traced.trace).toHaveLength(traced.steps);
        expect({ ...traced, trace: null }).toEqual({ ...plain, trace: null });
      }),
      { numRuns: 150 },
    );
  });
});

describe('parsing', () => {
  test('keeps every member: the document is the same object and unchanged', () => {
    const authored = fc
      .tuple(definition, fc.dictionary(fc.string(), json), fc.dictionary(fc.string(), json))
      .map(([flow, more, odd]) => ({
        ...more,
        ...flow,
        start: 'a',
        nodes: flow.nodes.map((node) => ({ ...odd, ...node })),
      }));
    fc.assert(
      fc.property(authored, (document) => {
        const before = structuredClone(document);
        const parsed = parseFlow(document);
        expect(document).toEqual(before);
        if (!parsed.ok) return;
        expect(parsed.flow.definition).toBe(document);
        parsed.flow.nodes.forEach((node, index) => expect(node.raw).toBe(document.nodes[index]));
        parsed.flow.edges.forEach((edge, index) => expect(edge.raw).toBe(document.edges[index]));
      }),
      { numRuns: 300 },
    );
  });

  test('never throws, and every problem has a pointer into the document', () => {
    const anything = fc.oneof(
      fc.anything(),
      fc.record({ nodes: fc.anything(), edges: fc.anything(), start: fc.anything() }),
      fc.record({ nodes: fc.array(fc.anything()), edges: fc.array(fc.anything()) }),
    );
    fc.assert(
      fc.property(anything, (document) => {
        const parsed = parseFlow(document);
        if (parsed.ok) return;
        expect(parsed.problems.length).toBeGreaterThan(0);
        for (const { path } of parsed.problems) expect(path).toMatch(/^(\/[^~]*|\/.*~[01].*|)$/s);
      }),
      { numRuns: 300 },
    );
  });
});

describe('comparing', () => {
  const op = fc.constantFrom(...(Object.keys(operators) as Operator[]));
  const options = fc.record({ caseSensitive: fc.boolean() });

  test('never throws, and negative operators are strict complements', () => {
    fc.assert(
      fc.property(
        op,
        value,
        fc.oneof(value, fc.constantFrom(...patterns)),
        options,
        (op, actual, expected, options) => {
          const { matched } = compileComparison(op, expected, options)(actual);
          const { complementOf } = operators[op] as { complementOf?: Operator };
          if (complementOf !== undefined)
            expect(matched).toBe(!compileComparison(complementOf, expected, options)(actual).matched);
        },
      ),
      { numRuns: 1500 },
    );
  });

  test('eq is reflexive and symmetric, order is one way at most', () => {
    fc.assert(
      fc.property(value, value, (left, right) => {
        const compare = (op: Operator, actual: unknown, expected: unknown) =>
          compileComparison(op, expected, { caseSensitive: true })(actual).matched;
        if (left !== null && !Number.isNaN(left)) expect(compare('eq', left, left)).toBe(true);
        if (left !== null && right !== null)
          expect(compare('eq', left, right)).toBe(compare('eq', right, left));
        expect(compare('lt', left, right) && compare('lt', right, left)).toBe(false);
        expect(compare('lt', left, right) && compare('gte', left, right)).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  test('the time of a pattern grows with the text, not with its square', () => {
    const hostile = fc.tuple(
      fc.constantFrom('(a+)+$', '(a|a)*$', '(a|aa)+$', '(.*a){12}$', '(a*)*b', '([a-z]+)*\\d', '(x+x+)+y'),
      fc.constantFrom('a', 'aa', 'ab', 'x', 'aaaab'),
    );
    fc.assert(
      fc.property(hostile, ([pattern, unit]) => {
        const compare = compileComparison('matches', pattern, { caseSensitive: false });
        const started = process.cpuUsage();
        compare(`${unit.repeat(10_000).slice(0, 9_999)}!`);
        expect(process.cpuUsage(started).user / 1000).toBeLessThan(1000);
      }),
      { numRuns: 40 },
    );
  });
});

describe('paths and templates', () => {
  const path = fc.oneof(
    name,
    fc.string(),
    fc.array(fc.constantFrom('a', '__proto__', 'b', '0', 'map')).map((steps) => steps.join('.')),
  );

  test('a written value is read back, and nothing else changes', () => {
    fc.assert(
      fc.property(path, bag, json, (path, variables, written) => {
        const writer = compileWriter(path);
        const before = JSON.stringify(variables);
        const copy = { ...variables };
        writer?.(copy, written);
        expect(JSON.stringify(variables)).toBe(before);
        const scope = {
          variables: copy,
          userInput: null,
          inputStatus: null,
          attempts: null,
          budget: uncounted,
          language: null,
          session: null,
          turn: { nowMs: 0 },
        };
        if (writer !== null && !Object.hasOwn(engineVariables, path.trim().split(/[.[]/)[0] ?? ''))
          expect(compileLookup(path)(scope)).toEqual(written);
      }),
      { numRuns: 300 },
    );
  });

  test('rendering never throws and never expands a value', () => {
    fc.assert(
      fc.property(text, text, bag, (before, after, variables) => {
        const scope = {
          variables: { ...variables, x: '{{ y }}', y: 'EXPANDED' },
          userInput: null,
          inputStatus: null,
          attempts: null,
          language: null,
          session: null,
          turn: { nowMs: 0 },
          budget: uncounted,
        };
        expect(typeof compileTemplate(before + after)(scope)).toBe('string');
        expect(compileTemplate('{{ x }}{{ x | default: "d" }}')(scope)).toBe('{{ y }}{{ y }}');
      }),
      { numRuns: 300 },
    );
  });
});
