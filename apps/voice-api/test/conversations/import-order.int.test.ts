// Reports of one call: any order of arrival gives the same conversation, figures follow, and stored
// reports can be applied again (docs/voice-api.md#imports).
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { foldFacts } from '../../src/analytics/fold-facts.ts';
import { settleDue } from '../../src/conversations/settle-due.ts';
import { read, readTranscript } from '../events.ts';
import { startVoiceApi, type VoiceApi } from '../service.ts';
import { dataOf } from '../webhooks.ts';

let service: VoiceApi;
beforeAll(async () => {
  service = await startVoiceApi();
});
afterAll(() => service.stop());

const settleAll = async () => {
  while ((await settleDue({ ...service.deps, clock: () => Date.now() + 60_000 })) > 0);
};
const post = async (source: string, body: object) =>
  dataOf<Record<string, unknown>>(
    await service.api.post(`/v1/conversations/import/${source}`, body).expect(200),
  );

const STARTED_MS = Date.UTC(2026, 0, 15, 12);
const at = (seconds: number) => STARTED_MS / 1000 + seconds;

const retellReports = (call_id: string) => [
  {
    event: 'call_ended',
    call: {
      call_id,
      agent_id: 'agent_1',
      call_type: 'phone_call',
      start_timestamp: STARTED_MS,
      end_timestamp: STARTED_MS + 9_000,
      transcript: 'Agent: Hello\nUser: A table',
      call_cost: { combined_cost: 10 },
    },
  },
  {
    event: 'call_analyzed',
    call: {
      call_id,
      start_timestamp: STARTED_MS,
      end_timestamp: STARTED_MS + 15_000,
      disconnection_reason: 'agent_hangup',
      transcript_object: [
        { role: 'agent', content: 'Hello.' },
        { role: 'user', content: 'A table, please.' },
        { role: 'agent', content: 'Done.' },
      ],
      call_cost: { combined_cost: 70 },
      call_analysis: { call_summary: 'A table was booked.', call_successful: true },
    },
  },
  {
    event: 'call_analyzed',
    call: { call_id, call_analysis: { call_summary: 'A table was booked.', user_sentiment: 'Positive' } },
  },
];
const livekitReports = (room: string) => [
  { event: 'room_started', room: { name: room, creationTime: String(at(0)) }, createdAt: String(at(0)) },
  { event: 'room_finished', room: { name: room, creationTime: String(at(0)) }, createdAt: String(at(20)) },
  {
    job_id: 'AJ_1',
    room_id: 'RM_1',
    room,
    events: [{ type: 'close', reason: 'participant_disconnected', created_at: at(15) }],
    chat_history: {
      items: [
        { type: 'agent_config_update', created_at: at(1) },
        { type: 'message', role: 'assistant', content: ['Hello.'], interrupted: true, created_at: at(2) },
        { type: 'message', role: 'user', content: ['A table, please.'], created_at: at(4) },
        { type: 'function_call', name: 'book', arguments: '{"people":2}', created_at: at(5) },
        { type: 'function_call_output', name: 'book', output: 'table 7', is_error: false, created_at: at(6) },
      ],
    },
    timestamp: at(16),
  },
];

const seen = async (id: string) => {
  const { id: _, created_at, updated_at, ...conversation } = await read(service, id);
  const { turns } = await readTranscript(service, id);
  expect([typeof created_at, typeof updated_at]).toEqual(['string', 'string']);
  return { conversation, turns };
};

