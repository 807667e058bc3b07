// Edges that join comparisons by `all` or `any` (docs/flow-language.md#edges): routing, trace,
// cost, and validation.
import { describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { diffFlows, validateFlow } from '../src/index.ts';
import { limits, parseFlow, TurnBudget, turnResultToWire } from '@parley/flow-engine';
import { flowOf, modelOf, play, playTurn } from '@parley/flow-engine/testing';
import { comparisons, value } from './validation-flows.ts';

type Members = Readonly<Record<string, unknown>>;

const nodes = [
  { id: 'b', type: 'branch' },
  { id: 'yes', type: 'end' },
  { id: 'no', type: 'end' },
];
const otherwise = { source: 'b', target: 'no', default: true };
const branching = (condition: Members) => [{ source: 'b', target: 'yes', ...condition }, otherwise];
const takes = (condition: Members, variables: Members) =>
  playTurn(flowOf(nodes, branching(condition)), { variables, trace: true }).trace![0]!.target === 'yes';

const adult = { variable: 'age', op: 'gte', value: 18 };
const german = { variable: 'country', value: 'DE' };

describe('an edge is taken', () => {
  test.each([
    [{ all: [adult, german] }, { age: 18, country: 'de' }, true],
    [{ all: [adult, german] }, { age: 17, country: 'de' }, false],
    [{ all: [adult, german] }, { age: 18 }, false],
    [{ any: [adult, german] }, { age: 18 }, true],
    [{ any: [adult, german] }, { country: 'DE' }, true],
    [{ any: [adult, german] }, {}, false],
    [{ all: [german], case_sensitive: true }, { country: 'de' }, false],
    [{ all: [{ variable: 'age' }] }, { age: 0 }, true],
    [{ all: [{ variable: 'age', op: 'lt', value: '{{ limit }}' }] }, { age: 5, limit: 6 }, true],
    // A malformed list never holds, and one comparison wins over a list.
    [{ all: [] }, {}, false],
    [{ any: [] }, {}, false],
    [{ all: [adult, 'age'] }, { age: 18 }, false],
    [{ any: [null, adult] }, { age: 18 }, true],
    [{ all: [german], ...adult }, { age: 18 }, true],
  ])('%j with %j: %j', (condition, variables, taken) => {
    expect(takes(condition, variables)).toBe(taken);
  });

  test('like consecutive branches with one comparison each', () => {
    const one = comparisons(fc.constantFrom('x', 'y', 'user_input'));
    fc.assert(
      fc.property(fc.constantFrom('all', 'any'), one, value, value, (joint, drawn, x, y) => {
        const members = drawn.filter((member) => 'variable' in member);
        const single = members.map((member) => ({ ...member, case_sensitive: false }));
        const alone = single.map((member) => takes(member, { x, y }));
        const expected = joint === 'all' ? alone.every(Boolean) : alone.some(Boolean);
        if (members.length > 0) expect(takes({ [joint]: members }, { x, y })).toBe(expected);
      }),
      { numRuns: 400 },
    );
  });
});

describe('a trace', () => {
  const explained = (condition: Members, variables: Members) => {
    const result = playTurn(flowOf(nodes, branching(condition)), { variables, trace: true });
    return (turnResultToWire(result).trace as Members[])[0]!;
  };

  test('has the operands of each comparison, in order', () => {
    expect(explained({ all: [adult, german] }, { age: 17, country: 'DE' })).toMatchObject({
      edges: [
        {
          edge_index: 0,
          kind: 'deterministic',
          target: 'yes',
          result: false,
          all: [
            { result: false, variable: 'age', op: 'gte', actual: 17, expected: 18, note: null },
            { result: true, variable: 'country', op: 'eq', actual: 'DE', expected: 'DE', note: null },
          ],
        },
        { edge_index: 1, result: true },
      ],
    });
  });

  test('gives the reason', () => {
    expect(explained({ all: [adult, german] }, { age: 18, country: 'DE' })).toMatchObject({
      why: 'age gte 18 and country eq DE',
      edge_index: 0,
    });
    expect(explained({ any: [adult, german] }, { country: 'DE' })).toMatchObject({
      why: 'age gte 18 or country eq DE',
      edges: [{ any: [{ result: false, note: 'variable_missing' }, { result: true }] }],
    });
  });
});

test('every comparison that is tried is counted', () => {
  const spent = jest.spyOn(TurnBudget.prototype, 'text');
  const cost = (condition: Members) => {
    spent.mockClear();
    playTurn(flowOf(nodes, branching(condition)), { variables: { age: 20 } });
    return spent.mock.calls.reduce((sum, [characters]) => sum + characters, 0);
  };
  const members = Array.from({ length: limits.conditionsMax }, () => adult);
  expect(cost({ all: members }) - cost({ all: [adult] })).toBeGreaterThanOrEqual(16 * (members.length - 1));
  // The first that decides is the last that is tried.
  expect(cost({ any: members })).toBe(cost({ any: [adult] }));
  spent.mockRestore();

  const sought = { variable: 'user_input', op: 'contains', value: 'x1' };
  const edges = Array.from({ length: 1_000 }, () => ({
    source: 'b',
    target: 'yes',
    any: Array.from({ length: 20 }, () => sought),
  }));
  const outcome = play(flowOf(nodes, [...edges, otherwise]), { userInput: 'e\u0301'.repeat(41_500) });
  expect(outcome).toMatchObject({ kind: 'turn_too_costly', cost: 'text_characters' });
});

describe('validation', () => {
  const found = (edges: readonly Members[], first: Members = { id: 'b', type: 'branch' }) => {
    const model = modelOf([first, ...nodes.slice(1)], edges);
    const { errors, warnings, infos } = validateFlow(model, { stepsMax: 200 });
    return [...errors, ...warnings, ...infos]
      .filter(({ code }) => code !== 'variable_never_set')
      .map(({ code, path }) => `${code} ${path}`);
  };
  const x = (op: string, value?: unknown) => ({
    variable: 'x',
    op,
    ...(value === undefined ? {} : { value }),
  });
  const edge = (condition: Members) => ({ source: 'b', target: 'yes', ...condition });

  test.each<[string, Members[], string[]]>([
    ['nothing', branching({ all: [x('gt', 1), x('lt', 5)] }), []],
    [
      'each comparison at its place',
      branching({ all: [x('gt', 'soon'), x('resembles', 1), x('matches', '('), x('exists', 3), x('==', 1)] }),
      [
        'unknown_op /edges/0/all/1/op',
        'value_type_mismatch /edges/0/all/0/value',
        'regex_invalid /edges/0/all/2/value',
        'value_ignored /edges/0/all/3/value',
        'op_alias /edges/0/all/4/op',
      ],
    ],
    [
      'slips and patterns as JavaScript has them',
      branching({ any: [{ variable: 'x', operator: 'gt', value: 1 }, x('matches', '/a/i')] }),
      ['unknown_member /edges/0/any/0/operator', 'flag_ignored /edges/0/any/1/value'],
    ],
    ['what excludes itself', branching({ all: [x('gt', 5), x('lt', 5)] }), ['contradictory_edge /edges/0']],
    [
      'what one of several makes impossible',
      branching({ all: [{ variable: 'y' }, x('in', [])] }),
      ['contradictory_edge /edges/0'],
    ],
    ['not what one of any excludes', branching({ any: [x('in', []), x('gt', 5)] }), []],
    [
      'any of what never holds',
      branching({ any: [x('in', []), { variable: 'y', op: 'eq', value: null }] }),
      ['contradictory_edge /edges/0'],
    ],
    [
      'the narrower behind the wider',
      [edge(x('gt', 1)), edge({ all: [x('gt', 5), { variable: 'y' }] }), otherwise],
      ['shadowed_edge /edges/1'],
    ],
    [
      'one of any behind it',
      [edge({ any: [x('gt', 1), { variable: 'y' }] }), edge(x('gt', 5)), otherwise],
      ['shadowed_edge /edges/1'],
    ],
    [
      'not behind all of it',
      [edge({ all: [x('gt', 1), { variable: 'y' }] }), edge(x('gt', 5)), otherwise],
      [],
    ],
    [
      'any of what was tried one by one',
      [
        edge(x('eq', 1)),
        edge({ variable: 'y', value: 2 }),
        edge({ any: [x('eq', 1), { variable: 'y', value: 2 }] }),
        otherwise,
      ],
      ['shadowed_edge /edges/2'],
    ],
    [
      'that nothing is left',
      [edge({ any: [x('exists'), { variable: 'y' }] }), edge(x('not_exists')), otherwise],
      ['shadowed_edge /edges/2'],
    ],
    [
      'a repetition',
      [
        edge({ all: [x('eq', 1), { variable: 'y' }] }),
        edge({ all: [x('eq', 1), { variable: 'y' }] }),
        otherwise,
      ],
      ['duplicate_edge /edges/1'],
    ],
  ])('finds %s', (_what, edges, codes) => {
    expect(found(edges).sort()).toEqual([...codes].sort());
  });

  test('answers that their cast never captures', () => {
    const ask = {
      id: 'b',
      type: 'collect',
      prompt: 'Which?',
      variable: 'x',
      cast: 'enum',
      choices: ['red', 'green'],
    };
    expect(found(branching({ any: [x('eq', 'red'), x('eq', 'blue')] }), ask)).toContain(
      'value_outside_choices /edges/0/any/1/value',
    );
    expect(found(branching({ all: [x('eq', 'red')] }), { ...ask, cast: 'boolean', choices: null })).toContain(
      'dead_edge_behind_cast /edges/0/all/0/value',
    );
  });

  test('what a comparison proves for the next one', () => {
    const asked = { id: 'a', type: 'collect', prompt: 'Well?', variable: 'x', max_attempts: 1 };
    const unset = (condition: Members) =>
      validateFlow(
        modelOf(
          [asked, ...nodes, { id: 'said', type: 'end', text: '{{ x }}' }],
          [
            { source: 'a', target: 'b' },
            { source: 'b', target: 'said', ...condition },
            { source: 'b', target: 'no' },
          ],
        ),
        { stepsMax: 200 },
      )
        .warnings.filter(({ code }) => code === 'variable_maybe_unset')
        .map(({ path }) => path);
    const y = { variable: 'y' };
    expect(unset({ all: [{ variable: 'x' }, x('gt', 3)] })).toEqual([]);
    expect(unset({ all: [y, x('gt', 3)] })).toEqual(['/edges/1/all/1/variable']);
    expect(unset({ any: [x('not_exists'), x('gt', 3)] })).toEqual(['/nodes/4/text']);
    expect(unset({ any: [{ variable: 'x' }, y] })).toEqual(['/nodes/4/text']);
    expect(unset({ any: [x('exists'), x('not_empty')] })).toEqual([]);
  });

  test('that a status among all proves an answer', () => {
    const asked = { id: 'a', type: 'collect', prompt: 'Well?', variable: 'x', max_attempts: 1 };
    const answered = { variable: '_input_status', value: 'captured' };
    const unset = (condition: Members) =>
      validateFlow(
        modelOf(
          [asked, { id: 'said', type: 'end', text: '{{ x }}' }, { id: 'no', type: 'end' }],
          [
            { source: 'a', target: 'said', ...condition },
            { source: 'a', target: 'no' },
          ],
        ),
        { stepsMax: 200 },
      ).warnings.filter(({ code }) => code === 'variable_maybe_unset');
    expect(unset({ all: [{ variable: 'y' }, answered] })).toEqual([]);
    expect(unset({ any: [{ variable: 'y' }, answered] })).toHaveLength(1);
  });
});

test('the parser holds texts of lists to the same length', () => {
  const edges = branching({ all: [{ variable: 'x', value: 'x'.repeat(limits.textCharsMax + 1) }] });
  expect(parseFlow({ nodes, edges })).toMatchObject({
    ok: false,
    problems: [{ path: '/edges/0/all/0/value', limit: 'textCharsMax' }],
  });
});

test('a diff reports a changed comparison, and keeps the edge', () => {
  const [before, after] = [18, 21].map((age) =>
    modelOf(nodes, branching({ all: [{ ...adult, value: age }, german] })),
  );
  const diff = diffFlows(before!, after!);
  expect(diff.edges.changed).toMatchObject([
    { from_index: 0, to_index: 0, changes: [{ path: '/all/0/value' }] },
  ]);
  expect(diff.summary).toEqual([
    'Changed all/0/value of the edge from "b" to "yes" (age gte 21 and country eq "DE") from 18 to 21.',
  ]);
});
