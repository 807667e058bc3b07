// The three tables: node types, operators, casts.
import { describe, expect, test } from '@jest/globals';
import { casts, resolveCast } from '@parley/answers';
import { nodeTypes, resolveNodeType } from './node-types.ts';
import { operators, resolveOperator } from './operators.ts';

const tables = [
  { name: 'node types', table: nodeTypes, resolve: resolveNodeType },
  { name: 'operators', table: operators, resolve: resolveOperator },
  { name: 'casts', table: casts, resolve: resolveCast },
];

describe.each(tables)('$name', ({ table, resolve }) => {
  const rows = Object.entries(table as Record<string, { aliases: readonly string[]; meaning: string }>);

  test('every name and alias means exactly one row', () => {
    const spellings = rows.flatMap(([name, row]) => [name, ...row.aliases]);
    expect(new Set(spellings).size).toBe(spellings.length);
    for (const [name, row] of rows)
      for (const spelling of [name, ...row.aliases])
        expect([spelling, resolve(spelling)]).toEqual([spelling, name]);
  });

  test('every row has a meaning of one sentence', () => {
    for (const [, row] of rows) expect(row.meaning).toMatch(/^[A-Z`].*\.$/);
  });

  test.each(['nothing', 'toString', '__proto__', 'constructor', 'EQ', ' '])('%j is in no row', (spelling) => {
    expect(resolve(spelling)).toBeNull();
  });
});

test('the aliases of the specification', () => {
  const expected = {
    eq: '== = equals is',
    neq: '!= <> ne not_equals is_not',
    gt: '>',
    lt: '<',
    gte: '>=',
    lte: '<=',
    contains: 'includes',
    matches: 'regex',
    exists: 'is_set set',
    empty: 'is_empty',
    not_exists: 'not_exist',
  };
  for (const [op, aliases] of Object.entries(expected))
    for (const alias of aliases.split(' ')) expect([alias, resolveOperator(alias)]).toEqual([alias, op]);
  for (const [alias, cast] of Object.entries({
    str: 'string',
    text: 'string',
    int: 'integer',
    float: 'number',
  }))
    expect(resolveCast(alias)).toBe(cast);
  expect([resolveCast('double'), resolveCast('bool')]).toEqual(['number', 'boolean']);
  expect([resolveCast(undefined), resolveCast(null), resolveCast('')]).toEqual([
    'string',
    'string',
    'string',
  ]);
  for (const [alias, type] of Object.entries({
    say: 'message',
    input: 'collect',
    condition: 'branch',
    action: 'tool',
    agent: 'autonomous',
  }))
    expect(resolveNodeType(alias)).toBe(type);
});

test('six operators are true of a missing variable', () => {
  const yes = Object.entries(operators).filter(([, row]) => row.trueOnMissing);
  expect(yes.map(([op]) => op).sort()).toEqual(
    ['empty', 'neq', 'not_contains', 'not_exists', 'not_in', 'not_matches'].sort(),
  );
});

test('a type is walked or declarative, and only walked types are terminal', () => {
  for (const row of Object.values(nodeTypes)) {
    expect(row.walked).toBe(!row.declarative);
    if (row.terminal) expect(row.walked).toBe(true);
  }
});

test('default graph constraints', () => {
  const of = (type: keyof typeof nodeTypes) => {
    const row = nodeTypes[type].constraints;
    return [
      row.minIncoming,
      row.maxIncoming,
      row.minOutgoing,
      row.maxOutgoing,
      row.minInstances,
      row.maxInstances,
    ];
  };
  expect(of('global')).toEqual([0, 0, 0, 0, null, 1]);
  expect(of('trigger')).toEqual([0, 0, null, null, null, 1]);
  for (const type of ['webhook', 'qa'] as const) expect(of(type)).toEqual([0, 0, 0, 0, null, null]);
  for (const type of ['end', 'handoff'] as const) expect(of(type)).toEqual([null, null, 0, 0, null, null]);
  for (const type of ['branch', 'collect'] as const)
    expect(of(type)).toEqual([null, null, 1, null, null, null]);
  for (const type of ['message', 'tool', 'autonomous'] as const)
    expect(of(type)).toEqual(Array(6).fill(null));
});
