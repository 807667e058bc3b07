// Retention with the clock moved, and legal holds (docs/voice-api.md#retention).
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { sweepRetention } from '../../src/conversations/changes/sweep-retention.ts';
import { buildDocuments } from '../../src/conversations/search-documents.ts';
import { settleDue } from '../../src/conversations/settle-due.ts';
import { runExports } from '../../src/exports/run-exports.ts';
import { at, call, event, send, type WireEvent } from '../events.ts';
import { startVoiceApi, type VoiceApi } from '../service.ts';
import { dataOf, LOOPBACK } from '../webhooks.ts';

jest.setTimeout(120_000);

const DAY_MS = 86_400_000;
/** Conversations of this test begin here. */
const BEGIN_MS = Date.now() - 180_000;

let service: VoiceApi;
beforeAll(async () => {
  service = await startVoiceApi({ env: LOOPBACK });
});
afterAll(() => service.stop());

const now = (events: readonly WireEvent[]): WireEvent[] =>
  events.map((one) => ({
    ...one,
    occurred_at: new Date(Date.parse(one.occurred_at) - Date.parse(at(0)) + BEGIN_MS).toISOString(),
  }));
async function converse(id: string, botId: string) {
  const ready = event(
    'transcript.ready',
    id,
    61,
    { recording_url: 'https://files.example/r.wav' },
    { bot_id: botId },
  );
  await send(service, now([...call(id, botId), ready]));
  await settleDue({ ...service.deps, clock: () => Date.now() + 60_000 });
  await buildDocuments(service.deps);
  const changes = { summary: 'Wants to book.', analysis: { mood: 'fine' }, tags: ['kept'] };
  await service.api.patch(`/v1/conversations/${id}`, changes).expect(200);
}
const sweepAfter = (days: number) =>
  sweepRetention({ ...service.deps, clock: () => BEGIN_MS + days * DAY_MS + 1_000 });
const read = async (id: string) =>
  dataOf<Record<string, unknown>>(await service.api.get(`/v1/conversations/${id}`).expect(200));
const transcriptOf = async (id: string) =>
  dataOf<{ turns: object[] }>(await service.api.get(`/v1/conversations/${id}/transcript`).expect(200));
const createBot = async () => dataOf<{ id: string }>(await service.api.post('/v1/bots', { name: 'Ada' })).id;
const setRules = (rules: object, bot = '') => service.api.put(`/v1${bot && `/bots/${bot}`}/retention`, rules);

test('rules of the bot win over those of the organisation, which win over the installation’s', async () => {
  const bot = await createBot();
  const none = dataOf(await service.api.get('/v1/retention').expect(200));
  expect(none).toMatchObject({
    bot_id: null,
    effective: {
      transcript: { days: null, set_by: 'installation' },
      delivery_bodies: { days: 30, set_by: 'installation' },
    },
    updated_at: null,
  });
  const week = { days: 7, reason: 'Privacy notice, section 4' };
  await setRules({ transcript: week, recording: week }).expect(200);
  await setRules({ recording: { days: null, reason: 'Training' } }, bot).expect(200);
  expect(dataOf(await service.api.get(`/v1/bots/${bot}/retention`).expect(200))).toMatchObject({
    bot_id: bot,
    recording: { days: null, reason: 'Training' },
    effective: {
      transcript: { ...week, set_by: 'organization' },
      recording: { days: null, reason: 'Training', set_by: 'bot' },
      raw_reports: { days: null, set_by: 'installation' },
    },
  });
  await setRules({ transcript: { days: 0, reason: 'x' } }).expect(400);
  await setRules({ transcript: { days: 7 } }).expect(400);
  await setRules({ delivery_bodies: { days: 31, reason: 'x' } }).expect(400);
  await setRules({}, 'bot_unknown').expect(404);
  const reader = service.as(await service.issueKey('acme', ['read']));
  await reader.get('/v1/retention').expect(200);
  await reader.put('/v1/retention', {}).expect(403);
  await setRules({}).expect(200);
});

