// Unsaved drafts outlive the tab.
import 'fake-indexeddb/auto';
import { expect, test } from '@jest/globals';
import { forgetDraft, keepDraft, leaveDraft, listDrafts, readDraft } from './drafts.ts';

const acme = 'acme';
const tea = { flowId: 'tea', definition: { nodes: [{ id: 'a' }] }, baseVersion: 3, changedAt: 5 };

test('a draft that a closing page left is found when drafts are opened', async () => {
  leaveDraft(acme, { ...tea, flowId: 'left' });
  expect(await readDraft(acme, 'left')).toEqual({ ...tea, flowId: 'left' });
  expect(localStorage).toHaveLength(0);
  await forgetDraft(acme, 'left');
});

test('storing or deleting a draft removes the copy of the closing page', async () => {
  leaveDraft(acme, tea);
  await keepDraft(acme, tea);
  expect(localStorage).toHaveLength(0);
  leaveDraft(acme, tea);
  await forgetDraft(acme, 'tea');
  expect(localStorage).toHaveLength(0);
});

test('stores, finds and deletes a draft', async () => {
  await keepDraft(acme, tea);
  await keepDraft(acme, { ...tea, baseVersion: 4 });
  expect(await readDraft(acme, 'tea')).toEqual({ ...tea, baseVersion: 4 });
  expect(await listDrafts(acme)).toHaveLength(1);
  await forgetDraft(acme, 'tea');
  expect(await readDraft(acme, 'tea')).toBeUndefined();
});

test('separates the drafts of organisations, even for one flow id', async () => {
  leaveDraft('globex', { ...tea, baseVersion: 9 });
  await keepDraft(acme, tea);
  expect(await readDraft(acme, 'tea')).toEqual(tea);
  expect(await readDraft('globex', 'tea')).toEqual({ ...tea, baseVersion: 9 });
  await forgetDraft('globex', 'tea');
  expect(await listDrafts('globex')).toEqual([]);
  expect(await listDrafts(acme)).toEqual([tea]);
  await forgetDraft(acme, 'tea');
});
