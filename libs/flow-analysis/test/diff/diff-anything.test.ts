// The diff of any two definitions, hostile and large ones included: the patch is exact, and time
// and stack are bounded.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseFlow } from '@parley/flow-engine';
import { diff, noChanges, patched } from './diffing.ts';
import { end, flow, say, to } from '../examples/pieces.ts';

/** Names that break pointers, prototypes and patches. */
const name = fc.constantFrom(
  'text',
  'a/b',
  'm~n',
  '~1',
  '',
  '0',
  '-',
  'constructor',
  'prototype',
  'toString',
  'length',
  'ü',
  'position',
);
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>(0, 1, -1.5, '', 'x', 'y', true, false, null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;
const members = fc.dictionary(fc.constantFrom('text', 'args', 'a/b', 'position', 'constructor'), json, {
  maxKeys: 4,
  noNullPrototype: true,
});
const text = fc.constantFrom('x', 'y', '');
const node = fc
  .tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), members, text)
  .map(([id, more, text]) => ({ args: {}, ...more, id, text }));
const edge = fc
  .tuple(
    fc.constantFrom('a', 'b'),
    fc.constantFrom('a', 'b'),
    fc.option(text, { nil: undefined }),
    json,
    fc.option(fc.constantFrom('e1', 'e2'), { nil: undefined }),
  )
  .map(
    ([source, target, variable, value, id]) =>
      JSON.parse(JSON.stringify({ source, target, variable, value, id })) as Record<string, unknown>,
  );
const definition = fc.record(
  {
    nodes: fc.array(node, { maxLength: 6 }),
    edges: fc.option(fc.array(edge, { maxLength: 8 })),
    start: text,
    extra: json,
  },
  { requiredKeys: ['nodes'] },
);
const valid = definition.filter((candidate) => parseFlow(candidate).ok);

describe('of any two definitions', () => {
  test('the patch turns the older version into the newer', () => {
    fc.assert(
      fc.property(valid, valid, (from, to) => {
        const before = structuredClone([from, to]);
        expect(patched(from, diff(from, to))).toEqual(to);
        expect([from, to]).toEqual(before);
      }),
      { numRuns: 300 },
    );
  });

  test('nothing changed from a definition to itself', () => {
    fc.assert(
      fc.property(valid, (one) => {
        expect(diff(one, structuredClone(one))).toEqual({
          identical: true,
          summary: ['No changes.'],
          ...noChanges,
          patch: [],
        });
      }),
    );
  });

  test('an addition one way is a removal the other way', () => {
    fc.assert(
      fc.property(valid, valid, (from, to) => {
        const [there, back] = [diff(from, to), diff(to, from)];
        expect(back.identical).toBe(there.identical);
        expect(back.nodes.removed).toEqual(there.nodes.added);
        expect(back.nodes.changed.map(({ id }) => id).sort()).toEqual(
          there.nodes.changed.map(({ id }) => id).sort(),
        );
        expect(back.edges.removed).toHaveLength(there.edges.added.length);
        expect(back.edges.added).toHaveLength(there.edges.removed.length);
      }),
    );
  });
});

describe('hostile and large', () => {
  test('a member called __proto__ is a member', () => {
    const hostile = (text: string) =>
      JSON.parse(
        `{"nodes": [{"id": "a", "type": "tool", "args": {"__proto__": {"x": "${text}"}}}]}`,
      ) as unknown;
    const { patch, nodes } = diff(hostile('1'), hostile('2'));
    expect(patch).toHaveLength(1);
    expect(JSON.stringify(patch)).toBe(
      '[{"op":"replace","path":"/nodes/0/args","value":{"__proto__":{"x":"2"}}}]',
    );
    expect(nodes.changed).toHaveLength(1);
    expect(diff(hostile('1'), hostile('1')).patch).toEqual([]);
    expect(diff(hostile('1'), { nodes: [{ id: 'a', type: 'tool', args: {} }] }).patch).toHaveLength(1);
  });

  test('values deeper than any call stack', () => {
    const deep = (bottom: number) => {
      let value: unknown = bottom;
      for (let level = 0; level < 100_000; level++) value = { value };
      return { nodes: [{ id: 'a', type: 'end', value }] };
    };
    expect(diff(deep(1), deep(1)).identical).toBe(true);
    expect(diff(deep(1), deep(2)).nodes.changed).toHaveLength(1);
  });

  test('a long list inside a node changes as a whole', () => {
    const withDocuments = (mark: string) =>
      flow([end('a', { documents: Array.from({ length: 1_000 }, (_, at) => mark + at) })]);
    expect(diff(withDocuments('a'), withDocuments('b')).patch).toHaveLength(1);
  });

  test('a node with more members than a call may have arguments', () => {
    const withMembers = (mark: string) =>
      flow([end('a', Object.fromEntries(Array.from({ length: 200_000 }, (_, at) => [`m${at}`, mark])))]);
    expect(diff(withMembers('a'), withMembers('b')).patch).toHaveLength(200_000);
  });

  test('ten thousand nodes in reverse order, with every text changed', () => {
    const count = 10_000;
    const nodes = Array.from({ length: count }, (_, at) => say(`n${at}`, { text: 'a' }));
    const edges = nodes.slice(1).map(({ id }, at) => to(`n${at}`, id));
    const changed = {
      nodes: nodes.map((node) => ({ ...node, text: 'b' })).reverse(),
      edges: [...edges].reverse(),
    };
    const result = diff({ nodes, edges }, changed);
    expect(result.nodes.changed).toHaveLength(count);
    expect(result.edges).toEqual(noChanges.edges);
    expect(patched({ nodes, edges }, result)).toEqual(changed);
  });
});