test('each part is removed when its days are over, and says so', async () => {
  const bot = await createBot();
  await service.api.post('/v1/webhooks', { url: 'https://8.8.8.8/hook', events: ['*'] }).expect(201);
  await converse('aged', bot);
  await setRules(
    {
      transcript: { days: 10, reason: 'Notice' },
      recording: { days: 20, reason: 'Storage' },
      delivery_bodies: { days: 5, reason: 'Log' },
    },
    bot,
  ).expect(200);

  await sweepAfter(4);
  expect(await read('aged')).not.toHaveProperty('removed');
  // Its deliveries are not finished.
  await sweepAfter(5.5);
  expect(await read('aged')).not.toHaveProperty('removed');
  await service.deps.sql(
    `UPDATE webhook_deliveries SET finished_at = now(), status = 'delivered', answer = 'thanks, Jane' WHERE finished_at IS NULL`,
  );
  await sweepAfter(6);
  expect(await service.deps.sql(`SELECT 1 FROM webhook_deliveries WHERE answer IS NOT NULL`)).toEqual([]);
  expect(await read('aged')).toMatchObject({ removed: { delivery_bodies: { reason: 'Log' } } });
  const feed = dataOf<{ items: object[] }>(await service.api.get('/v1/events').expect(200));
  expect(JSON.stringify(feed)).not.toContain('I would like to book');
  expect((await transcriptOf('aged')).turns).toHaveLength(3);

  await sweepAfter(11);
  const view = await read('aged');
  expect(view).toMatchObject({
    turn_count: 3,
    tags: ['kept'],
    recording_url: 'https://files.example/r.wav',
    removed: { transcript: { at: new Date(BEGIN_MS + 11 * DAY_MS + 1_000).toISOString(), reason: 'Notice' } },
  });
  expect(view).not.toHaveProperty('summary');
  expect(view).not.toHaveProperty('analysis');
  expect(await transcriptOf('aged')).toMatchObject({ turns: [], removed: { reason: 'Notice' } });
  const searched = await service.api.get('/v1/conversations?q=book').expect(200);
  expect(JSON.stringify(searched.body)).not.toContain('aged');

  // What arrives late does not come back.
  const late = event('speech.final', 'aged', 9, { turn_index: 3, text: 'And one more.' });
  expect(await send(service, now([late]))).toMatchObject({ accepted: 1 });
  expect((await transcriptOf('aged')).turns).toEqual([]);

  await sweepAfter(21);
  const last = await read('aged');
  expect(last).toMatchObject({ removed: { recording: { reason: 'Storage' } } });
  expect(last).not.toHaveProperty('recording_url');
  const left = await service.deps.sql(
    `SELECT 1 FROM conversation_events WHERE conversation_id = 'aged' AND data::text LIKE '%files.example%'
     UNION ALL SELECT 1 FROM conversations WHERE id = 'aged' AND facts::text LIKE '%files.example%'
     UNION ALL SELECT 1 FROM search_documents WHERE conversation_id = 'aged'`,
  );
  expect(left).toEqual([]);
  expect(await sweepAfter(22)).toBe(0);
});

test('the installation’s days hold where nobody set a rule', async () => {
  await converse('installed', await createBot());
  const deps = { ...service.deps, config: { ...service.deps.config, RETENTION_DAYS: 40 } };
  await sweepRetention({ ...deps, clock: () => BEGIN_MS + 39 * DAY_MS });
  expect((await transcriptOf('installed')).turns).toHaveLength(3);
  await sweepRetention({ ...deps, clock: () => BEGIN_MS + 41 * DAY_MS });
  expect(await read('installed')).toMatchObject({ removed: { transcript: {}, recording: {} } });
});

test('a call that is imported late is found', async () => {
  const bot = await createBot();
  await setRules({ transcript: { days: 100, reason: 'Notice' } }, bot).expect(200);
  await sweepAfter(101);
  await converse('imported-late', bot);
  await sweepAfter(102);
  expect(await read('imported-late')).toMatchObject({ removed: { transcript: {} } });
});

test('a held conversation is neither removed nor deleted, and a caller with one gets no certificate', async () => {
  const bot = await createBot();
  await converse('held', bot);
  await setRules({ transcript: { days: 200, reason: 'Notice' } }, bot).expect(200);
  const held = await service.api
    .put('/v1/conversations/held/hold', { reason: 'Case 12 O 34/26' })
    .expect(200);
  expect(dataOf(held)).toMatchObject({ hold: { reason: 'Case 12 O 34/26', by: expect.any(String) } });
  await sweepAfter(201);
  expect((await transcriptOf('held')).turns).toHaveLength(3);

  const refused = await service.api.delete('/v1/conversations/held').expect(409);
  expect(refused.body).toMatchObject({
    error: { code: 'CONFLICT', message: expect.stringContaining('Case 12 O 34/26') },
  });
  await service.api.delete(`/v1/bots/${bot}?purge=true`).expect(409);
  const filter = { bot_id: bot };
  const dry = await service.api.post('/v1/conversations/bulk-delete', { filter, dry_run: true }).expect(200);
  expect(dry.body).toMatchObject({ data: { matched: 1, held: 1 } });
  const bulk = await service.api.post('/v1/conversations/bulk-delete', { filter }).expect(200);
  expect(bulk.body).toMatchObject({ data: { matched: 0, held: 1, next_cursor: null } });
  const caller = await service.api.delete('/v1/callers/tel:%2B15550100').expect(200);
  expect(caller.body).toMatchObject({ data: { complete: false, held: 1, certificate: null } });
  await read('held');

  await service.api.delete('/v1/conversations/held/hold').expect(200);
  await sweepAfter(202);
  expect(await transcriptOf('held')).toMatchObject({ turns: [], removed: { reason: 'Notice' } });
  await service.api.delete('/v1/conversations/held').expect(200);
  const entries = await service.deps.sql<{ action: string; details: object }>(
    `SELECT action, details FROM audit_log WHERE target = 'held' ORDER BY id`,
  );
  expect(entries.map(({ action }) => action)).toEqual([
    'conversation.held',
    'conversation.released',
    'conversation.deleted',
  ]);
  await service.api.put('/v1/conversations/unknown/hold', { reason: 'x' }).expect(404);
});

test('an export leaves out what is due before it expires', async () => {
  const bot = await createBot();
  await converse('exported', bot);
  const lines = async () => {
    const { id } = dataOf<{ id: string }>(
      await service.api.post('/v1/exports', { filter: { bot_id: bot } }).expect(201),
    );
    await runExports(service.deps);
    const part = await service.api.get(`/v1/exports/${id}/parts/1`).expect(200);
    return JSON.parse(part.text) as Record<string, unknown>;
  };
  expect((await lines())['transcript']).toHaveLength(3);
  await setRules({ transcript: { days: 1, reason: 'Notice' } }, bot).expect(200);
  expect(await lines()).toMatchObject({ transcript: null, removed: { transcript: { reason: 'Notice' } } });
});
