// Creating a flow.
import { expect, test } from '@jest/globals';
import { engine } from '../../engine/engine.ts';
import { idFrom, readDefinition, smallest } from './new-flow.ts';

test.each([
  ['Dental practice: book', 'dental-practice:-book'],
  ['  Über Größe  ', 'uber-gro-e'],
  ['!!!', ''],
])('derives an id from %j', (name, id) => expect(idFrom(name)).toBe(id));

test('the smallest flow has no findings', () => expect(engine.check(smallest('Tea')).findings).toEqual([]));

test('reads a definition, or an object that contains one', () => {
  const definition = { name: 'Inner', nodes: [{ id: 'a' }] };
  expect(readDefinition(JSON.stringify(definition))).toEqual({ name: 'Inner', definition });
  expect(readDefinition(JSON.stringify({ name: 'Outer', definition }))).toEqual({
    name: 'Outer',
    definition,
  });
  expect(readDefinition('{')).toBe('The definition must be valid JSON.');
  expect(readDefinition('null')).toMatch(/^A definition needs nodes/);
});
