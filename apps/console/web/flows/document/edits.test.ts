// The edits of a document, and undo.
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { AuthoredFlow } from '@parley/flow-engine';
import { engine } from '../../engine/engine.ts';
import { readClip, writeClip } from './clipboard.ts';
import { edgesOf, isDrawable, toDefinition, toDoc, type Doc } from './doc.ts';
import { addNode, clipOf, connect, moveEdge, removeAll, renameNode, setNode, withPasted } from './edits.ts';
import { change, isDirty, openFlow, redo, select, settle, undo, useFlow } from './flow-store.ts';

const flow = {
  start: 'ask',
  nodes: [
    { id: 'ask', type: 'collect', prompt: 'Tea?', variable: 'tea', extra: { kept: true } },
    { id: 'yes', type: 'message', text: 'Tea.' },
    { id: 'no', type: 'end' },
  ],
  edges: [
    { source: 'ask', target: 'yes', variable: 'tea', op: 'eq', value: true },
    { source: 'yes', target: 'no' },
    { source: 'ask', target: 'no' },
  ],
} as unknown as AuthoredFlow;
const doc: Doc = { flow, places: { ask: { x: 0, y: 0 }, yes: { x: 0, y: 100 } } };
const ends = ({ flow: { edges } }: Doc) => edges?.map(({ source, target }) => `${source} ${target}`);

describe('edits', () => {
  test('a new node gets a free id; the first one becomes the start', () => {
    expect(addNode({ flow: { nodes: [] }, places: {} }, 'message', { x: 1, y: 2 }).id).toBe('start');
    const { id, doc: grown } = addNode(addNode(doc, 'end', { x: 0, y: 0 }).doc, 'end', { x: 5, y: 5 });
    expect([id, grown.places[id]]).toEqual(['end_2', { x: 5, y: 5 }]);
  });
  test('inserts a node between a node with one default edge and its target', () =>
    expect(ends(addNode(doc, 'message', null, 'yes').doc)).toEqual([
      ...['ask yes', 'yes message', 'ask no', 'message no'],
    ]));
  test('continues the default path of a node with branches, and invents no edge', () => {
    const { doc: grown } = addNode(doc, 'collect', null, 'ask');
    expect(ends(grown)).toEqual(['ask yes', 'yes no', 'ask collect', 'collect no']);
    expect(edgesOf(grown.flow)[2]).toEqual({ source: 'ask', target: 'collect' });
  });
  test('a drawn edge is added beside the existing one', () =>
    expect(ends(addNode(doc, 'message', { x: 9, y: 9 }, 'yes').doc)).toEqual([
      ...['ask yes', 'yes message', 'yes no', 'ask no'],
    ]));
  test('never inserts an end node between two nodes', () =>
    expect(ends(addNode(doc, 'end', null, 'yes').doc)).toEqual([
      ...['ask yes', 'yes end', 'yes no', 'ask no'],
    ]));
  test('never connects a node that the walk does not visit', () =>
    expect(ends(addNode(doc, 'global', null, 'yes').doc)).toEqual(ends(doc)));
  test('a further edge takes the next choice, and has no value when there is none', () => {
    const choices = ['black', { value: 'green', synonyms: ['sencha'] }];
    const asked = setNode(doc, 'ask', { cast: 'enum', choices });
    const further = (grown: Doc) =>
      ['yes', 'no', 'yes'].reduce((before, target) => connect(before, 'ask', target), grown);
    expect(edgesOf(further(asked).flow).map(({ value }) => value)).toEqual([
      ...[true, undefined, 'black', 'green', undefined, undefined],
    ]);
    const unfinished = connect(doc, 'ask', 'yes').flow;
    expect(edgesOf(unfinished)[2]).toEqual({ source: 'ask', target: 'yes', variable: 'tea', op: 'eq' });
    expect(engine.check(unfinished).findings).toContainEqual(
      expect.objectContaining({ severity: 'error', edgeIndex: 2 }),
    );
  });
  test('the first edge out of a node is its default', () =>
    expect(edgesOf(connect(doc, 'no', 'ask').flow).at(-1)).toEqual({ source: 'no', target: 'ask' }));
  test('renaming updates edges, start and position', () => {
    const renamed = renameNode(doc, 'ask', 'question');
    expect(renamed.flow.start).toBe('question');
    expect(ends(renamed)).toEqual(['question yes', 'yes no', 'question no']);
    expect(Object.keys(renamed.places).sort()).toEqual(['question', 'yes']);
    expect(renameNode(doc, 'ask', 'yes')).toBe(doc);
  });
  test('removing a node removes its edges, and the start', () => {
    const left = removeAll(doc, ['ask']);
    expect(ends(left)).toEqual(['yes no']);
    expect([left.flow.start, left.places['ask']]).toEqual([undefined, undefined]);
    expect(ends(removeAll(doc, [], [1]))).toEqual(['ask yes', 'ask no']);
  });
  test('moves an edge among those of its node only', () => {
    const { doc: moved, index } = moveEdge(doc, 2, 0);
    expect([ends(moved), index]).toEqual([['ask no', 'yes no', 'ask yes'], 0]);
    expect(moveEdge(doc, 0, 0).doc).toBe(doc);
    expect(moveEdge(doc, 0, 9).index).toBe(2);
  });
  test('keeps unknown members, and the objects of unchanged nodes', () => {
    const changed = setNode(doc, 'ask', { prompt: 'Coffee?', variable: undefined });
    expect(changed.flow.nodes[0]).toEqual({
      id: 'ask',
      type: 'collect',
      prompt: 'Coffee?',
      extra: { kept: true },
    });
    expect(changed.flow.nodes[1]).toBe(doc.flow.nodes[1]);
  });
});

