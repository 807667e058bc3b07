// The diff of two versions: what counts as change, how it is said, and that the patch is exact.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { applyPatch, type Operation } from 'rfc6902';
import { diffFlows, parseFlow, type FlowDiff, type FlowModel } from '../src/index.ts';
import { ask, branch, end, flow, say, to, when, type Definition } from './validation-examples.ts';

function parsed(definition: unknown): FlowModel {
  const result = parseFlow(definition);
  if (!result.ok) throw new Error(`not a definition: ${JSON.stringify(result.problems)}`);
  return result.flow;
}

const diff = (from: unknown, to: unknown): FlowDiff => diffFlows(parsed(from), parsed(to));

/** What the patch makes of the older definition. */
function patched(from: unknown, { patch }: FlowDiff): unknown {
  const document = { definition: structuredClone(from) };
  const operations = patch.map((operation) => ({ ...operation, path: `/definition${operation.path}` }));
  // What is sent is what is applied.
  const sent = JSON.parse(JSON.stringify(operations)) as Operation[];
  expect(applyPatch(document, sent).filter((error) => error !== null)).toEqual([]);
  return document.definition;
}

const base: Definition = flow(
  [
    say('hello', { text: 'Hi' }),
    ask('q', 'age', { cast: 'string' }),
    branch('b'),
    end('minor'),
    end('adult'),
  ],
  [
    to('hello', 'q'),
    to('q', 'b'),
    when('b', 'minor', 'age', 'lt', 18),
    when('b', 'minor', 'age', 'eq', 'young'),
    to('b', 'adult'),
  ],
);
const withNodes = (nodes: (nodes: Definition['nodes']) => Definition['nodes']) => ({
  ...base,
  nodes: nodes(base.nodes),
});
const withEdges = (edges: (edges: Definition['edges']) => Definition['edges']) => ({
  ...base,
  edges: edges(base.edges),
});
const nothing = {
  metadata: [],
  nodes: { added: [], removed: [], changed: [] },
  edges: { added: [], removed: [], changed: [], moved: [] },
};

describe('what does not count', () => {
  test('the same', () => {
    expect(diff(base, structuredClone(base))).toEqual({
      identical: true,
      summary: ['No changes.'],
      ...nothing,
      patch: [],
    });
  });

  test.each([
    [
      'layout',
      withNodes(([first, ...others]) => [
        { ...first, position: { x: 1, y: 2 }, selected: true, width: 9 },
        ...others,
      ]),
    ],
    [
      'layout of an edge',
      withEdges(([first, ...others]) => [{ ...first, style: { stroke: 'red' } }, ...others]),
    ],
    ['layout of the flow', { ...base, viewport: { x: 0, y: 0, zoom: 2 } }],
    ['the order of nodes', withNodes(([first, ...others]) => [first!, ...others.reverse()])],
    [
      'the order of edges of different nodes',
      withEdges(([first, second, ...others]) => [second!, ...others, first!]),
    ],
  ])('%s', (_, changed) => {
    const result = diff(base, changed);
    expect(result).toMatchObject({
      identical: true,
      summary: ['Only the layout or the order of nodes changed.'],
      ...nothing,
    });
    expect(result.patch).not.toEqual([]);
    expect(patched(base, result)).toEqual(changed);
  });

  test('the order of members', () => {
    expect(
      diff({ nodes: [{ id: 'a', type: 'end', text: 'x' }] }, { nodes: [{ text: 'x', type: 'end', id: 'a' }] })
        .patch,
    ).toEqual([]);
  });
});

