// Silent cycles with counters on random graphs: the bound that validation proves is the longest
// turn that a walker of this test finds by trial, and no real walk exceeds it.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ValidationItem } from '../src/index.ts';
import type { TurnResult } from '@parley/flow-engine';
import { command } from './examples/commands.ts';
import { agent, ask, branch, end, flow, say, to, tool, when, type Definition } from './examples/pieces.ts';
import { check, playOut } from './validation-flows.ts';

const set = (...entries: Record<string, unknown>[]) => ({
  set: entries.map((entry) => ({ variable: 'i', ...entry })),
});
const bound = ({ nodes, edges }: Definition, stepsMax?: number) => {
  const { validation } = check(nodes, edges, stepsMax);
  const silent = [...validation.errors, ...validation.warnings].filter(({ code }) => code === 'silent_cycle');
  const { max_steps_per_turn: steps } = validation.stats;
  expect(silent.length > 0).toBe(steps === null);
  return steps;
};

/** From 0 in steps of one, round as long as these edges lead back. */
const counting = (back: Record<string, unknown>[], start: Record<string, unknown> = { to: 0 }): Definition =>
  flow(
    [say('a', set(start)), say('b', set({ add: 1 })), end()],
    [
      to('a', 'b'),
      ...back.map((more) => ({ source: 'b', target: 'b', variable: 'i', ...more })),
      to('b', 'end'),
    ],
  );
const atMost = (value: unknown) => [{ op: 'lt', value }];

test('a turn that begins with a command continues after the question that its words answer', () => {
  const definition = (answers_question: boolean) =>
    flow(
      [
        ...[ask('q'), { ...ask('other'), ...set({ to: 0 }) }, say('b', set({ add: 1 })), end()],
        command('any', { answers_question }),
      ],
      [
        to('q', 'other'),
        to('other', 'b'),
        { source: 'b', target: 'b', variable: 'i', op: 'lt', value: 3 },
        to('b', 'end'),
        when('any', 'other', 'user_input', 'contains', 'said'),
      ],
    );
  expect([false, true].map((answers) => bound(definition(answers)))).toEqual([5, 6]);
  const [last] = check(definition(true).nodes, definition(true).edges, 5).validation.errors;
  expect(last).toMatchObject({ code: 'bound_exceeds_limit', witness: ['q', 'other', 'b', 'b', 'b', 'end'] });
});

