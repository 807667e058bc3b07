// Heights of cards, and the ports of choices.
import { expect, test } from '@jest/globals';
import type { AuthoredFlow, AuthoredNode } from '@parley/flow-engine';
import { heightOf, linesOf, rowsOf, spread } from './card-size.ts';
import { toDoc } from './doc.ts';
import { addNode, connect, portOf, setNode } from './edits.ts';

const ask = {
  id: 'ask',
  type: 'collect',
  prompt: 'Which topic?',
  variable: 'topic',
  cast: 'enum',
  choices: ['bill', { value: 'line', synonyms: ['phone'] }],
} as unknown as AuthoredNode;
const flow = {
  nodes: [ask, { id: 'end', type: 'end' }],
  edges: [{ source: 'ask', target: 'end' }],
  layout: { ask: { x: 0, y: 0 }, end: { x: 0, y: 90 } },
} as unknown as AuthoredFlow;

test('a question has a row for each choice, and yes or no for truth values', () => {
  expect(rowsOf(ask).map(({ label }) => label)).toEqual(['bill', 'line']);
  expect(rowsOf({ ...ask, cast: 'bool' }).map(({ label }) => label)).toEqual(['Yes', 'No']);
  expect(heightOf(ask)).toBeGreaterThan(heightOf({ ...ask, choices: [] }));
});

test('a text takes at most six lines', () => {
  expect(linesOf('')).toBe(1);
  expect(linesOf('word '.repeat(12))).toBe(2);
  expect(linesOf('x'.repeat(5000))).toBe(6);
});

test('an edge leaves the port of the choice that it compares with', () => {
  const edge = { source: 'ask', target: 'end', variable: 'topic', value: 'line' };
  expect(portOf(edge, ask)).toBe('"line"');
  expect(portOf({ ...edge, op: '==' }, ask)).toBe('"line"');
  for (const other of [{ op: 'neq' }, { value: 'tv' }, { variable: 'name' }, { default: true }])
    expect(portOf({ ...edge, ...other }, ask)).toBeNull();
});

test('connecting from a port compares with its choice, once', () => {
  const doc = toDoc(flow);
  const once = connect(doc, 'ask', 'end', '"line"');
  expect(once.flow.edges).toEqual([
    { source: 'ask', target: 'end', variable: 'topic', op: 'eq', value: 'line' },
    { source: 'ask', target: 'end' },
  ]);
  const { doc: added } = addNode(once, 'message', { x: 400, y: 0 }, 'ask', '"line"');
  expect(added.flow.edges?.map(({ target, value }) => [target, value])).toEqual([
    ['message', 'line'],
    ['end', undefined],
  ]);
});

test('cards that lie over others are moved down, and others stay', () => {
  const { places } = toDoc(flow);
  expect(places['ask']).toEqual({ x: 0, y: 0 });
  expect(places['end']!.y).toBeGreaterThan(heightOf(ask));
  expect(spread(flow, places)).toEqual(places);
  const grown = setNode(toDoc(flow), 'ask', { prompt: 'A longer question. '.repeat(12) });
  expect(grown.places['end']!.y).toBeGreaterThan(places['end']!.y);
});