describe('clipboard', () => {
  test('copies nodes as text with the edges between them, and gives them new ids', () => {
    const read = readClip(writeClip(clipOf(doc, ['ask', 'yes'])))!;
    const { doc: pasted, ids } = withPasted(doc, read);
    expect(ids).toEqual(['ask_2', 'yes_2']);
    expect(ends(pasted)?.slice(3)).toEqual(['ask_2 yes_2']);
    expect(pasted.places['ask_2']).toEqual({ x: 32, y: 32 });
  });
  test.each(['', 'hello', '{"kind":"parley.nodes"}', '{"kind":"other","nodes":[],"edges":[]}'])(
    'ignores %j',
    (text) => expect(readClip(text)).toBeNull(),
  );
});

describe('a stored definition', () => {
  test('positions come from `layout`, or from `position` of a node', () => {
    const stored = {
      ...flow,
      layout: { ask: { x: 1, y: 2 } },
      nodes: [flow.nodes[0]!, { id: 'b', position: { x: 3, y: 400 } }],
    };
    const read = toDoc(stored);
    expect(read.places).toEqual({ ask: { x: 1, y: 2 }, b: { x: 3, y: 400 } });
    expect(read.flow['layout']).toBeUndefined();
    expect(toDefinition(read)['layout']).toEqual(read.places);
  });
  test.each([
    null,
    [],
    {},
    { nodes: {} },
    { nodes: [null] },
    { nodes: [{ id: 1 }] },
    { nodes: [], edges: [{}] },
  ])('cannot draw %j', (value) => expect(isDrawable(value)).toBe(false));
});

describe('history', () => {
  beforeEach(() => openFlow('tea', { version: 1, etag: '1', doc }, doc));
  const rename = (text: string) => change((old) => setNode(old, 'yes', { text }), 'typed', 'yes text');
  const textNow = () => useFlow.getState().doc.flow.nodes[1]?.text;

  test('fast typing in one field is one undo step; another member is another step', () => {
    for (const text of ['T', 'Te', 'Tea!']) rename(text);
    change((old) => setNode(old, 'yes', { note: 1 }), 'noted', 'yes note');
    undo();
    expect(textNow()).toBe('Tea!');
    undo();
    expect(textNow()).toBe('Tea.');
    redo();
    expect(textNow()).toBe('Tea!');
  });
  test('undoing to the saved state leaves nothing to save', () => {
    expect(isDirty(useFlow.getState())).toBe(false);
    rename('x');
    expect(isDirty(useFlow.getState())).toBe(true);
    undo();
    expect(isDirty(useFlow.getState())).toBe(false);
  });
  test('positioning nodes automatically is no change', () => {
    settle({ no: { x: 9, y: 9 }, ask: { x: 7, y: 7 } });
    expect(useFlow.getState().doc.places).toMatchObject({ no: { x: 9 }, ask: { x: 0 } });
    expect([isDirty(useFlow.getState()), useFlow.getState().past]).toEqual([false, []]);
  });
  test('removed nodes are no longer selected', () => {
    select(['ask', 'yes']);
    change((old) => removeAll(old, ['ask']), 'gone');
    expect(useFlow.getState().selection.nodes).toEqual(['yes']);
  });
  test('announces when there is nothing to undo', () => {
    undo();
    expect(useFlow.getState().announced).toBe('Nothing to undo');
  });
});
