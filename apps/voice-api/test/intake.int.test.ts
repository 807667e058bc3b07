// The intake of conversation events: over HTTP and the queue, repeated, out of order, concurrent,
// and invalid.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { contracts } from '@parley/jobs';
import { eventually } from '@parley/testing';
import {
  at,
  call,
  event,
  reaches,
  read,
  readTranscript,
  recordEverything,
  send,
  sentEvents,
  type WireEvent,
} from './events.ts';
import { enqueue as enqueueFor } from './reads/runtime-messages.ts';
import { startVoiceApi, type VoiceApi } from './service.ts';

jest.setTimeout(60_000);

let service: VoiceApi;
beforeAll(async () => {
  service = await startVoiceApi({ workers: true, env: { TRANSCRIPT_SETTLE: '0.5' } });
  await service.deps.sql(`UPDATE organizations SET alert_email = 'ops@acme.example' WHERE id = 'acme'`);
  await recordEverything(service);
});
afterAll(() => service.stop());

/** `body` may also be raw text. */
const post = (body: object | string) => service.api.post('/v1/conversations/events', body as object);

/** Acts as a media runtime in the cluster. */
async function enqueue(events: readonly object[], to: VoiceApi = service, organizationId = 'acme') {
  expect(await enqueueFor(events, to, organizationId)).toBe(true);
}

