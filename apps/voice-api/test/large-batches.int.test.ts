// Batches applied by a thread have the same effect as small ones
// (docs/voice-api.md#conversation-events).
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { inTransaction } from '@parley/server/postgres';
import { eventually } from '@parley/testing';
import { createLargeBatches } from '../src/conversations/large-batches.ts';
import { event, readTranscript, recordEverything, send, sentEvents } from './events.ts';
import { startVoiceApi, type VoiceApi } from './service.ts';

jest.setTimeout(60_000);

let service: VoiceApi;
beforeAll(async () => {
  service = await startVoiceApi({ workers: true, env: { TRANSCRIPT_SETTLE: '0.5' } });
  await service.deps.sql(`UPDATE organizations SET alert_email = 'ops@acme.example' WHERE id = 'acme'`);
  await recordEverything(service);
});
afterAll(() => service.stop());

const TURNS = 40;
const long = 'word '.repeat(3_000);
/** 600 kB. */
const large = (conversation: string) =>
  Array.from({ length: TURNS }, (_, turn) =>
    event('bot.message', conversation, turn, { turn_index: turn, text: `${turn} ${long}` }),
  );
const post = (body: object | string) =>
  service.api.post('/v1/conversations/events', body as object).set('content-type', 'application/json');
const connections = async () => {
  const [row] = await service.deps.sql<{ count: number }>(
    `SELECT count(*)::int FROM pg_stat_activity WHERE application_name = 'voice-api large batches' AND datname = current_database()`,
  );
  return row!.count;
};

test('a large batch is applied by a thread, a small one is not', async () => {
  await send(service, [event('bot.message', 'small', 0, { turn_index: 0, text: 'short' })]);
  expect(await connections()).toBe(0);
  await send(service, large('first'));
  expect(await connections()).toBe(1);
});

test('the answer names wrong, known, mended and noted events', async () => {
  const events = [
    ...large('answered'),
    { ...event('bot.message', 'answered', 50, { turn_index: 50, text: 'no' }), surprise: true },
    event('bot.message', 'answered', 51, { turn_index: 51, text: 'half a character \ud83d' }),
    event('conversation.ended', 'answered', 52, { end_reason: 'somehow' }),
  ];
  const answer = await send(service, [...events, events[0]!]);
  expect(answer).toEqual({
    accepted: TURNS + 2,
    duplicates: 1,
    repeated: [TURNS + 3],
    rejected: [{ index: TURNS, code: 'INVALID_REQUEST', message: '/surprise is not a known member' }],
    mended: [TURNS + 1],
    notices: [expect.objectContaining({ index: TURNS + 2, code: 'END_REASON_MAPPED' })],
  });
  const { turns } = await readTranscript(service, 'answered');
  expect(turns.at(-1)).toMatchObject({ text: 'half a character \ufffd' });
  const { text } = await service.as('').get('/metrics').expect(200);
  expect(text).toMatch(/conversation_events_total\{[^}]*outcome="duplicate"[^}]*\} 1/);
});

test('it notifies webhooks and alerts with the ids of its request', async () => {
  const events = [
    ...large('told'),
    event('conversation.error', 'told', 60, { code: 'asr_down', message: 'no ears' }),
  ];
  await post({ events }).set('x-request-id', 'of-told').expect(200);
  const sent = await eventually(async () => {
    const all = await sentEvents(service, 'told');
    return all.length > TURNS && all;
  });
  expect(sent.map((one) => one.event)).toContain('conversation.error');
  const [notice] = await service.deps.sql<{ request_id: string }>(
    `SELECT request_id FROM outbox WHERE contract = 'notification.send' AND payload LIKE '%asr_down%'`,
  );
  expect(notice).toEqual({ request_id: 'of-told' });
});

test('an invalid body is rejected like a small one', async () => {
  const text = JSON.stringify({ events: large('refused') });
  await post(text.slice(0, -1)).expect(400);
  await post(`{"organization_id":"other",${text.slice(1)}`).expect(403);
  await post(`{"organization_id":"acme",${text.slice(1)}`).expect(200);
  await post(JSON.stringify({ events: 'x'.repeat(400_000) })).expect(400);
  await post(text).set('content-type', 'text/plain').expect(415);
  const reader = await service.issueKey('acme', ['read']);
  await service
    .as(reader)
    .post('/v1/conversations/events', JSON.parse(text) as object)
    .expect(403);
});

test('it rolls back when its deliveries cannot be written', async () => {
  const events = large('atomic');
  await service.deps.sql('ALTER TABLE webhook_events RENAME TO webhook_events_away');
  try {
    await post({ events }).expect(500);
  } finally {
    await service.deps.sql('ALTER TABLE webhook_events_away RENAME TO webhook_events');
  }
  await service.api.get('/v1/conversations/atomic').expect(404);
  expect(await send(service, events)).toMatchObject({ accepted: TURNS });
});

test('several batches of several organisations are applied', async () => {
  const others = await Promise.all(['a', 'b'].map((id) => service.issueKey(id)));
  const answers = await Promise.all(
    [service.key, ...others].flatMap((key, place) =>
      ['x', 'y', 'z'].map((name) =>
        service
          .as(key)
          .post('/v1/conversations/events', { events: large(`${name}-${place}`) })
          .expect(200),
      ),
    ),
  );
  for (const { body } of answers)
    expect((body as { data: object }).data).toMatchObject({ accepted: TURNS, duplicates: 0 });
});

test('a batch that the database blocks ends in time, can be repeated and does not block the next', async () => {
  const batches = createLargeBatches(service.deps, 3_000);
  const caller = {
    organizationId: 'acme',
    kind: 'api_key',
    principal: 'key_1',
    scopes: new Set<never>(),
  } as const;
  const request = { requestId: 'held-up', traceparent: '' };
  const take = (conversation: string) => {
    const bytes = Uint8Array.from(Buffer.from(JSON.stringify({ events: large(conversation) })));
    return batches.accept({
      caller,
      request,
      body: { bytes, headers: { 'content-type': 'application/json' } },
    });
  };
  try {
    await inTransaction(service.deps.pool, async (sql) => {
      await sql('LOCK TABLE turns');
      await expect(take('held-up')).rejects.toMatchObject({
        code: 'unavailable',
        headers: { 'retry-after': '2' },
      });
    });
    await expect(take('after')).resolves.toMatchObject({ accepted: TURNS });
  } finally {
    await batches.close();
  }
});
