// What is not saved outlives the tab.
import 'fake-indexeddb/auto';
import { expect, test } from '@jest/globals';
import { forgetDraft, keepDraft, leaveDraft, listDrafts, readDraft } from './drafts.ts';

const acme = 'acme';
const tea = { flowId: 'tea', definition: { nodes: [{ id: 'a' }] }, baseVersion: 3, changedAt: 5 };

test('what a page left in its last moment is a draft for who opens them next', async () => {
  leaveDraft(acme, { ...tea, flowId: 'left' });
  expect(await readDraft(acme, 'left')).toEqual({ ...tea, flowId: 'left' });
  expect(localStorage).toHaveLength(0);
  await forgetDraft(acme, 'left');
});

test('what was left is no longer when it is kept or forgotten', async () => {
  leaveDraft(acme, tea);
  await keepDraft(acme, tea);
  expect(localStorage).toHaveLength(0);
  leaveDraft(acme, tea);
  await forgetDraft(acme, 'tea');
  expect(localStorage).toHaveLength(0);
});

test('a draft is kept, found and forgotten', async () => {
  await keepDraft(acme, tea);
  await keepDraft(acme, { ...tea, baseVersion: 4 });
  expect(await readDraft(acme, 'tea')).toEqual({ ...tea, baseVersion: 4 });
  expect(await listDrafts(acme)).toHaveLength(1);
  await forgetDraft(acme, 'tea');
  expect(await readDraft(acme, 'tea')).toBeUndefined();
});

test('of two organisations each has its own, also of a flow of the same name', async () => {
  leaveDraft('globex', { ...tea, baseVersion: 9 });
  await keepDraft(acme, tea);
  expect(await readDraft(acme, 'tea')).toEqual(tea);
  expect(await readDraft('globex', 'tea')).toEqual({ ...tea, baseVersion: 9 });
  await forgetDraft('globex', 'tea');
  expect(await listDrafts('globex')).toEqual([]);
  expect(await listDrafts(acme)).toEqual([tea]);
  await forgetDraft(acme, 'tea');
});