describe('the answer', () => {
  test('a repeated event does not recreate a deleted conversation', async () => {
    const [started, ...more] = call('gone');
    await send(service, [started!]);
    await service.deps.sql(`DELETE FROM conversations WHERE id = 'gone'`);
    expect(await send(service, [started!])).toMatchObject({ accepted: 0, duplicates: 1 });
    await service.api.get('/v1/conversations/gone').expect(404);
    expect(await send(service, [started!, more[0]!])).toMatchObject({ accepted: 1, duplicates: 1 });
    await service.api.get('/v1/conversations/gone').expect(200);
  });

  test('counts new and known events and names wrong ones', async () => {
    const events = call('answer');
    expect(await send(service, events.slice(0, 2))).toEqual({ accepted: 2, duplicates: 0, rejected: [] });
    const answer = await send(service, [
      events[1]!,
      { ...events[2], data: { text: 'no place' } },
      events[3]!,
      events[3]!,
      'not an event',
      { ...events[4], type: 'speech.maybe' },
      { ...events[4], surprise: true },
      { ...events[4], occurred_at: 'at noon' },
      { ...events[4], occurred_at: '2999-01-01T00:00:00Z' },
      event('conversation.error', 'answer', 9, { message: 'no code' }),
      event('conversation.started', 'answer', 9, { metadata: { k: 'x'.repeat(16 * 1024) } }),
      event('conversation.ended', 'answer', 9, { end_reason: 'boredom' }),
    ] as object[]);
    expect(answer).toMatchObject({
      accepted: 2,
      duplicates: 2,
      repeated: [0, 3],
      notices: [{ index: 11, code: 'END_REASON_MAPPED', message: expect.any(String) }],
    });
    expect(answer.rejected).toEqual([
      { index: 1, code: 'INVALID_REQUEST', message: expect.stringContaining('/data/turn_index') },
      { index: 4, code: 'INVALID_REQUEST', message: expect.any(String) },
      { index: 5, code: 'INVALID_REQUEST', message: expect.stringContaining('type') },
      { index: 6, code: 'INVALID_REQUEST', message: expect.stringContaining('surprise') },
      { index: 7, code: 'INVALID_REQUEST', message: expect.stringContaining('occurred_at') },
      { index: 8, code: 'INVALID_REQUEST', message: expect.stringContaining('ahead') },
      { index: 9, code: 'INVALID_REQUEST', message: expect.stringContaining('/data/code') },
      { index: 10, code: 'INVALID_REQUEST', message: expect.stringContaining('/data/metadata') },
    ]);
    expect(await read(service, 'answer')).toMatchObject({
      status: 'processing',
      end_reason: 'other',
      end_detail: 'boredom',
      turn_count: 1,
    });
  });

  test('metadata may be any object', async () => {
    const metadata = { customer: 1042, vip: true, order: { items: [{ sku: 'A-1', count: 2 }], note: null } };
    const later = { attempts: 3, long: 'x'.repeat(5_000) };
    const ended = event('conversation.ended', 'free', 6, { metadata: later });
    expect(await send(service, [event('conversation.started', 'free', 0, { metadata }), ended])).toEqual({
      accepted: 2,
      duplicates: 0,
      rejected: [],
    });
    expect(await read(service, 'free')).toMatchObject({ metadata: { ...metadata, ...later } });
    const listed = await service.api.get('/v1/conversations?metadata.customer=1042').expect(200);
    expect(listed.body).toMatchObject({ data: { items: [{ id: 'free' }] } });
  });

  test('reports every change of an event', async () => {
    const answer = await send(service, [
      event('conversation.started', 'told', 0, { metadata: { ' spaced ': ' kept ' } }),
      event('speech.final', 'told', 2, { turn_index: 0, text: ' as it is ', mood: 'good' }),
      event('speech.final', 'told', 2, {
        turn_index: 0,
        text: ' as it is ',
        metrics: { e2e_ms: 1, rtt_ms: 2 },
      }),
      event('system.message', 'told', 3, { turn_index: 1, text: 'recording began' }),
      event('conversation.ended', 'told', 6, { end_reason: 'assistant-said-end', end_detail: 'goodbye' }),
      event('conversation.ended', 'told', 9, { end_reason: 'silence' }),
      event('conversation.started', '..', 0),
      event('conversation.started', 'told', 0, {}, { id: '.' }),
      event('conversation.started', 'call/7', 0),
      event('conversation.started', 'told', 0, {}, { bot_id: '%2e%2e' }),
    ]);
    expect(answer).toMatchObject({
      accepted: 4,
      rejected: [
        { index: 1, message: '/data/mood is not a known member' },
        { index: 2, message: '/data/metrics/rtt_ms is not a known member' },
        { index: 6, message: expect.stringContaining('/conversation_id must be') },
        { index: 7, message: expect.stringContaining('/id must not be') },
        { index: 8, message: expect.stringContaining('/conversation_id must be') },
        { index: 9, message: expect.stringContaining('/bot_id must be') },
      ],
      notices: [
        { index: 4, code: 'END_REASON_MAPPED' },
        { index: 5, code: 'IGNORED' },
      ],
    });
    expect(await read(service, 'told')).toMatchObject({
      end_reason: 'other',
      end_detail: 'assistant-said-end: goodbye',
      metadata: { ' spaced ': ' kept ' },
      turn_count: 1,
    });
  });

  test('is the same for a bare list', async () => {
    const body = (await post(call('bare-list')).expect(200)).body as unknown;
    expect(body).toMatchObject({ success: true, data: { accepted: 6 } });
  });

  test('accepts times with any offset and fraction', async () => {
    await send(service, [
      event('conversation.started', 'offset', 0, {}, { occurred_at: '2026-01-15T17:30:00.5+05:30' }),
    ]);
    expect(await read(service, 'offset')).toMatchObject({ started_at: at(0.5) });
  });

  test('rejects only the event with a time before our calendar', async () => {
    const answer = await send(service, [
      event('conversation.started', 'ancient', 0, {}, { occurred_at: '0000-01-01T00:00:00Z' }),
      event('conversation.started', 'old', 0, {}, { occurred_at: '1999-12-31T23:59:59Z' }),
      event('conversation.started', 'ours', 0, {}, { occurred_at: '2000-01-01T00:00:00Z' }),
    ]);
    expect(answer).toMatchObject({
      accepted: 1,
      rejected: [
        { index: 0, message: expect.stringContaining('occurred_at') },
        { index: 1, message: expect.stringContaining('occurred_at') },
      ],
    });
  });

  test('rejects bodies that are not batches', async () => {
    for (const body of [{}, { events: [] }, { events: {} }, { events: [], more: 1 }, []])
      await post(body).expect(400);
    const many = Array.from({ length: 501 }, () => event('conversation.started', 'many', 0));
    await post({ events: many }).expect(400);
    await service.api.get('/v1/conversations/many').expect(404);
    const body = (await post({ organization_id: 'globex', events: call('x') }).expect(403)).body as unknown;
    expect(body).toMatchObject({ error: { code: 'ORGANIZATION_MISMATCH' } });
  });

  test('needs a credential and the scope write', async () => {
    await service
      .as('nonsense')
      .post('/v1/conversations/events', { events: call('x') })
      .expect(401);
    const reader = service.as(await service.issueKey('acme', ['read']));
    const body = (await reader.post('/v1/conversations/events', { events: call('x') }).expect(403))
      .body as unknown;
    expect(body).toMatchObject({ error: { code: 'INSUFFICIENT_SCOPE' } });
  });

  test('accepts 500 events in a request', async () => {
    const events = Array.from({ length: 500 }, (_, index) =>
      event('speech.final', `big-${index % 7}`, index, { turn_index: index, text: `turn ${index}` }),
    );
    expect(await send(service, events)).toEqual({ accepted: 500, duplicates: 0, rejected: [] });
    expect(await read(service, 'big-0')).toMatchObject({ status: 'initiated', turn_count: 72 });
  });
});