describe('what counts', () => {
  const cases: [
    what: string,
    changed: Definition & Record<string, unknown>,
    expected: object,
    summary: string[],
  ][] = [
    [
      'a new text',
      withNodes((nodes) => nodes.map((node) => (node['id'] === 'hello' ? { ...node, text: 'Hello' } : node))),
      { nodes: { changed: [{ id: 'hello', changes: [{ path: '/text', before: 'Hi', after: 'Hello' }] }] } },
      ['Changed text of message node "hello" from "Hi" to "Hello".'],
    ],
    [
      'members that come and go, deep ones too',
      withNodes((nodes) =>
        nodes.map((node) =>
          node['id'] === 'q'
            ? { id: 'q', type: 'collect', variable: 'age', extraction: { properties: { 'a/b': {} } } }
            : node,
        ),
      ),
      {
        nodes: {
          changed: [
            {
              id: 'q',
              changes: [
                { path: '/prompt', before: 'Well?' },
                { path: '/cast', before: 'string' },
                { path: '/extraction', after: { properties: { 'a/b': {} } } },
              ],
            },
          ],
        },
      },
      ['Changed prompt, cast and extraction of collect node "q".'],
    ],
    [
      'a node and its edge',
      { nodes: [...base.nodes, say('bye')], edges: [...base.edges, to('bye', 'adult')] },
      {
        nodes: { added: [{ id: 'bye', node: say('bye') }] },
        edges: { added: [{ edge_index: 5, source: 'bye', target: 'adult', edge: to('bye', 'adult') }] },
      },
      ['Added message node "bye".', 'Added the edge from "bye" to "adult" (default).'],
    ],
    [
      'what is gone',
      { nodes: base.nodes.slice(0, 4), edges: base.edges.slice(0, 4) },
      {
        nodes: { removed: [{ id: 'adult', node: end('adult') }] },
        edges: { removed: [{ edge_index: 4, source: 'b', target: 'adult', edge: to('b', 'adult') }] },
      },
      ['Removed end node "adult".', 'Removed the edge from "b" to "adult" (default).'],
    ],
    [
      'another value on an edge',
      withEdges((edges) => edges.map((edge) => (edge['value'] === 18 ? { ...edge, value: 21 } : edge))),
      {
        edges: {
          changed: [
            {
              from_index: 2,
              to_index: 2,
              source: 'b',
              target: 'minor',
              changes: [{ path: '/value', before: 18, after: 21 }],
            },
          ],
        },
      },
      ['Changed value of the edge from "b" to "minor" (age lt 21) from 18 to 21.'],
    ],
    [
      'another target',
      withEdges((edges) => edges.map((edge) => (edge['value'] === 18 ? { ...edge, target: 'adult' } : edge))),
      {
        edges: {
          changed: [
            {
              from_index: 2,
              to_index: 2,
              source: 'b',
              target: 'adult',
              changes: [{ path: '/target', before: 'minor', after: 'adult' }],
            },
          ],
        },
      },
      ['The edge from "b" (age lt 18) leads to "adult" instead of "minor".'],
    ],
    [
      'edges that are tried in another order',
      withEdges(([a, b, c, d, e]) => [a!, b!, d!, c!, e!]),
      {
        edges: { moved: [{ from_index: 3, to_index: 2, source: 'b', target: 'minor', before: 2, after: 1 }] },
      },
      ['The edge from "b" to "minor" (age eq "young") is tried as number 1 instead of 2.'],
    ],
    [
      'an edge before the others moves none of them',
      withEdges(([a, b, ...others]) => [a!, b!, when('b', 'adult', 'vip', 'is_true'), ...others]),
      {
        edges: {
          added: [
            { edge_index: 2, source: 'b', target: 'adult', edge: when('b', 'adult', 'vip', 'is_true') },
          ],
        },
      },
      ['Added the edge from "b" to "adult" (vip is_true).'],
    ],
    [
      'name, start and other members of the flow',
      { ...base, start: 'q', name: 'Age check', note: 'x' },
      {
        metadata: [
          { path: '/start', after: 'q' },
          { path: '/name', after: 'Age check' },
          { path: '/note', after: 'x' },
        ],
      },
      [
        'The flow starts at "q" instead of none.',
        'Renamed the flow from none to "Age check".',
        'Changed note of the flow.',
      ],
    ],
    [
      'another first node, where it is the start',
      withNodes(([first, second, ...others]) => [second!, first!, ...others]),
      { metadata: [{ path: '/start', before: 'hello', after: 'q' }] },
      ['The flow starts at "q" instead of "hello".'],
    ],
  ];

  test.each(cases)('%s', (_, changed, expected, summary) => {
    const result = diff(base, changed);
    expect(result).toMatchObject({ identical: false, summary });
    expect({ metadata: result.metadata, nodes: result.nodes, edges: result.edges }).toEqual({
      ...nothing,
      ...expected,
      nodes: { ...nothing.nodes, ...('nodes' in expected ? (expected.nodes as object) : {}) },
      edges: { ...nothing.edges, ...('edges' in expected ? (expected.edges as object) : {}) },
    });
    expect(patched(base, result)).toEqual(changed);
  });

  test('a version of another name, although the definition says none', () => {
    const named = (name: string) => (parseFlow(base, { name }) as { flow: FlowModel }).flow;
    expect(diffFlows(named('A'), named('B'))).toMatchObject({
      identical: false,
      summary: ['Renamed the flow from "A" to "B".'],
      metadata: [{ path: '/name', before: 'A', after: 'B' }],
      patch: [],
    });
  });

  test('many of a kind get one sentence', () => {
    const many = Array.from({ length: 40 }, (_, at) => say(`n${at}`));
    const { summary } = diff(base, { nodes: [...base.nodes, ...many], edges: base.edges });
    expect(summary).toEqual(['Added 40 nodes: "n0", "n1", "n2" and 37 more.']);
  });
});

