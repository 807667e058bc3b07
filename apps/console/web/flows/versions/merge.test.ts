// Merging the changes of two people, and comparing two versions.
import { describe, expect, test } from '@jest/globals';
import type { AuthoredFlow } from '@parley/flow-engine';
import { engine } from '../../engine/engine.ts';
import { compared } from './compared.ts';
import { mergeFlows } from './merge.ts';

const base = {
  name: 'Tea',
  start: 'a',
  nodes: [
    { id: 'a', type: 'message', text: 'A' },
    { id: 'b', type: 'message', text: 'B' },
    { id: 'c', type: 'end' },
  ],
  edges: [
    { source: 'a', target: 'b' },
    { source: 'b', target: 'c' },
  ],
} as unknown as AuthoredFlow;
const withNode = (flow: AuthoredFlow, id: string, text: string) => ({
  ...flow,
  nodes: flow.nodes.map((node) => (node.id === id ? { ...node, text } : node)),
});

describe('merge', () => {
  test('merges changes of different things', () => {
    const mine = {
      ...withNode(base, 'a', 'mine'),
      edges: [...base.edges!, { source: 'a', target: 'c', nl: 'stop' }],
    };
    const theirs = {
      ...withNode(base, 'b', 'theirs'),
      name: 'Coffee',
      nodes: [...withNode(base, 'b', 'theirs').nodes, { id: 'd', type: 'end' }],
    };
    const { flow, conflicts } = mergeFlows(base, mine, theirs);
    expect(conflicts).toEqual([]);
    expect(flow.name).toBe('Coffee');
    expect(flow.nodes.map(({ id, text }) => `${id} ${text ?? ''}`)).toEqual([
      'a mine',
      'b theirs',
      'c ',
      'd ',
    ]);
    expect(flow.edges).toHaveLength(3);
  });
  test('reports what both changed, and applies the choice', () => {
    const [mine, theirs] = [withNode(base, 'a', 'mine'), withNode(base, 'a', 'theirs')];
    const { flow, conflicts } = mergeFlows(base, mine, theirs);
    expect(conflicts).toMatchObject([{ key: 'node a', mine: { text: 'mine' }, theirs: { text: 'theirs' } }]);
    expect(flow.nodes[0]?.text).toBe('mine');
    expect(mergeFlows(base, mine, theirs, { 'node a': 'theirs' }).flow.nodes[0]?.text).toBe('theirs');
  });
  test('a removal conflicts with a change, and otherwise applies', () => {
    const mine = { ...base, nodes: base.nodes.filter(({ id }) => id !== 'b') };
    expect(mergeFlows(base, mine, base).flow.nodes.map(({ id }) => id)).toEqual(['a', 'c']);
    expect(mergeFlows(base, mine, withNode(base, 'b', 'theirs')).conflicts).toMatchObject([
      { key: 'node b' },
    ]);
  });
  test('without changes the flow stays the same', () => {
    expect(mergeFlows(base, base, base).flow).toEqual(base);
  });
});

test('a picture of two versions shows added, changed and removed parts', () => {
  const newer = {
    ...withNode(base, 'a', 'Other'),
    nodes: [
      ...withNode(base, 'a', 'Other').nodes.filter(({ id }) => id !== 'b'),
      { id: 'd', type: 'message', text: 'D' },
    ],
    edges: [
      { source: 'a', target: 'd' },
      { source: 'd', target: 'c' },
    ],
  } as unknown as AuthoredFlow;
  const { doc, nodes, edges } = compared(base, newer, engine.diff(base, newer)!);
  expect(Object.fromEntries(nodes)).toEqual({ a: 'changed', b: 'removed', d: 'added' });
  expect(doc.flow.nodes.map(({ id }) => id)).toEqual(['a', 'c', 'd', 'b']);
  expect([...edges.values()]).toContain('removed');
});