describe('emitted events', () => {
  test('have the documented data', async () => {
    await send(service, call('data'));
    await reaches(service, 'data', 'completed');
    const { sha256, revision } = await readTranscript(service, 'data');
    const base = { conversation_id: 'data', bot_id: 'bot_of_somebody', metadata: { customer: 'c-1' } };
    const times = { confidence: null, start_ms: null, end_ms: null };
    const sent = await sentEvents(service, 'data');
    expect(sent.map(({ event: type, timestamp, data }) => [type, timestamp, data])).toEqual([
      [
        'conversation.started',
        at(0),
        {
          ...base,
          sequence: 1,
          channel: 'phone',
          direction: 'inbound',
          from: '+15550100',
          to: '+15550199',
          language: 'en-US',
        },
      ],
      ['speech.interim', at(2), { ...base, sequence: 2, turn_index: 0, text: 'I would', ...times }],
      [
        'speech.final',
        at(3),
        {
          ...base,
          sequence: 3,
          turn_index: 0,
          text: 'I would like to book.',
          confidence: 0.93,
          start_ms: 1200,
          end_ms: 2900,
        },
      ],
      ['bot.message', at(4), { ...base, sequence: 4, turn_index: 1, text: 'For when?' }],
      ['speech.final', at(7), { ...base, sequence: 5, turn_index: 2, text: 'Tomorrow <noon>.', ...times }],
      [
        'conversation.ended',
        at(60),
        {
          ...base,
          sequence: 6,
          duration_seconds: 60,
          end_reason: 'user_hangup',
          transcript: [
            {
              index: 0,
              role: 'user',
              text: 'I would like to book.',
              start_ms: 1200,
              end_ms: 2900,
              interrupted: false,
            },
            { index: 1, role: 'bot', text: 'For when?', start_ms: 3400, end_ms: 4100, interrupted: false },
            {
              index: 2,
              role: 'user',
              text: 'Tomorrow <noon>.',
              start_ms: null,
              end_ms: null,
              interrupted: false,
            },
          ],
        },
      ],
      ['transcript.ready', expect.any(String), { ...base, sequence: 7, revision, sha256, turn_count: 3 }],
    ]);
  });

  test('carry the request that caused them, if any', async () => {
    const [started, ...rest] = call('traced');
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    await post({ events: [started] })
      .set('x-request-id', 'first')
      .set('traceparent', traceparent)
      .expect(200);
    await post({ events: rest }).set('x-request-id', 'second').expect(200);
    await reaches(service, 'traced', 'completed');
    const rows = await service.deps.sql<{ event: string; request_id: string | null; traceparent: string }>(
      `SELECT body::json ->> 'event' AS event, request_id, traceparent FROM webhook_events
       WHERE conversation_id = 'traced'`,
    );
    const requests = rows.map((row) => `${row.event} ${row.request_id}`);
    expect(requests.sort()).toEqual([
      'bot.message second',
      'conversation.ended second',
      'conversation.started first',
      'speech.final second',
      'speech.final second',
      'speech.interim second',
      'transcript.ready null',
    ]);
    expect(rows.find((row) => row.request_id === 'first')?.traceparent).toBe(traceparent);
  });

  test('omit interims that are older than the final of their turn', async () => {
    await send(service, [event('speech.final', 'late', 5, { turn_index: 0, text: 'all of it' })]);
    const late = [
      event('speech.interim', 'late', 4, { turn_index: 0, text: 'all' }),
      event('speech.interim', 'late', 6, { turn_index: 0, text: 'all of it and' }),
      event('speech.interim', 'late', 4, { turn_index: 1, text: 'another' }),
    ];
    expect(await send(service, late)).toMatchObject({ accepted: 3 });
    const told = await sentEvents(service, 'late');
    expect(told.map(({ data }) => data['text'])).toEqual(['all of it', 'another', 'all of it and']);
  });

  test('exclude repeated interims, even after their ids were deleted', async () => {
    const story = call('brief');
    await send(service, story);
    await reaches(service, 'brief', 'completed');
    const told = await sentEvents(service, 'brief');
    const kept = await service.deps.sql<{ type: string }>(
      `SELECT type FROM conversation_events WHERE conversation_id = 'brief'`,
    );
    const lasting = story.map(({ type }) => type).filter((type) => type !== 'speech.interim');
    expect(kept.map(({ type }) => type).sort()).toEqual(lasting.sort());
    await send(service, story);
    expect(await sentEvents(service, 'brief')).toEqual(told);
  });

  test('truncate a long transcript and say so', async () => {
    const turns = Array.from({ length: 201 }, (_, index) =>
      event('bot.message', 'long', index, { turn_index: index, text: `t${index}` }),
    );
    await send(service, [...turns, event('conversation.ended', 'long', 300)]);
    await reaches(service, 'long', 'completed');
    const ended = (await sentEvents(service, 'long')).find((one) => one.event === 'conversation.ended');
    expect(ended!.data).toMatchObject({ truncated: true });
    expect(ended!.data['transcript']).toHaveLength(200);
    expect((await readTranscript(service, 'long')).turns).toHaveLength(201);
  });

  test('include a fatal error, which alerts the organisation once', async () => {
    for (const id of ['alert-1', 'alert-2']) {
      const events = [
        event('conversation.started', id, 0),
        event('conversation.error', id, 3, { code: 'asr_down', message: 'no ears' }),
      ];
      await post({ events }).set('x-request-id', `of-${id}`).expect(200);
    }
    const sent = await eventually(async () => {
      const [one, two] = [await sentEvents(service, 'alert-1'), await sentEvents(service, 'alert-2')];
      return one.length > 1 && two.length > 1 && one;
    });
    expect(sent[1]).toMatchObject({
      event: 'conversation.error',
      data: { error: { code: 'asr_down', message: 'no ears', fatal: true } },
    });
    const notices = await service.deps.sql<{ payload: string; request_id: string }>(
      `SELECT payload, request_id FROM outbox WHERE contract = 'notification.send' AND payload LIKE '%asr_down%'`,
    );
    expect(notices.map(({ payload }) => JSON.parse(payload) as object)).toEqual([
      expect.objectContaining({
        channels: ['email'],
        target: { email: 'ops@acme.example' },
        message: expect.stringContaining('alert-1'),
      }),
    ]);
    expect(notices[0]!.request_id).toBe('of-alert-1');
  });

  test('are unaffected by an invalid event of the batch, and half a character is replaced', async () => {
    const said = (id: string, data: object) =>
      event('bot.message', 'judged', 1, { turn_index: made++, ...data }, { id });
    let made = 0;
    const nested = Array.from({ length: 70 }).reduce<unknown>((inner) => [inner], 1);
    const events = [
      said('good', { text: 'one' }),
      said('half', { text: 'cut \ud83d' }),
      said('nul', { text: 'a\0b' }),
      said('deep', { text: 'deep', words: [{ nested }] }),
      said('name', { text: 'name', metrics: { '\ud83d': 1 } }),
      ...Array.from({ length: 120 }, (_, index) => said(`half-${index}`, { text: '\udc00' })),
    ];
    const text = JSON.stringify({ events: [...events, said('big', { text: 'big', confidence: 12345 })] });
    const answer = await post(
      text.replace('12345', '9007199254740993').replace('"text":"one"', '"text":"no","text":"one"'),
    )
      .set('content-type', 'application/json')
      .expect(200);
    const { data } = answer.body as {
      data: { accepted: number; mended: number[]; rejected: { index: number }[] };
    };
    expect(data.accepted).toBe(121);
    expect(data.mended).toEqual([1, ...Array.from({ length: 120 }, (_, index) => index + 5)]);
    expect(data.rejected).toEqual([
      { index: 0, code: 'INVALID_REQUEST', message: '/data/text is there more than once' },
      {
        index: 2,
        code: 'INVALID_REQUEST',
        message: '/data/text contains a NUL character, which cannot be stored',
      },
      {
        index: 3,
        code: 'INVALID_REQUEST',
        message: expect.stringContaining('is nested deeper than 64 levels'),
      },
      {
        index: 4,
        code: 'INVALID_REQUEST',
        message: expect.stringContaining('half a surrogate pair in its name'),
      },
      { index: 125, code: 'INVALID_REQUEST', message: expect.stringContaining('is beyond ±(2^53 − 1)') },
    ]);
    const { turns } = await readTranscript(service, 'judged');
    expect(turns[0]).toMatchObject({ text: 'cut \ufffd' });
    await post('{"events":[],"events":[]}').set('content-type', 'application/json').expect(400);
  });

  test('roll back with their batch when deliveries cannot be written', async () => {
    await service.deps.sql('ALTER TABLE webhook_events RENAME TO webhook_events_away');
    try {
      await post({ events: call('atomic') }).expect(500);
    } finally {
      await service.deps.sql('ALTER TABLE webhook_events_away RENAME TO webhook_events');
    }
    await service.api.get('/v1/conversations/atomic').expect(404);
    expect(await send(service, call('atomic'))).toMatchObject({ accepted: 6 });
  });
});

