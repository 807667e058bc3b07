// Transcripts: their three forms, tags and revisions.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { call, event, reaches, readTranscript, recordEverything, send, sentEvents } from './events.ts';
import { startVoiceApi, type VoiceApi } from './service.ts';

jest.setTimeout(60_000); // eventually() waits up to 20 s on a busy machine

let service: VoiceApi;
beforeAll(async () => {
  service = await startVoiceApi({ workers: true, env: { TRANSCRIPT_SETTLE: '0.2' } });
  await recordEverything(service);
});
afterAll(() => service.stop());

const ask = (id: string, headers: Record<string, string> = {}) =>
  service.api.get(`/v1/conversations/${id}/transcript`).set(headers);

test('is partial during the conversation and ready when it is final', async () => {
  const events = call('grows');
  await send(service, events.slice(0, 3));
  expect(await readTranscript(service, 'grows')).toMatchObject({
    status: 'partial',
    revision: 1,
    turns: [{ index: 0 }],
  });
  await send(service, events);
  await reaches(service, 'grows', 'completed');
  const transcript = await readTranscript(service, 'grows');
  expect(transcript).toEqual({
    conversation_id: 'grows',
    status: 'ready',
    revision: 3,
    sha256: createHash('sha256').update(JSON.stringify(transcript.turns)).digest('hex'),
    turns: [
      {
        index: 0,
        role: 'user',
        text: 'I would like to book.',
        start_ms: 1200,
        end_ms: 2900,
        confidence: 0.93,
        interrupted: false,
        language: null,
      },
      {
        index: 1,
        role: 'bot',
        text: 'For when?',
        start_ms: 3400,
        end_ms: 4100,
        confidence: null,
        interrupted: false,
        language: null,
        metrics: { e2e_ms: 500, asr_ms: 100, llm_ms: 300, tts_ms: 100 },
      },
      expect.objectContaining({ index: 2, text: 'Tomorrow <noon>.' }),
    ],
  });
});

test('tool calls and results are turns that webhooks do not receive', async () => {
  const said = (type: string, turn_index: number, text: string) =>
    event(type, 'tools', turn_index + 1, { turn_index, text });
  const events = [
    said('speech.final', 0, 'For four.'),
    said('tool.called', 1, 'find_table({"people":4})'),
    said('tool.returned', 2, 'find_table: {"free":true}'),
    said('bot.message', 2, 'There is one.'),
    event('conversation.ended', 'tools', 5),
  ];
  await send(service, [...events].reverse());
  await reaches(service, 'tools', 'completed');
  const { turns, revision } = await readTranscript(service, 'tools');
  expect(revision).toBe(4);
  expect(turns.map(({ index, role, text }) => [index, role, text])).toEqual([
    [0, 'user', 'For four.'],
    [1, 'tool', 'find_table({"people":4})'],
    [2, 'tool', 'find_table: {"free":true}'],
    [2, 'bot', 'There is one.'],
  ]);
  const { text } = await ask('tools', { accept: 'text/plain' }).expect(200);
  expect(text).toContain('Tool: find_table({"people":4})\n');
  expect((await sentEvents(service, 'tools')).map((one) => one.event)).toEqual([
    'speech.final',
    'bot.message',
    'conversation.ended',
    'transcript.ready',
  ]);
});

test('a conversation without turns has an empty transcript', async () => {
  await send(service, [event('conversation.started', 'silent', 0)]);
  expect(await readTranscript(service, 'silent')).toMatchObject({
    status: 'partial',
    revision: 0,
    turns: [],
  });
});

test('stores words and languages; runtimes may number exchanges', async () => {
  const words = [
    { word: 'Bom', start_ms: 0, end_ms: 200 },
    { word: 'dia', confidence: 0.5 },
  ];
  await send(service, [
    event('bot.message', 'exchange', 2, { turn_index: 1, text: 'Good day.', interrupted: true }),
    event('speech.final', 'exchange', 1, { turn_index: 1, text: 'Bom dia', language: 'pt', words }),
  ]);
  expect((await readTranscript(service, 'exchange')).turns).toEqual([
    expect.objectContaining({ index: 1, role: 'user', language: 'pt', words }),
    expect.objectContaining({ index: 1, role: 'bot', interrupted: true }),
  ]);
});

