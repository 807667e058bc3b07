// Findings by node and edge.
import { expect, test } from '@jest/globals';
import type { AuthoredFlow } from '@parley/flow-engine';
import { engine } from '../../engine/engine.ts';
import { edgesAlong, problemsOf, worst } from '../document/problems.ts';

const flow = {
  start: 'ask',
  nodes: [
    { id: 'ask', type: 'collect', prompt: 'Age?', variable: 'age', cast: 'integer' },
    { id: 'adult', type: 'end' },
    { id: 'child', type: 'end' },
    { id: 'round', type: 'message', text: 'a' },
    { id: 'about', type: 'message', text: 'b' },
    { id: 'nowhere', type: 'end' },
  ],
  edges: [
    { source: 'ask', target: 'adult', variable: 'age', op: 'gte', value: 18 },
    { source: 'ask', target: 'child', variable: 'age', op: 'gt', value: 20 },
    { source: 'ask', target: 'round', variable: 'age', op: 'eq', value: 7 },
    { source: 'ask', target: 'child' },
    { source: 'round', target: 'about' },
    { source: 'about', target: 'round' },
  ],
} as unknown as AuthoredFlow;
const problems = problemsOf(flow, engine.check(flow));

test('an edge that is never taken names the edge that shadows it', () => {
  expect([...problems.neverTaken.keys()]).toEqual([1]);
  expect(problems.neverTaken.get(1)).toContain('edge 0 (age gte 18)');
});
test('finds unreachable nodes and the edges of a silent cycle', () => {
  expect([...problems.unreachable]).toEqual(['nowhere']);
  expect([...problems.silentCycle].sort()).toEqual([4, 5]);
});
test('counts findings per node and edge, worst first', () => {
  expect(worst(problems.byNode.get('round')!)).toBe('error');
  expect(worst(problems.byEdge.get(1)!)).toBe('warning');
  expect(problems.counts.error).toBeGreaterThan(0);
  expect(worst([])).toBeNull();
});
test('finds the edges between the nodes of a path', () =>
  expect(edgesAlong(flow, ['ask', 'round', 'about'])).toEqual([2, 4]));
