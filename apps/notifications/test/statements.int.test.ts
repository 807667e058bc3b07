// Every statement fits the migrated tables, and the row type that its caller declares.
import { fileURLToPath } from 'node:url';
import { expect, jest, test } from '@jest/globals';
import { createTestDatabase } from '@parley/testing';
import { checkStatements } from '@parley/testing/statements';

const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');
/** It makes the types of the whole app, which takes a busy machine minutes. */
jest.setTimeout(600_000);

/** Statements whose text is put together at run time. Make fewer of them, not more. */
const UNREAD_MAX = 28;

test('every statement has the columns and parameters that its caller declares', async () => {
  const database = await createTestDatabase('notifications');
  const folders = ['apps/notifications', 'libs']; // its database has every shared table
  const { unread, problems } = await checkStatements(root, 'apps/notifications', folders, database.url);
  await database.drop();
  expect(problems).toEqual([]);
  expect(unread.slice(UNREAD_MAX)).toEqual([]);
});
