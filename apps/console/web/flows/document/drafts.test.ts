// What is not saved outlives the tab.
import 'fake-indexeddb/auto';
import { expect, test } from '@jest/globals';
import { forgetDraft, keepDraft, listDrafts, readDraft } from './drafts.ts';

test('a draft is kept, found and forgotten', async () => {
  const draft = { flowId: 'tea', definition: { nodes: [{ id: 'a' }] }, baseVersion: 3, changedAt: 5 };
  await keepDraft(draft);
  await keepDraft({ ...draft, baseVersion: 4 });
  expect(await readDraft('tea')).toEqual({ ...draft, baseVersion: 4 });
  expect(await listDrafts()).toHaveLength(1);
  await forgetDraft('tea');
  expect(await readDraft('tea')).toBeUndefined();
});