test.each([
  ['retell', retellReports],
  ['livekit', livekitReports],
] as const)(
  'any order and repetition of reports of %s gives the same conversation',
  async (source, reports) => {
    let made = 0;
    let expected: object | undefined;
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([0, 1, 2], { minLength: 3 }),
        fc.array(fc.nat(2), { maxLength: 2 }),
        fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
        async (order, repeated, settles) => {
          const id = `${source}-order-${(made += 1)}`;
          const all = reports(id);
          for (const [place, index] of [...order, ...repeated].entries()) {
            await post(source, all[index]!);
            // Later facts win over earlier ones in a conversation that is final, too.
            if (settles[place]) await settleAll();
          }
          await settleAll();
          const result = JSON.parse(JSON.stringify(await seen(id)).replaceAll(id, 'the call')) as object;
          expected ??= result;
          expect(result).toEqual(expected);
        },
      ),
      { numRuns: 25 },
    );
    if (source === 'retell')
      expect(expected).toMatchObject({
        conversation: {
          status: 'completed',
          bot_id: 'agent_1',
          channel: 'phone',
          end_reason: 'bot_hangup',
          ended_at: '2026-01-15T12:00:15.000Z',
          cost: { total: 0.7 },
          summary: 'A table was booked.',
          sentiment: 'positive',
          success: true,
        },
        turns: [{ text: 'Hello.' }, { text: 'A table, please.' }, { text: 'Done.' }],
      });
    else
      expect(expected).toMatchObject({
        conversation: {
          status: 'completed',
          end_reason: 'user_hangup',
          end_detail: 'participant_disconnected',
        },
        turns: [
          { role: 'bot', text: 'Hello.', interrupted: true },
          { role: 'user', text: 'A table, please.' },
          { role: 'tool', text: 'book({"people":2})' },
          { role: 'tool', text: 'book: table 7' },
        ],
      });
  },
);

test('figures follow a later reason, duration and transcript', async () => {
  const api = service.as(await service.issueKey('figures'));
  const send = (body: object) => api.post('/v1/conversations/import/retell', body).expect(200);
  const [ended, analyzed] = retellReports('figures') as [object, object];
  const figures = async () => {
    const range = 'from=2026-01-15T00:00:00Z&to=2026-01-16T00:00:00Z&interval=day';
    const get = async (path: string) =>
      dataOf<{ totals: object }>(await api.get(`/v1/analytics/${path}&${range}`).expect(200)).totals;
    return { usage: await get('usage?'), performance: await get('performance?') };
  };
  await send(ended);
  await settleAll();
  expect(await figures()).toMatchObject({
    usage: { conversations: 1, turns: 2 },
    performance: { duration: { count: 1, avg: 9 } },
  });
  await foldFacts(service.deps.pool, service.deps.sql);
  await send(analyzed);
  await settleAll();
  const corrected = {
    usage: { conversations: 1, turns: 3 },
    performance: { duration: { count: 1, avg: 15, max: 15 } },
  };
  expect(await figures()).toMatchObject(corrected);
  await foldFacts(service.deps.pool, service.deps.sql);
  expect(await figures()).toMatchObject(corrected);
});

test('a value that PATCH set stays when a report is repeated', async () => {
  const [, analyzed] = retellReports('patched') as [object, object];
  await post('retell', analyzed);
  await service.api.patch('/v1/conversations/patched', { summary: 'By a person.' }).expect(200);
  await post('retell', analyzed);
  expect(await read(service, 'patched')).toMatchObject({ summary: 'By a person.' });
});

test('reports are stored sealed, applied again on request, and erased with their conversation', async () => {
  const [ended] = retellReports('stored') as [object];
  await post('retell', ended);
  await post('retell', ended);
  const rows = () =>
    service.deps.sql<{ sealed: string }>(
      "SELECT sealed FROM import_reports WHERE conversation_id = 'stored'",
      [],
    );
  const [row, ...more] = await rows();
  expect(more).toEqual([]);
  expect(row!.sealed).not.toContain('A table');
  const again = (body: object) => service.api.post('/v1/conversations/reimport', body);
  const nothingNew = { conversations: 1, changed: 0, failed: [], next_cursor: null };
  expect(dataOf(await again({ conversation_id: 'stored' }).expect(200))).toEqual(nothingNew);
  // As if an earlier mapping had applied other values.
  await service.deps.sql(
    `UPDATE import_states SET applied = jsonb_set(applied, '{ended,hash}', '"earlier"') WHERE conversation_id = 'stored'`,
    [],
  );
  expect(dataOf(await again({ conversation_id: 'stored' }).expect(200))).toMatchObject({ changed: 1 });
  expect(dataOf(await again({ source: 'retell' }).expect(200))).toMatchObject({ failed: [] });
  await again({ conversation_id: 'unknown' }).expect(404);
  await service.api.delete('/v1/conversations/stored').expect(200);
  expect(await rows()).toEqual([]);
  const states = await service.deps.sql("SELECT 1 FROM import_states WHERE conversation_id = 'stored'", []);
  expect(states).toEqual([]);
});

