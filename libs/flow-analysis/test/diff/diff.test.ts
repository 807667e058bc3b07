// The diff of two versions: which changes count, and how it describes them.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { diffFlows } from '../../src/index.ts';
import { parseFlow, type FlowModel } from '@parley/flow-engine';
import { diff, noChanges, patched } from './diffing.ts';
import { ask, branch, end, flow, say, to, when, type Definition } from '../examples/pieces.ts';

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
describe('changes that do not count', () => {
  test('the same', () => {
    expect(diff(base, structuredClone(base))).toEqual({
      identical: true,
      summary: ['No changes.'],
      ...noChanges,
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
      ...noChanges,
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

describe('changes that count', () => {
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
      ...noChanges,
      ...expected,
      nodes: { ...noChanges.nodes, ...('nodes' in expected ? (expected.nodes as object) : {}) },
      edges: { ...noChanges.edges, ...('edges' in expected ? (expected.edges as object) : {}) },
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

describe('duplicates', () => {
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

  test("an editor's id distinguishes edges", () => {
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

test('two versions of a real flow', () => {
  const older = JSON.parse(
    readFileSync(new URL('../flows/age-check.json', import.meta.url), 'utf8'),
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