describe('what is there twice', () => {
  test('nodes of one id are paired in order', () => {
    const twice = (first: string, second: string) =>
      flow([end('a', { text: first }), end('a', { text: second })]);
    expect(diff(twice('x', 'y'), twice('x', 'z')).nodes.changed).toEqual([
      { id: 'a', changes: [{ path: '/text', before: 'y', after: 'z' }] },
    ]);
    const { nodes } = diff(twice('x', 'y'), flow([end('a', { text: 'x' })]));
    expect(nodes).toEqual({ added: [], removed: [{ id: 'a', node: end('a', { text: 'y' }) }], changed: [] });
  });

  test('one of two equal edges is gone', () => {
    const edges = [to('hello', 'q'), to('hello', 'q')];
    const result = diff({ ...base, edges }, { ...base, edges: edges.slice(1) });
    expect(result.edges).toMatchObject({ added: [], changed: [], moved: [], removed: [{ edge_index: 1 }] });
  });

  test('the id that an editor gives tells edges apart', () => {
    const edge = (id: string, value: number) => when('b', 'minor', 'age', 'eq', value, { id });
    const result = diff(
      { ...base, edges: [edge('e1', 1), edge('e2', 2)] },
      { ...base, edges: [edge('e2', 1), edge('e1', 1)] },
    );
    expect(result.edges).toMatchObject({
      changed: [{ from_index: 1, to_index: 0, changes: [{ path: '/value', before: 2, after: 1 }] }],
      moved: [{ to_index: 0, before: 2, after: 1 }],
    });
  });
});

/** Names that pointers, prototypes and patches stumble over. */
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
  test('the patch makes the newer of the older', () => {
    fc.assert(
      fc.property(valid, valid, (from, to) => {
        const before = structuredClone([from, to]);
        expect(patched(from, diff(from, to))).toEqual(to);
        expect([from, to]).toEqual(before);
      }),
      { numRuns: 1_000 },
    );
  });

  test('nothing changed from a definition to itself', () => {
    fc.assert(
      fc.property(valid, (one) => {
        expect(diff(one, structuredClone(one))).toEqual({
          identical: true,
          summary: ['No changes.'],
          ...nothing,
          patch: [],
        });
      }),
    );
  });

  test('what was added one way is removed the other way', () => {
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

  test('ten thousand nodes, turned round, with every text changed', () => {
    const count = 10_000;
    const nodes = Array.from({ length: count }, (_, at) => say(`n${at}`, { text: 'a' }));
    const edges = nodes.slice(1).map(({ id }, at) => to(`n${at}`, id));
    const changed = {
      nodes: nodes.map((node) => ({ ...node, text: 'b' })).reverse(),
      edges: [...edges].reverse(),
    };
    const result = diff({ nodes, edges }, changed);
    expect(result.nodes.changed).toHaveLength(count);
    expect(result.edges).toEqual(nothing.edges);
    expect(patched({ nodes, edges }, result)).toEqual(changed);
  });
});

test('two versions of a real flow', () => {
  const older = JSON.parse(
    readFileSync(new URL('flows/age-check.json', import.meta.url), 'utf8'),
  ) as Definition;
  const newer = {
    ...older,
    name: 'Age and consent',
    nodes: [
      ...older.nodes.filter(({ id }) => id !== 'adult'),
      ask('consent', 'consent', { cast: 'boolean' }),
    ],
    edges: [
      ...older.edges.slice(0, 3),
      { source: 'check', target: 'consent', variable: 'age', op: 'gte', value: 18 },
      older.edges[4]!,
      to('consent', 'lookup'),
      ...older.edges.slice(6),
    ],
  };
  const result = diff(older, newer);
  expect(result.summary).toEqual([
    'Renamed the flow from "Age check" to "Age and consent".',
    'Added collect node "consent".',
    'Removed message node "adult".',
    'Added the edge from "consent" to "lookup" (default).',
    'Removed the edge from "adult" to "lookup" (default).',
    'The edge from "check" (age gte 18) leads to "consent" instead of "adult".',
  ]);
  expect(patched(older, result)).toEqual(newer);
});