test('a call that nobody can store leaves no report behind', async () => {
  const call = { call_id: 'unstorable', agent_id: 'a/b', start_timestamp: 1 };
  await service.api.post('/v1/conversations/import/retell', { event: 'call_ended', call }).expect(422);
  const rows = await service.deps.sql(
    "SELECT 1 FROM import_reports WHERE conversation_id = 'unstorable'",
    [],
  );
  expect(rows).toEqual([]);
});

test('the reports of a conversation have a limit', async () => {
  const [ended] = retellReports('many') as unknown as [{ call: object }];
  const send = (nth: number) =>
    service.api.post('/v1/conversations/import/retell', { ...ended, call: { ...ended.call, nth } });
  for (let nth = 0; nth < 20; nth += 1) await send(nth).expect(200);
  await send(20).expect(422);
});

// Shape: `GetConversationResponseModel` of github.com/elevenlabs/elevenlabs-js.
const elevenlabs = (conversation_id: string) => ({
  type: 'post_call_transcription',
  event_timestamp: at(30),
  data: {
    agent_id: 'agent_el',
    conversation_id,
    status: 'done',
    transcript: [
      { role: 'agent', message: 'Hello.', time_in_call_secs: 0, interrupted: true },
      { role: 'user', message: 'A table, please.', time_in_call_secs: 3 },
      {
        role: 'agent',
        message: null,
        time_in_call_secs: 4,
        tool_calls: [
          { request_id: '1', tool_name: 'book', params_as_json: '{}', tool_has_been_called: true },
        ],
        tool_results: [{ request_id: '1', tool_name: 'book', result_value: 'table 7', is_error: false }],
      },
    ],
    metadata: {
      start_time_unix_secs: at(0),
      call_duration_secs: 12,
      termination_reason: 'Client disconnected: 1000',
      main_language: 'en',
      phone_call: { direction: 'inbound', agent_number: '+15550100', external_number: '+15550101' },
    },
    analysis: {
      call_successful: 'success',
      transcript_summary: 'A table was booked.',
      data_collection_results: { people: { data_collection_id: 'people', value: 2, rationale: '' } },
    },
  },
});

test('a conversation of ElevenLabs, as a webhook and as its API returns it', async () => {
  const webhook = elevenlabs('el-webhook');
  await post('elevenlabs', webhook);
  await post('elevenlabs', { ...webhook.data, conversation_id: 'el-stored' });
  await settleAll();
  for (const id of ['el-webhook', 'el-stored']) {
    const { conversation, turns } = await seen(id);
    expect(conversation).toMatchObject({
      bot_id: 'agent_el',
      status: 'completed',
      channel: 'phone',
      direction: 'inbound',
      from: '+15550101',
      to: '+15550100',
      language: 'en',
      duration_seconds: 12,
      end_reason: 'other',
      end_detail: 'Client disconnected: 1000',
      summary: 'A table was booked.',
      success: true,
    });
    expect(turns).toMatchObject([
      { role: 'bot', text: 'Hello.', interrupted: true },
      { role: 'user', text: 'A table, please.', start_ms: 3_000 },
      { role: 'tool', text: 'book({})' },
      { role: 'tool', text: 'book: table 7' },
    ]);
  }
});

test.each([
  ['busy', { status: 'busy' }],
  ['no-answer', { status: 'no_answer' }],
  ['unknown', { status: 'failed', error: { code: 'unknown' } }],
])('a call that ElevenLabs could not initiate: %s', async (failure_reason, expected) => {
  const data = { agent_id: 'agent_el', conversation_id: `el-${failure_reason}`, failure_reason };
  await post('elevenlabs', { type: 'call_initiation_failure', event_timestamp: at(1), data });
  await settleAll();
  expect(await read(service, data.conversation_id)).toMatchObject(expected);
});

test('other kinds of messages are ignored, and other shapes refused', async () => {
  expect(await post('elevenlabs', { type: 'post_call_audio', data: { full_audio: '' } })).toMatchObject({
    ignored: 'post_call_audio',
  });
  expect(await post('livekit', { event: 'participant_joined', room: {} })).toMatchObject({
    ignored: 'participant_joined',
  });
  for (const [source, body] of [
    ['elevenlabs', {}],
    ['elevenlabs', { type: 'post_call_transcription', data: {} }],
    ['livekit', {}],
    ['livekit', { event: 'room_finished', room: { name: '' } }],
  ] as const)
    await service.api.post(`/v1/conversations/import/${source}`, body).expect(400);
});
