// The graph algorithms of validation against their definitions, on many small graphs, and on graphs
// too deep for a call stack.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { validateFlow } from '../../src/index.ts';
import { dominatorTree } from '../../src/validate/graph/dominators.ts';
import {
  Arcs,
  components,
  cycles,
  filtered,
  makeGraph,
  reachableFrom,
  reversed,
  wayRound,
  type Graph,
} from '../../src/validate/graph/flow-graph.ts';
import { modelOf } from '@parley/flow-engine/testing';
import { ask, end, say, to, when } from '../examples/pieces.ts';

const size = 8;
const vertices = [...Array(size).keys()];
const graphOf = (size: number, pairs: readonly (readonly [number, number])[]): Graph => {
  const arcs = new Arcs();
  pairs.forEach(([from, to], label) => arcs.add(from, to, label));
  return makeGraph(size, arcs);
};
const vertex = fc.integer({ min: 0, max: size - 1 });
const graph = fc
  .array(fc.tuple(vertex, vertex), { maxLength: 18, size: 'max' })
  .map((pairs) => graphOf(size, pairs));

const arcs = ({ offsets, targets, labels }: Graph) =>
  vertices.flatMap((from) =>
    [...targets.keys()]
      .filter((at) => at >= offsets[from]! && at < offsets[from + 1]!)
      .map((at) => ({ from, to: targets[at]!, label: labels[at]! })),
  );
const reaches = (graph: Graph, from: number, to: number) => reachableFrom(graph, [from])[to] === 1;

describe('on any graph', () => {
  test('a vertex dominates those that cannot be reached without it', () => {
    fc.assert(
      fc.property(graph, (graph) => {
        const { parent, order } = dominatorTree(graph, 0);
        expect([...order].sort()).toEqual(vertices.filter((v) => reaches(graph, 0, v)));
        const dominators = (v: number): number[] => (v === -1 ? [] : [...dominators(parent[v]!), v]);
        for (const v of order) {
          const without = (d: number) => filtered(graph, (from, to) => from !== d && to !== d);
          const needed = vertices.filter((d) => d === v || d === 0 || !reaches(without(d), 0, v));
          expect(dominators(v).sort()).toEqual(needed);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('finds a dominator that is no direct predecessor', () => {
    // 3 is entered from 2 and from 5, which depend on 1; but 2 is entered from 4 as well, so only 0
    // is on every path.
    const pairs = [
      [0, 1],
      [1, 2],
      [2, 3],
      [0, 4],
      [4, 2],
      [1, 5],
      [5, 3],
    ] as const;
    const { parent } = dominatorTree(graphOf(6, pairs), 0);
    expect([...parent]).toEqual([-1, 0, 0, 0, 0, 1]);
  });

  test('components hold vertices that reach each other, and lead to lower numbers', () => {
    fc.assert(
      fc.property(graph, (graph) => {
        const { of, members } = components(graph);
        for (const v of vertices)
          for (const w of vertices)
            expect(of[v] === of[w]).toBe(reaches(graph, v, w) && reaches(graph, w, v));
        for (const { from, to } of arcs(graph)) expect(of[to]).toBeLessThanOrEqual(of[from]!);
        members.forEach((component, at) => expect(component.every((v) => of[v] === at)).toBe(true));
      }),
      { numRuns: 300 },
    );
  });

  test('the way round a cycle is a cycle', () => {
    fc.assert(
      fc.property(graph, (graph) => {
        for (const members of cycles(graph)) {
          const way = wayRound(graph, members);
          expect(way.length).toBeGreaterThan(1);
          expect([way[0], way.at(-1)]).toEqual([members[0], members[0]]);
          way.slice(1).forEach((to, at) => {
            expect(members).toContain(to);
            expect(arcs(graph)).toContainEqual(expect.objectContaining({ from: way[at], to }));
          });
        }
      }),
      { numRuns: 300 },
    );
  });

  test('reversing twice gives the same graph', () => {
    fc.assert(
      fc.property(graph, (graph) => {
        const sorted = (graph: Graph) => arcs(graph).sort((a, b) => a.label - b.label);
        expect(sorted(reversed(reversed(graph)))).toEqual(sorted(graph));
        expect(sorted(reversed(graph))).toEqual(
          sorted(graph).map(({ from, to, label }) => ({ from: to, to: from, label })),
        );
      }),
    );
  });
});

const count = 10_000;

describe('ten thousand nodes', () => {
  const ids = [...Array(count).keys()].map((at) => `n${at}`);
  const chain = ids.slice(1).map((id, at) => to(ids[at]!, id));
  const stats = (nodes: object[], edges: object[]) => {
    const { valid, errors, stats } = validateFlow(modelOf(nodes, edges), { stepsMax: count });
    return { valid, codes: errors.map(({ code }) => code), ...stats };
  };

  test('in a row, silent: as long as the row', () => {
    const row = ids.map((id, at) => (at === count - 1 ? end(id) : say(id)));
    expect(stats(row, chain)).toMatchObject({ valid: true, reachable: count, max_steps_per_turn: count });
  });

  test('in a ring, silent: endless', () => {
    const ring = ids.map((id) => say(id));
    expect(stats(ring, [...chain, to(ids.at(-1)!, ids[0]!)])).toMatchObject({
      codes: ['silent_cycle'],
      max_steps_per_turn: null,
    });
  });

  test('in a row, each with a question: two a turn', () => {
    const row = ids.map((id, at) =>
      at === count - 1 ? end(id) : ask(id, id, { prompt: `Not {{ ${ids[at - 1] ?? id} }}?` }),
    );
    expect(stats(row, chain)).toMatchObject({ valid: true, max_steps_per_turn: 2 });
  });
});

test('a list longer than a call may have arguments, and hundreds of edges out of one node', () => {
  const values = Array.from({ length: 150_000 }, (_, at) => at);
  const edges = [
    when('a', 'end', 'x', 'in', values),
    when('a', 'end', 'x', 'in', values.slice(0, 100).map(String)),
    ...values.slice(0, 500).map((value) => when('a', 'end', 'y', 'eq', value)),
    when('a', 'end', 'y', 'in', [3, 5]),
    to('a', 'end'),
  ];
  const { warnings } = validateFlow(modelOf([{ id: 'a', type: 'branch' }, end()], edges), {
    stepsMax: count,
  });
  expect(warnings.map(({ code, edge_index }) => [code, edge_index])).toEqual([
    ['shadowed_edge', 1],
    ['shadowed_edge', 502],
    ['variable_never_set', 0],
    ['variable_never_set', 2],
  ]);
});
