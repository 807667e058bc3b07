// How a flow begins.
import { expect, test } from '@jest/globals';
import { engine } from '../../engine/engine.ts';
import { idFrom, readDefinition, smallest } from './new-flow.ts';

test.each([
  ['Dental practice: book', 'dental-practice:-book'],
  ['  Über Größe  ', 'uber-gro-e'],
  ['!!!', ''],
])('the id of %j', (name, id) => expect(idFrom(name)).toBe(id));

test('the smallest flow has no problem', () => expect(engine.check(smallest('Tea')).findings).toEqual([]));

test('a definition, or a file that carries one', () => {
  const definition = { name: 'Inner', nodes: [{ id: 'a' }] };
  expect(readDefinition(JSON.stringify(definition))).toEqual({ name: 'Inner', definition });
  expect(readDefinition(JSON.stringify({ name: 'Outer', definition }))).toEqual({
    name: 'Outer',
    definition,
  });
  expect(readDefinition('{')).toBe('This is not JSON.');
  expect(readDefinition('null')).toMatch(/^A definition has nodes/);
});
