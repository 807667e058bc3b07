// How edits of a model change a draft.
import { expect, test } from '@jest/globals';
import { applyEdits, edits } from './edits.rules.ts';

const draft = {
  name: 'Line',
  start: 'hello',
  nodes: [
    { id: 'hello', type: 'message', text: 'Hello.', label: 'Greeting' },
    { id: 'ask', type: 'collect', prompt: 'Who?', variable: 'name' },
    { id: 'bye', type: 'end' },
  ],
  edges: [
    { source: 'hello', target: 'ask' },
    { source: 'ask', target: 'bye' },
  ],
};
const apply = (written: object) => applyEdits(draft, edits.parse({ summary: 'x', ...written }));

test('members that are not named stay, null removes, and new nodes come last', () => {
  const { nodes } = apply({
    nodes: [
      { id: 'hello', text: 'Guten Tag.', label: null },
      { id: 'desk', type: 'handoff', target: 'desk' },
    ],
  });
  expect(nodes.map(({ id }) => id)).toEqual(['hello', 'ask', 'bye', 'desk']);
  expect(nodes[0]).toEqual({ id: 'hello', type: 'message', text: 'Guten Tag.' });
});

test('the edges of a node are replaced where they stand, and removed nodes take theirs along', () => {
  expect(apply({ edges: [{ source: 'hello', edges: [{ target: 'bye' }] }] }).edges).toEqual([
    { source: 'hello', target: 'bye' },
    { source: 'ask', target: 'bye' },
  ]);
  const { edges, start } = apply({ remove_nodes: ['hello'] });
  expect([edges, start]).toEqual([[{ source: 'ask', target: 'bye' }], undefined]);
});

test('other members of the flow are not for the model', () => {
  const changed = apply({ flow: { language: 'de', flow_id: 'other', nodes: [] } });
  expect(changed).toMatchObject({ name: 'Line', language: 'de', start: 'hello', nodes: draft.nodes });
  expect(changed).not.toHaveProperty('flow_id');
});

test.each([
  [null],
  ['text'],
  [{ nodes: [] }],
  [{ summary: 'x', nodes: [{ type: 'end' }] }],
  [{ summary: 'x', edges: {} }],
])('%j is no object of edits', (answer) => {
  expect(edits.safeParse(answer).success).toBe(false);
});
