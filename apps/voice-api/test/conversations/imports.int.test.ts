// Reports of Vapi and Retell in their published shapes become conversations
// (docs/voice-api.md#imports).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { settleDue } from '../../src/conversations/settle-due.ts';
import { read, readTranscript } from '../events.ts';
import { startVoiceApi, type VoiceApi } from '../service.ts';
import { dataOf } from '../webhooks.ts';

let service: VoiceApi;
beforeAll(async () => {
  service = await startVoiceApi();
});
afterAll(() => service.stop());

const sample = (name: string) => readFileSync(join(import.meta.dirname, 'reports', `${name}.json`), 'utf8');
type Sent = Record<string, unknown>;
const take = async (source: string, body: string | object, query = '') =>
  dataOf<Sent>(
    await service.api
      .post(`/v1/conversations/import/${source}${query}`, body as object)
      .set('content-type', 'application/json')
      .expect(200),
  );
const settleAll = async () => {
  while ((await settleDue({ ...service.deps, clock: () => Date.now() + 60_000 })) > 0);
};

test('a time outside any calendar is not an error of the service', async () => {
  const vapi = sample('vapi-end-of-call').replace(/"secondsFromStart": *[\d.]+/, '"secondsFromStart": 1e308');
  const retell = sample('retell-call-ended').replace(
    /"end_timestamp": *\d+/,
    '"end_timestamp": 9007199254740991',
  );
  expect(vapi).toContain('1e308');
  expect(retell).toContain('9007199254740991');
  for (const [source, body] of [
    ['vapi', vapi],
    ['retell', retell],
  ] as const) {
    // Conversations that the tests below do not use.
    const text = body.replaceAll('7420f27a', 'ffffffff').replaceAll('Jabr9TXY', 'Jabr9TXX');
    const { status } = await service.api
      .post(`/v1/conversations/import/${source}`, text as never)
      .set('content-type', 'application/json');
    expect([200, 400]).toContain(status);
  }
});

test("Vapi's end-of-call-report becomes a conversation", async () => {
  expect(await take('vapi', sample('vapi-end-of-call'))).toEqual({
    conversation_id: '7420f27a-30fd-4f49-a995-5549ae7cc00d',
    accepted: 8,
    duplicates: 0,
    rejected: [],
    left_out: 1,
    refused: [],
  });
  await settleAll();
  const id = '7420f27a-30fd-4f49-a995-5549ae7cc00d';
  expect(await read(service, id)).toMatchObject({
    bot_id: '79f3cae3-5e47-4d8c-a1b2-9f8e7d6c5b4a',
    status: 'completed',
    channel: 'phone',
    direction: 'inbound',
    from: '+14155550123',
    to: '+14155559876',
    started_at: '2026-01-15T12:00:00.000Z',
    ended_at: '2026-01-15T12:00:42.500Z',
    duration_seconds: 42.5,
    end_reason: 'user_hangup',
    end_detail: 'customer-ended-call',
    metadata: { crm: { case: 7 } },
    cost: {
      currency: 'USD',
      total: 0.0612,
      parts: [
        { name: 'transport', amount: 0.01 },
        { name: 'stt', amount: 0.0112 },
        { name: 'llm', amount: 0.015 },
        { name: 'vapi', amount: 0.025 },
      ],
    },
    recording_url: 'https://storage.example.com/call.wav',
    summary: 'The caller asked for a table for two.',
    success: true,
    analysis: { people: 2 },
  });
  const { turns } = await readTranscript(service, id);
  expect(turns.map(({ role, text }) => [role, text])).toEqual([
    ['system', 'You book tables.'],
    ['bot', 'How can I help?'],
    ['user', 'A table for two, please \ufffd'],
    ['tool', 'find_table({"people":2})'],
    ['tool', 'find_table: table 7'],
    ['bot', 'Table seven is yours.'],
  ]);
  expect(turns[2]).toMatchObject({ start_ms: 3_200, end_ms: 5_000 });
  expect(await take('vapi', sample('vapi-end-of-call'))).toMatchObject({ accepted: 0, duplicates: 8 });
});

