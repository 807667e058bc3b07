// What a restore brings back is revoked and erased again from the journal
// (docs/recovery.md#the-journal). The restore is one of the rows that it is about.
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { loadJournal, locateJournal, readEntries } from '@parley/platform/journal';
import { eventually } from '@parley/testing';
import { startVoiceApi, type VoiceApi } from './service.ts';
import { dataOf } from './webhooks.ts';

jest.setTimeout(120_000);

const journals = mkdtempSync(join(tmpdir(), 'parley-journal-'));
const folder = locateJournal(journals, 'voice-api');
let service: VoiceApi;
beforeAll(async () => {
  service = await startVoiceApi({ workers: true, env: { JOURNAL_DIR: journals } });
});
afterAll(async () => {
  await service.stop();
  await rm(journals, { recursive: true });
});

const readyStatus = async () => (await fetch(`${service.server.url}/ready`)).status;
const readJournal = async () => {
  const entries = [];
  for await (const some of readEntries(folder)) entries.push(...some);
  return entries;
};
const report = (id: string) =>
  service.api
    .post('/v1/conversations/events', {
      events: [
        {
          id: `${id}-0`,
          type: 'conversation.started',
          conversation_id: id,
          occurred_at: '2026-11-20T18:00:00Z',
          data: { channel: 'phone' },
        },
      ],
    })
    .expect(200);

test('a revoked key, an ended token and an erased conversation stay so after a restore', async () => {
  const { sql } = service.deps;
  await eventually(async () => (await readyStatus()) === 200);
  const issued = await service.api.post('/v1/api-keys', { name: 'leaked', scopes: ['read'] }).expect(201);
  const leaked = dataOf<{ id: string; key: string }>(issued);
  const token = dataOf<{ id: string }>(
    await service.api.post('/v1/import-tokens', { name: 'old', source: 'vapi' }).expect(201),
  );
  await report('kept');
  await report('gone');

  await service.api.delete(`/v1/api-keys/${leaked.id}`).expect(200);
  await service.api.delete(`/v1/import-tokens/${token.id}`).expect(200);
  await service.api.delete('/v1/conversations/gone').expect(200);
  await eventually(async () => (await readJournal()).length === 3);
  const journal = await readJournal();
  expect(journal.map(({ kind, organization_id: organization }) => [kind, organization])).toEqual([
    ['key_ended', 'acme'],
    ['import_token_revoked', 'acme'],
    ['conversation_erased', 'acme'],
  ]);
  expect(journal.map(({ subject }) => subject)).toEqual([
    leaked.id,
    token.id,
    expect.stringMatching(/^[0-9a-f]{64}$/),
  ]);

  await sql('UPDATE api_keys SET revoked_at = NULL WHERE id = $1', [leaked.id]);
  await sql('UPDATE import_tokens SET revoked_at = NULL WHERE id = $1', [token.id]);
  await sql('DELETE FROM deleted_conversations');
  await report('gone');
  await sql('DELETE FROM journal_entries');
  await eventually(async () => (await readyStatus()) === 503);
  const health = await fetch(`${service.server.url}/health`);
  expect(await health.json()).toMatchObject({ store: { ready: false, journal_ahead: true } });
  expect(service.log.text()).toContain('run parley replay-journal');
  await service.as(leaked.key).get('/v1/conversations/gone').expect(200);

  expect(await loadJournal(sql, folder, undefined)).toBe(3);
  await eventually(async () => (await readyStatus()) === 200);
  await eventually(async () => (await service.as(leaked.key).get('/v1/conversations')).status === 401);
  await service.api.get('/v1/conversations/gone').expect(404);
  await service.api.get('/v1/conversations/kept').expect(200);
  const [row] = await sql<{ at: Date | null }>('SELECT revoked_at AS at FROM import_tokens WHERE id = $1', [
    token.id,
  ]);
  expect(row!.at).not.toBeNull();
  expect(await loadJournal(sql, folder, undefined)).toBe(0);
});

test('an entry of a kind that this release lacks keeps the service unready, and says so', async () => {
  const { sql } = service.deps;
  await sql(
    `INSERT INTO journal_entries (id, at, kind, organization_id, subject, detail, flushed_at, replaying)
     VALUES ('jrn_new', now(), 'of_tomorrow', 'acme', 'x', '{}', now(), true)`,
  );
  await eventually(async () => (await readyStatus()) === 503);
  await eventually(() => service.log.text().includes('of_tomorrow'));
  await sql("DELETE FROM journal_entries WHERE id = 'jrn_new'");
  await eventually(async () => (await readyStatus()) === 200);
});