describe('the queue', () => {
  test('applies events as HTTP does', async () => {
    await enqueue(call('queued'));
    const conversation = await reaches(service, 'queued', 'completed');
    expect(conversation).toMatchObject({ turn_count: 3, duration_seconds: 60, from: '+15550100' });
    expect((await sentEvents(service, 'queued')).map(({ data }) => data.sequence)).toEqual([
      1, 2, 3, 4, 5, 6, 7,
    ]);
  });

  test('applies messages of several organisations and rejects an invalid one', async () => {
    const other = { api: service.as(await service.issueKey('globex')) };
    await enqueue([event('speech.final', 'mixed', 1, { text: 'without a place' })]);
    await enqueue([
      event('bot.message', 'mixed', 2, { turn_index: 1, text: 'a \u0000 that cannot be stored' }),
    ]);
    await enqueue(call('mixed'));
    await enqueue(call('mixed'), service, 'globex');
    await reaches(service, 'mixed', 'completed');
    await reaches(other, 'mixed', 'completed');
    await eventually(() => service.log.text().includes('cannot be stored'));
    await eventually(async () => {
      const [stats] = await service.deps.queues.readStats([contracts['conversation.event'].queue]);
      return stats?.waiting === 0 && stats.active === 0 && stats.failed === 0;
    });
  });
});