test("Retell's call_ended and call_analyzed become a conversation", async () => {
  expect(await take('retell', sample('retell-call-ended'), '?bot_id=bot_ours')).toMatchObject({
    conversation_id: 'Jabr9TXYYJHfvl6Syypi88rdAHYHmcq6',
    accepted: 5,
    left_out: 0,
  });
  await settleAll();
  expect(await take('retell', sample('retell-call-analyzed'), '?bot_id=bot_ours')).toMatchObject({
    accepted: 0,
    duplicates: 5,
  });
  expect(await read(service, 'Jabr9TXYYJHfvl6Syypi88rdAHYHmcq6')).toMatchObject({
    bot_id: 'bot_ours',
    status: 'completed',
    channel: 'phone',
    direction: 'outbound',
    from: '+12137771234',
    to: '+12137771235',
    duration_seconds: 15.791,
    end_reason: 'bot_hangup',
    end_detail: 'agent_hangup',
    metadata: { ticket: 'T-9' },
    cost: { currency: 'USD', total: 0.7, parts: [{ name: 'elevenlabs_tts', amount: 0.7 }] },
    recording_url: 'https://recordings.example.com/retell.wav',
    summary: 'The agent confirmed an appointment.',
    sentiment: 'positive',
    success: true,
    analysis: { slot: 'Tuesday' },
  });
  const { turns } = await readTranscript(service, 'Jabr9TXYYJHfvl6Syypi88rdAHYHmcq6');
  expect(turns).toMatchObject([
    { role: 'bot', text: 'Hi, this is Ada.', start_ms: 700, end_ms: 1_700, words: [{ word: 'Hi,' }, {}] },
    { role: 'user', text: 'Tuesday, please.' },
    { role: 'tool', text: 'book({"day":"tuesday"})' },
  ]);
});