test('the later of two events about a turn wins, whichever arrives first', async () => {
  const said = (id: string, seconds: number, text: string) =>
    event('speech.final', id, seconds, { turn_index: 0, text });
  await send(service, [said('corrected-1', 1, 'to two')]);
  await send(service, [said('corrected-1', 2, 'at two')]);
  await send(service, [said('corrected-2', 2, 'at two')]);
  await send(service, [said('corrected-2', 1, 'to two')]);
  for (const id of ['corrected-1', 'corrected-2']) {
    const { revision, turns } = await readTranscript(service, id);
    expect([revision, turns.map(({ text }) => text)]).toEqual([2, ['at two']]);
  }
});

test('is available as subtitles and as text through Accept', async () => {
  await send(service, call('forms'));
  const vtt = await ask('forms', { accept: 'text/vtt' }).expect(200);
  expect(vtt.headers['content-type']).toBe('text/vtt; charset=utf-8');
  expect(vtt.text).toBe(
    [
      'WEBVTT\n',
      '0-user\n00:00:01.200 --> 00:00:02.900\n<v User>I would like to book.\n',
      '1-bot\n00:00:03.400 --> 00:00:04.100\n<v Bot>For when?\n',
      '2-user\n00:00:04.100 --> 00:00:05.100\n<v User>Tomorrow &lt;noon&gt;.\n',
    ].join('\n'),
  );
  const text = await ask('forms', { accept: 'text/plain;q=0.9, text/vtt;q=0.1' }).expect(200);
  expect(text.text).toBe('User: I would like to book.\nBot: For when?\nUser: Tomorrow <noon>.\n');
  for (const accept of ['application/json', '*/*', 'image/png', 'text/vtt;q=0']) {
    const body = (await ask('forms', { accept }).expect(200)).body as unknown;
    expect(body).toMatchObject({ success: true, data: { conversation_id: 'forms' } });
  }
});

test('has a tag for each form that changes with every revision', async () => {
  await send(service, call('tags').slice(0, 3));
  const json = await ask('tags').expect(200);
  const etag = json.headers['etag']!;
  expect(json.headers).toMatchObject({
    vary: expect.stringContaining('Accept'),
    'cache-control': 'private, no-cache',
  });
  const unchanged = await ask('tags', { 'if-none-match': `"other", W/${etag}` }).expect(304);
  expect([unchanged.text, unchanged.headers['etag']]).toEqual(['', etag]);
  await ask('tags', { 'if-none-match': etag, accept: 'text/vtt' }).expect(200);
  await send(service, [event('bot.message', 'tags', 9, { turn_index: 7, text: 'more' })]);
  const changed = await ask('tags', { 'if-none-match': etag }).expect(200);
  expect(changed.headers['etag']).not.toBe(etag);
});

test('announces a new revision for a late turn', async () => {
  await send(service, call('late'));
  await reaches(service, 'late', 'completed');
  await send(service, [event('speech.final', 'late', 8, { turn_index: 3, text: 'One more thing.' })]);
  const transcript = await readTranscript(service, 'late');
  expect(transcript).toMatchObject({ status: 'ready', revision: 4 });
  const announced = (await sentEvents(service, 'late')).filter(
    ({ event: type }) => type === 'transcript.ready',
  );
  expect(announced.map(({ data }) => [data['revision'], data['turn_count']])).toEqual([
    [3, 3],
    [4, 4],
  ]);
  expect(announced[1]!.data['sha256']).toBe(transcript.sha256);
  await reaches(service, 'late', 'completed');
});

test('is ready immediately when the runtime reports so', async () => {
  await send(service, [...call('said'), event('transcript.ready', 'said', 61)]);
  const body = (await service.api.get('/v1/conversations/said').expect(200)).body as unknown;
  expect(body).toMatchObject({ data: { status: 'completed' } });
  expect(await readTranscript(service, 'said')).toMatchObject({ status: 'ready' });
});

test('access needs a credential with the scope, and the own organisation', async () => {
  await send(service, call('guarded'));
  await service.as('nonsense').get('/v1/conversations/guarded/transcript').expect(401);
  await service
    .as(await service.issueKey('acme', ['write']))
    .get('/v1/conversations/guarded/transcript')
    .expect(403);
  await service
    .as(await service.issueKey('globex'))
    .get('/v1/conversations/guarded/transcript')
    .expect(404);
  await ask('nobody').expect(404);
  await service.api.get('/v1/conversations/guarded/transcript?format=vtt').expect(400);
});