describe('any way of arrival', () => {
  /** The service settles nothing before the test does: the last message may be seconds late. */
  let patient: VoiceApi;
  beforeAll(async () => {
    patient = await startVoiceApi({ workers: true, env: { TRANSCRIPT_SETTLE: '3600' } });
    await recordEverything(patient);
  });
  afterAll(() => patient.stop());

  /** Waits for the final state. Returns what the API shows, without arrival times. */
  async function finalState(id: string, events: number) {
    const { sql } = patient.deps;
    const taken = async () => {
      const rows = await sql('SELECT id FROM conversation_events WHERE conversation_id = $1', [id]);
      return rows.length === events;
    };
    await eventually(taken);
    await sql('UPDATE conversations SET due_at = now() WHERE id = $1', [id]);
    const settled = async () =>
      (await sql('SELECT id FROM conversations WHERE id = $1 AND settled_at IS NOT NULL', [id]))[0];
    await eventually(settled);
    const { created_at: _, updated_at: __, id: ___, ...conversation } = await read(patient, id);
    const { conversation_id: ____, ...transcript } = (await readTranscript(patient, id)) as Record<
      string,
      unknown
    >;
    return { conversation, transcript };
  }

  const rename = (events: readonly WireEvent[], id: string) =>
    events.map((one) => ({ ...one, id: `${id} ${one.id}`, conversation_id: id }));

  test.each([
    ['a completed call', 'completed', [...call('a'), event('transcript.ready', 'a', 61)]],
    [
      'a failed call with late events',
      'failed',
      [
        ...call('b').slice(0, 5),
        event('conversation.error', 'b', 30, { code: 'line_lost', message: 'gone' }),
        event('conversation.ended', 'b', 31),
        event('transcript.ready', 'b', 32),
      ],
    ],
    [
      'an unanswered call',
      'no_answer',
      [
        event('conversation.started', 'c', 0),
        event('conversation.ended', 'c', 20, { end_reason: 'no_answer' }),
        event('transcript.ready', 'c', 21),
      ],
    ],
  ])('%s gives the same result', async (name, status, stream) => {
    const ordered = rename(stream, `ordered ${name}`);
    for (const one of ordered) await send(patient, [one]);
    const expected = await finalState(`ordered ${name}`, stream.length);
    expect(expected.conversation).toMatchObject({ status });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(stream, { minLength: stream.length }),
        fc.array(fc.nat({ max: stream.length - 1 }), { maxLength: 5 }),
        fc.integer({ min: 1, max: stream.length }),
        fc.array(fc.boolean(), { minLength: stream.length, maxLength: stream.length }),
        async (shuffled, repeats, size, ways) => {
          run += 1;
          const id = `${name} ${run}`;
          const arriving = rename([...shuffled, ...repeats.map((index) => shuffled[index]!)], id);
          const batches: WireEvent[][] = [];
          for (let from = 0; from < arriving.length; from += size)
            batches.push(arriving.slice(from, from + size));
          await Promise.all(
            batches.map((batch, index) => (ways[index] ? enqueue(batch, patient) : send(patient, batch))),
          );
          expect(await finalState(id, stream.length)).toEqual(expected);
          const sent = await sentEvents(patient, id);
          expect(sent.map(({ data }) => data.sequence)).toEqual(sent.map((_, index) => index + 1));
          const endings = sent.filter(
            ({ event: type }) => type === 'conversation.ended' || type === 'conversation.error',
          );
          expect(endings).toHaveLength(1);
        },
      ),
      { numRuns: 8 },
    );
  });

  test('twenty concurrent clients with the same events give the same result', async () => {
    const streams = ['race-1', 'race-2', 'race-3'].map((id) => call(id));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        send(service, index % 2 ? streams.flat() : [...streams.flat()].reverse()),
      ),
    );
    expect(answers.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(18);
    for (const id of ['race-1', 'race-2', 'race-3']) {
      expect(await reaches(service, id, 'completed')).toMatchObject({ turn_count: 3 });
      expect((await sentEvents(service, id)).map(({ data }) => data.sequence)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    }
  });
});
