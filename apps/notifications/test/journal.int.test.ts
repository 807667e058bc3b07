// What a restore brings back is suppressed, switched off and erased again from the journal
// (docs/recovery.md#the-journal). The restore is one of the rows that it is about.
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { loadJournal, locateJournal, readEntries, type JournalEntry } from '@parley/platform/journal';
import { eventually } from '@parley/testing';
import { addSuppressions, findSuppressed } from '../src/people/suppression.ts';
import { startNotifications, type NotificationsUnderTest } from './service.ts';

const journals = mkdtempSync(join(tmpdir(), 'parley-journal-'));
const folder = locateJournal(journals, 'notifications');
const ANN = 'ann@customer.example';
const BOB = 'bob@customer.example';
let service: NotificationsUnderTest;
beforeAll(async () => {
  service = await startNotifications({ worker: true, env: { JOURNAL_DIR: journals } });
});
afterAll(async () => {
  await service.stop();
  await rm(journals, { recursive: true });
});

const readyStatus = async () => (await fetch(`${service.server.url}/ready`)).status;
const readJournal = async () => {
  const entries: JournalEntry[] = [];
  for await (const some of readEntries(folder)) entries.push(...some);
  return entries;
};

test('suppressions, unsubscribes and erasures stay so after a restore', async () => {
  const { deps } = service;
  const { sql } = deps;
  const api = service.as(await service.issueKey('acme'));
  await api.put('/v1/categories/news', { name: 'News' }).expect(201);
  for (const [user, email] of Object.entries({ ann: ANN, bob: BOB, eve: 'eve@customer.example' }))
    await api.put(`/v1/recipients/${user}`, { email }).expect(201);
  const suppress = (address: string) =>
    addSuppressions(deps, sql, 'acme', [
      { address, reason: 'unsubscribe', source: 'link', detail: 'news', notificationId: null },
    ]);
  await suppress(BOB);
  await sql('DELETE FROM suppressions');
  await suppress(ANN);
  const off = { categories: { news: { email: false } } };
  await api.put('/v1/preferences?user_id=ann', off).expect(200);
  await api.delete('/v1/recipients/eve').expect(204);

  await eventually(async () => (await readJournal()).length === 5);
  const journal = await readJournal();
  expect(journal.map(({ kind }) => kind)).toEqual([
    'address_suppressed',
    'suppression_removed',
    'address_suppressed',
    'preferences_changed',
    'recipient_erased',
  ]);
  expect(JSON.stringify(journal)).not.toContain('customer.example');

  await api.put('/v1/recipients/eve', { email: 'eve@customer.example' }).expect(201);
  await sql("UPDATE recipients SET switched_off = '{}'");
  await sql('DELETE FROM suppressions');
  await suppress(BOB);
  await sql('DELETE FROM journal_entries');
  await eventually(async () => (await readyStatus()) === 503);

  expect(await loadJournal(sql, folder, undefined)).toBe(5);
  await eventually(async () => (await readyStatus()) === 200);
  expect([...(await findSuppressed(sql, 'acme', [ANN, BOB])).keys()]).toEqual([ANN]);
  await api.get('/v1/recipients/eve').expect(404);
  const preferences = await api.get('/v1/preferences?user_id=ann').expect(200);
  expect(JSON.stringify(preferences.body)).toContain('"email":false');
});
