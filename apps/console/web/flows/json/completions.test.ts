// Completions in the JSON of a definition, and JSON pointers.
import { describe, expect, test } from '@jest/globals';
import { CompletionContext } from '@codemirror/autocomplete';
import { json } from '@codemirror/lang-json';
import { EditorState } from '@codemirror/state';
import { casts, nodeTypes, operators } from '@parley/flow-engine';
import { completeDefinition } from './completions.ts';
import { pointerRange } from './pointer-range.ts';

const flow = { nodes: [{ id: 'ask', type: 'collect', variable: 'tea' }, { id: 'end' }] };
const stateOf = (doc: string) => EditorState.create({ doc, extensions: [json()] });

/** `^` marks the caret. */
function offered(text: string): string[] | undefined {
  const context = new CompletionContext(stateOf(text.replace('^', '')), text.indexOf('^'), true);
  return completeDefinition(() => flow)(context)?.options.map(({ label }) => label);
}

describe('completions', () => {
  test('offers values of the tables and of the flow', () => {
    expect(offered('{"nodes": [{"type": "^"}]}')?.sort()).toEqual(Object.keys(nodeTypes).sort());
    expect(offered('{"nodes": [{"cast": "da^"}]}')).toEqual(Object.keys(casts));
    expect(offered('{"edges": [{"op": "^"}]}')).toEqual(Object.keys(operators));
    expect(offered('{"edges": [{"target": "^"}]}')).toEqual(['ask', 'end']);
    expect(offered('{"edges": [{"variable": "^"}]}')).toContain('tea');
  });
  test('offers the members that the node does not have yet', () => {
    const members = offered('{"nodes": [{"id": "a", "type": "message", "^": 1}]}');
    expect(members).toEqual(expect.arrayContaining(['text', 'variants', 'set']));
    expect(members).not.toContain('id');
    expect(offered('{"edges": [{"source": "a", "^": 1}]}')).toContain('nl');
  });
  test('offers nothing in a text or outside of objects', () => {
    expect(offered('{"nodes": [{"text": "he^"}]}')).toBeUndefined();
    expect(offered('{^}')).toBeUndefined();
  });
});

test.each<[string, string | null]>([
  ['', '{"a": [1, {"b/c": "x"}]}'],
  ['/a', '[1, {"b/c": "x"}]'],
  ['/a/1/b~1c', '"x"'],
  ['/a/7', null],
  ['/z', null],
])('resolves the pointer %j to %j', (pointer, text) => {
  const state = stateOf('{"a": [1, {"b/c": "x"}]}');
  const range = pointerRange(state, pointer);
  expect(range === null ? null : state.sliceDoc(range.from, range.to)).toBe(text);
});