describe('a counter', () => {
  test.each<[string, Definition, number | null]>([
    ['counts up to a constant', counting(atMost(3)), 5],
    ['counts from where it was set', counting(atMost(3), { to: -2 }), 7],
    ['may be a number in a text', counting(atMost('3'), { to: '0' }), 5],
    ['begins at 0 where it was cleared', counting(atMost(3), { clear: true }), 5],
    ['may be past it at once', counting(atMost(3), { to: 9 }), 3],
    ['is compared by equality, and met', counting([{ op: 'neq', value: 4 }]), 6],
    ['is compared by equality, and passed by', counting([{ op: 'neq', value: 0.5 }]), null],
    ['is in a list', counting([{ op: 'in', value: [1, 2, 7] }]), 5],
    ['is a word, which nothing is added to', counting([{ op: 'eq', value: 'x' }], { to: 'x' }), null],
    ['is not known where it begins', counting(atMost(3), { to: '{{ from }}' }), null],
    ['is not set before', counting(atMost(3), { to: 0, variable: 'j' }), null],
    ['is compared with what is known in the turn only', counting(atMost('{{ max }}')), null],
  ])('%s', (_, definition, steps) => expect(bound(definition)).toBe(steps));

  const round = (more: Record<string, unknown>[], edges: Record<string, unknown>[] = []) =>
    flow([say('a', set({ to: 0 })), say('b', set({ add: 1 })), ...more, end()], [to('a', 'b'), ...edges]);

  test('counts nested ones', () => {
    const definition = flow(
      [
        say('a', set({ to: 0 })),
        say('outer', set({ add: 1 }, { variable: 'j', to: 0 })),
        say('inner', set({ variable: 'j', add: 1 })),
        branch('more'),
        end(),
      ],
      [
        to('a', 'outer'),
        to('outer', 'inner'),
        when('inner', 'inner', 'j', 'lt', 2),
        to('inner', 'more'),
        when('more', 'outer', 'i', 'lt', 3),
        to('more', 'end'),
      ],
    );
    expect(bound(definition)).toBe(1 + 3 * 4 + 1);
  });

  test('is lost where an agent writes it, or its parent is written, and not where a tool does after the turn', () => {
    const edges = (id: string) => [to('b', id), when(id, 'b', 'i', 'lt', 3), to(id, 'end')];
    expect(bound(round([agent('c', { goal: 'x', output_var: 'i' })], edges('c')))).toBeNull();
    expect(bound(round([agent('c', { goal: 'x', output_var: 'o' })], edges('c')))).toBe(8);
    expect(bound(round([say('c', { set: [{ variable: 'i.x', to: 1 }] })], edges('c')))).toBeNull();
    expect(bound(round([tool('c', 'o')], edges('c')))).toBe(8);
  });

  test('needs an edge for when no condition holds: the next turn begins inside', () => {
    const definition = round([], [when('b', 'b', 'i', 'lt', 3)]);
    expect(bound(definition)).toBeNull();
    expect(bound(round([], [when('b', 'b', 'i', 'lt', 3), when('b', 'end', 'i', 'gte', 3)]))).toBe(5);
  });

  test('may be set when a question is left, and the question is where the turn begins', () => {
    const definition = flow(
      [ask('q', 'y', set({ to: 0 })), say('b', set({ add: 1 })), end()],
      [to('q', 'b'), when('b', 'b', 'i', 'lt', 3), to('b', 'end')],
    );
    expect(bound(definition)).toBe(5);
    expect(bound(flow([ask('q', 'y'), ...definition.nodes.slice(1)], definition.edges))).toBeNull();
  });

  test('that repeats too often is reported, with the path', () => {
    const { nodes, edges } = counting(atMost(1_000));
    const { validation } = check(nodes, edges);
    const [{ code, message, witness }] = validation.errors as [ValidationItem];
    expect([code, message]).toEqual([
      'bound_exceeds_limit',
      'A turn that begins at "a" can visit 1002 nodes; at most 200 are allowed',
    ]);
    expect(witness).toHaveLength(51);
    expect(bound(counting(atMost(1_000_000)))).toBeNull();
  });

  test('continues after a command', () => {
    const definition = flow(
      [
        ask('q', 'y'),
        end(),
        { id: 'any', type: 'trigger', on: 'any_turn' },
        say('a', set({ to: 0 })),
        say('b', set({ add: 1 })),
        end('back', { resume: true }),
      ],
      [
        to('q', 'end'),
        when('any', 'a', 'user_input', 'eq', 'count'),
        to('a', 'b'),
        when('b', 'b', 'i', 'lt', 3),
        to('b', 'back'),
      ],
    );
    expect(bound(definition)).toBe(7);
    const { nodes, edges } = definition;
    const result = playOut(check(nodes, edges).compiled, {
      currentNode: 'q',
      userInput: 'count',
    }) as TurnResult;
    expect([result.steps, result.nextNode]).toEqual([7, 'q']);
  });
});

const ids = ['a', 'b', 'c', 'd'];
const entry = fc.constantFrom({ add: 1 }, { add: 1 }, { add: 2 }, { add: -1 }, { to: 0 }, { to: 2 });
const condition = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(fc.constantFrom('lt', 'lte', 'gte', 'eq', 'neq'), fc.integer({ min: -1, max: 5 })),
  },
  { weight: 1, arbitrary: fc.constant(null) },
);
/**
 * A start and a question that set the counter, and nodes that count; each has an edge for every
 * value.
 */
const counters = fc
  .record({
    sets: fc.array(fc.array(entry, { maxLength: 2 }), { minLength: 4, maxLength: 4 }),
    begins: fc.tuple(fc.integer({ min: -1, max: 3 }), fc.integer({ min: -1, max: 3 })),
    links: fc.array(fc.tuple(fc.constantFrom(...ids), fc.constantFrom(...ids, 'end'), condition), {
      minLength: 3,
      maxLength: 8,
    }),
    fallbacks: fc.tuple(...ids.map(() => fc.constantFrom(...ids, 'q', 'q', 'end', 'end'))),
    first: fc.constantFrom(...ids),
  })
  .map(({ sets, begins, links, fallbacks, first }) => ({
    nodes: [
      say('start', set({ to: begins[0] })),
      ask('q', 'y', set({ to: begins[1] })),
      ...ids.map((id, place) => say(id, set(...sets[place]!))),
      end(),
    ] as Record<string, unknown>[],
    edges: [
      to('start', first),
      to('q', 'a'),
      ...links.map(([source, target, compared], place) =>
        compared === null
          ? when(source, target, `e${place}`, 'is_true')
          : when(source, target, 'i', compared[0], compared[1]),
      ),
      ...ids.map((id, place) => to(id, fallbacks[place]!)),
    ] as Record<string, unknown>[],
  }));

