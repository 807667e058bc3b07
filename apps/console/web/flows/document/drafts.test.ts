// What is not saved outlives the tab.
import 'fake-indexeddb/auto';
import { expect, test } from '@jest/globals';
import { forgetDraft, keepDraft, leaveDraft, listDrafts, readDraft } from './drafts.ts';

const tea = { flowId: 'tea', definition: { nodes: [{ id: 'a' }] }, baseVersion: 3, changedAt: 5 };

test('what a page left in its last moment is a draft for who opens them next', async () => {
  leaveDraft({ ...tea, flowId: 'left' });
  expect(await readDraft('left')).toEqual({ ...tea, flowId: 'left' });
  expect(localStorage).toHaveLength(0);
  await forgetDraft('left');
});

test('what was left is no longer when it is kept or forgotten', async () => {
  leaveDraft(tea);
  await keepDraft(tea);
  expect(localStorage).toHaveLength(0);
  leaveDraft(tea);
  await forgetDraft('tea');
  expect(localStorage).toHaveLength(0);
});

test('a draft is kept, found and forgotten', async () => {
  await keepDraft(tea);
  await keepDraft({ ...tea, baseVersion: 4 });
  expect(await readDraft('tea')).toEqual({ ...tea, baseVersion: 4 });
  expect(await listDrafts()).toHaveLength(1);
  await forgetDraft('tea');
  expect(await readDraft('tea')).toBeUndefined();
});