describe('other reports', () => {
  const vapi = (over: object) => ({
    message: {
      type: 'end-of-call-report',
      startedAt: '2026-01-15T12:00:00Z',
      endedAt: '2026-01-15T12:00:09Z',
      ...over,
    },
  });

  test.each([
    ['customer-did-not-answer', { status: 'no_answer', end_reason: 'no_answer' }],
    ['silence-timed-out', { end_reason: 'silence', end_detail: 'silence-timed-out' }],
    ['assistant-said-something-new', { end_reason: 'other', end_detail: 'assistant-said-something-new' }],
    ['assistant-said-end-call-phrase', { status: 'completed', end_reason: 'bot_hangup' }],
    ['hangup', { status: 'completed', end_reason: 'user_hangup', end_detail: 'hangup' }],
    ['customer-busy', { status: 'busy' }],
    ['twilio-failed-to-connect-call', { status: 'failed', error: { code: 'twilio-failed-to-connect-call' } }],
    ['worker-shutdown', { status: 'failed', error: { code: 'worker-shutdown' } }],
    [
      'pipeline-error-openai-llm-failed',
      { status: 'failed', error: { code: 'pipeline-error-openai-llm-failed' } },
    ],
    ['call.in-progress.error-vapifault', { status: 'failed' }],
  ])('map the end reason %s', async (endedReason, expected) => {
    await take('vapi', vapi({ endedReason, call: { id: endedReason } }));
    await settleAll();
    expect(await read(service, endedReason)).toMatchObject(expected);
  });

  // A call without times and turns: https://docs.retellai.com/reliability/debug-call-disconnect
  test.each([
    ['dial_no_answer', { status: 'no_answer', end_detail: 'dial_no_answer' }],
    ['dial_busy', { status: 'busy', end_detail: 'dial_busy' }],
    ['dial_failed', { status: 'failed', error: { code: 'dial_failed' } }],
    [undefined, { status: 'no_answer', end_detail: 'not_connected' }],
  ])('of a call that Retell never connected become a conversation: %s', async (reason, expected) => {
    const id = `unconnected_${reason}`;
    const call = {
      call_id: id,
      call_type: 'phone_call',
      call_status: 'not_connected',
      direction: 'outbound',
      disconnection_reason: reason,
    };
    expect(await take('retell', { event: 'call_ended', call })).toMatchObject({ accepted: 2, rejected: [] });
    await settleAll();
    expect(await read(service, id)).toMatchObject({ ...expected, direction: 'outbound' });
  });

  test('the reason of a later report replaces a missing one', async () => {
    const call = {
      call_id: 'late-reason',
      start_timestamp: 1_714_608_475_945,
      end_timestamp: 1_714_608_491_736,
    };
    await take('retell', { event: 'call_analyzed', call });
    expect(await read(service, 'late-reason')).toMatchObject({ end_reason: 'other' });
    const ended = { ...call, disconnection_reason: 'agent_hangup' };
    expect(await take('retell', { event: 'call_ended', call: ended })).toMatchObject({ accepted: 1 });
    expect(await read(service, 'late-reason')).toMatchObject({ end_reason: 'bot_hangup' });
  });

  // `artifact.recording` replaced `recordingUrl`; reports may have the transcript as one text
  // alone.
  test("read Vapi's recording object, and a transcript that is one text", async () => {
    const artifact = {
      transcript: 'AI: How can I help?\nUser: A table\nfor two.\nAI: Done.\n',
      recording: {
        stereoUrl: 'https://storage.example.com/stereo.wav',
        mono: { combinedUrl: 'https://storage.example.com/mono.wav' },
      },
    };
    await take('vapi', vapi({ call: { id: 'one-text' }, artifact }));
    await settleAll();
    expect(await read(service, 'one-text')).toMatchObject({
      recording_url: 'https://storage.example.com/mono.wav',
    });
    const { turns } = await readTranscript(service, 'one-text');
    expect(turns.map(({ role, text }) => [role, text])).toEqual([
      ['bot', 'How can I help?'],
      ['user', 'A table\nfor two.'],
      ['bot', 'Done.'],
    ]);
  });

  test('that have nothing to store are refused with the reason', async () => {
    const call = { call_id: 'x'.repeat(190), agent_id: 'a/b', start_timestamp: 1 };
    const refused = await service.api
      .post('/v1/conversations/import/retell', { event: 'call_ended', call })
      .expect(422);
    expect(refused.body).toMatchObject({
      error: { code: 'UNPROCESSABLE', message: expect.stringMatching(/^The report has no event/) as unknown },
    });
  });

  test('of other kinds are answered with 200 and not stored', async () => {
    expect(await take('vapi', { message: { type: 'status-update', status: 'ringing' } })).toEqual({
      conversation_id: null,
      ignored: 'status-update',
    });
    expect(await take('retell', { event: 'call_started', call: { call_id: 'x' } })).toMatchObject({
      ignored: 'call_started',
    });
  });

  test('lose only the members that exceed a limit, and name them', async () => {
    const structuredData = { long: 'x'.repeat(70_000) };
    const taken = await take(
      'vapi',
      vapi({ call: { id: 'roomy' }, analysis: { structuredData, summary: 'Short.' } }),
    );
    expect(taken['refused']).toEqual([expect.stringContaining('/analysis must have at most')]);
    expect(await read(service, 'roomy')).toMatchObject({ summary: 'Short.' });
  });

  test('are rejected without a valid body, vendor, scope or with a deleted conversation', async () => {
    const post = (source: string, body: object) =>
      service.api.post(`/v1/conversations/import/${source}`, body);
    await post('vapi', {}).expect(400);
    await post('vapi', vapi({})).expect(400);
    await post('vapi', vapi({ call: { id: 'a\0b' } })).expect(400);
    await post('retell', { event: 'call_ended', call: {} }).expect(400);
    await post('bland', {}).expect(404);
    const reader = service.as(await service.issueKey('acme', ['read']));
    await reader.post('/v1/conversations/import/vapi', {}).expect(403);
    await service.api.delete('/v1/conversations/roomy').expect(200);
    await post('vapi', vapi({ call: { id: 'roomy' } })).expect(409);
  });
});
