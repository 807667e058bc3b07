import { afterEach, expect, test } from '@jest/globals';
import { listViews, saveView } from './saved-views.ts';

afterEach(() => localStorage.clear());

const view = (name: string, path = '/webhooks') => ({ path, name, search: { q: name } });
const names = (organization: string, path = '/webhooks') =>
  listViews(organization, path).map(({ name }) => name);

test('views belong to a list of an organisation', () => {
  saveView('org_1', view('a'));
  saveView('org_1', view('b', '/keys'));
  expect(names('org_1')).toEqual(['a']);
  expect(names('org_1', '/keys')).toEqual(['b']);
  expect(names('org_2')).toEqual([]);
});

test('a view replaces the one of its name, and the oldest goes when there are too many', () => {
  saveView('org_1', view('kept', '/keys'));
  for (let i = 0; i < 21; i++) saveView('org_1', view(`v${i}`));
  expect(names('org_1')).toHaveLength(20);
  expect(names('org_1')[0]).toBe('v1');
  saveView('org_1', { ...view('v5'), search: { q: 'new' } });
  expect(names('org_1')).toHaveLength(20);
  expect(listViews('org_1', '/webhooks').at(-1)).toEqual({ ...view('v5'), search: { q: 'new' } });
  expect(names('org_1', '/keys')).toEqual(['kept']);
});

test('storage that somebody else wrote counts as empty', () => {
  localStorage.setItem('parley-views:org_1', '{"no":"list"}');
  expect(names('org_1')).toEqual([]);
  localStorage.setItem('parley-views:org_1', 'not json');
  expect(names('org_1')).toEqual([]);
});