/**
 * Visits of the longest turn, by trying every way with the current counter; Infinity for an endless
 * cycle.
 */
function longestByTrying({ nodes, edges }: Definition): number {
  const roundsMax = 60;
  const tried = new Map<string, number>();
  const holds = (op: unknown, i: number, value: number) =>
    ({ lt: i < value, lte: i <= value, gte: i >= value, eq: i === value, neq: i !== value })[op as 'lt'];
  const leave = (id: string, before: number): number => {
    let i = before;
    const entries = (nodes.find((node) => node['id'] === id)!['set'] ?? []) as {
      add?: number;
      to?: number;
    }[];
    for (const { add, to: value } of entries) i = value ?? i + (add ?? 0);
    const ways: unknown[] = [];
    for (const edge of edges.filter(({ source }) => source === id)) {
      const held = edge['variable'] === 'i' && holds(edge['op'], i, edge['value'] as number);
      if (edge['variable'] !== 'i' || held) ways.push(edge['target']);
      if (held) break;
    }
    return 1 + Math.max(...ways.map((way) => visit(way as string, i)));
  };
  const visit = (id: string, i: number): number => {
    if (id === 'q' || id === 'end') return 1;
    if (Math.abs(i) > roundsMax) return Infinity;
    const key = `${id} ${i}`;
    const known = tried.get(key);
    if (known !== undefined) return known;
    tried.set(key, Infinity);
    const visits = leave(id, i);
    tried.set(key, visits);
    return visits;
  };
  return Math.max(leave('start', 0), visitable(edges).has('q') ? leave('q', 0) : 0);
}

function visitable(edges: Definition['edges']): ReadonlySet<unknown> {
  const seen = new Set<unknown>(['start']);
  for (const id of seen) for (const edge of edges) if (edge['source'] === id) seen.add(edge['target']);
  return seen;
}

const hasSilentCycle = ({ edges }: Definition): boolean => {
  const onwards = (id: unknown, path: readonly unknown[]): boolean =>
    path.includes(id) ||
    (ids.includes(id as string) &&
      edges.some(({ source, target }) => source === id && onwards(target, [...path, id])));
  const visited = visitable(edges);
  return ids.some((id) => visited.has(id) && onwards(id, []));
};

test('on any graph the bound is the length of the longest turn, and no turn is longer', () => {
  const seen = { never: 0, bounded: 0, endless: 0, unproved: 0 };
  const brought = fc.record({
    i: fc.constantFrom<unknown>(0, 3, -7, 'two', undefined, null, '1'),
    open: fc.uniqueArray(fc.integer({ min: 0, max: 7 })),
    currentNode: fc.constantFrom(null, 'q'),
  });
  fc.assert(
    fc.property(
      counters.filter(hasSilentCycle),
      fc.array(brought, { minLength: 5, maxLength: 5 }),
      (definition, bags) => {
        const { validation, compiled } = check(definition.nodes, definition.edges);
        const steps = validation.stats.max_steps_per_turn;
        const longest = longestByTrying(definition);
        if (steps === null) {
          // Nothing is proved for unreachable nodes, or without a bounding counter.
          if (longest === Infinity) seen.endless += 1;
          else seen.unproved += 1;
          return;
        }
        seen.bounded += 1;
        const never = validation.warnings
          .filter(({ code }) => code === 'shadowed_edge' || code === 'contradictory_edge')
          .map((item) => item.edge_index);
        seen.never += never.length;
        // An unreachable question does not count for the bound, though a caller may name it.
        const isAsked = visitable(definition.edges).has('q');
        if (isAsked) expect(steps).toBe(longest);
        else expect(steps).toBeGreaterThanOrEqual(longest);
        for (const { i, open, currentNode } of bags.filter((bag) => isAsked || bag.currentNode === null)) {
          const variables = {
            ...(i === undefined ? {} : { i }),
            ...Object.fromEntries(open.map((at) => [`e${at}`, true])),
          };
          const result = playOut(compiled, { currentNode, userInput: 'abc', variables });
          expect(result.kind === 'turn' ? result.steps : Infinity).toBeLessThanOrEqual(steps);
          for (const { edgeIndex } of (result as TurnResult).trace ?? [])
            expect(never).not.toContain(edgeIndex);
        }
      },
    ),
    { numRuns: 600 },
  );
  expect(seen.bounded).toBeGreaterThan(60);
  expect(seen.never).toBeGreaterThan(20);
  expect(seen.endless).toBeGreaterThan(30);
});
