// Texts for readers with and without the scope `pii` (docs/voice-api.md#scrubbed-transcripts).
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { buildDocuments } from '../../src/conversations/search-documents.ts';
import { insertRecordedTurns } from '../../src/conversations/write-turns.ts';
import { readRecorded } from '../../src/conversation-model/recorded.ts';
import { settleDue } from '../../src/conversations/settle-due.ts';
import { runExports } from '../../src/exports/run-exports.ts';
import { event, send } from '../events.ts';
import { startVoiceApi, type VoiceApi } from '../service.ts';
import { dataOf } from '../webhooks.ts';

jest.setTimeout(120_000);

let service: VoiceApi;
let bot: string;
let whole: ReturnType<VoiceApi['as']>;
let reader: ReturnType<VoiceApi['as']>;
beforeAll(async () => {
  service = await startVoiceApi();
  whole = service.as(await service.issueKey('acme', ['read', 'pii']));
  reader = service.as(await service.issueKey('acme', ['read', 'write', 'admin']));
  bot = dataOf<{ id: string }>(await service.api.post('/v1/bots', { name: 'Ada' })).id;
  await service.api.post('/v1/webhooks', { url: 'https://8.8.8.8/hook', events: ['*'] }).expect(201);
  const more = { bot_id: bot };
  const flow = { flow_id: 'flow_pin', flow_version: 1, turn: 1 };
  await send(service, [
    event(
      'conversation.started',
      'call',
      0,
      { channel: 'phone', flow_id: 'flow_pin', flow_version: 1 },
      more,
    ),
    event(
      'speech.final',
      'call',
      1,
      { turn_index: 0, text: 'I am jane@x.org, 555 123 4567. In words: triple five one two.' },
      more,
    ),
    event('speech.final', 'call', 2, { turn_index: 1, text: 'The word is sesame.', ...flow }, more),
    event('bot.message', 'call', 3, { turn_index: 2, text: 'Thanks, sesame it is.', ...flow }, more),
    event('conversation.ended', 'call', 9, {}, more),
  ]);
  const recorded = {
    flow_id: 'flow_pin',
    turn: 1,
    version: 1,
    status: 'done',
    path: [[0, null, null]],
    now: '2026-01-15T12:00:00Z',
    input: { user_input: 'The word is [redacted 0011223344556677].' },
    variables_set: { account: 12345678 },
    messages: [{ node_id: 'n', text: 'Thanks, [redacted 0011223344556677] it is.' }],
    redacted: ['password'],
  };
  await service.deps.sql(
    `INSERT INTO conversation_turns (organization_id, conversation_id, turn, flow_id, flow_version, status, last_node, occurred_at, data, bytes)
     VALUES ('acme', 'call', 1, 'flow_pin', 1, 'done', 0, now(), $1, 100)`,
    [JSON.stringify(recorded)],
  );
  await settleDue({ ...service.deps, clock: () => Date.now() + 60_000 });
  await buildDocuments(service.deps);
  const later = { summary: 'Call 5551234567.', recording_url: 'https://recordings.example.com/call' };
  await service.api.patch('/v1/conversations/call', later).expect(200);
});
afterAll(() => service.stop());

const PLACES = [
  '/v1/conversations/call',
  '/v1/conversations/call/transcript',
  '/v1/conversations/call/turns',
  '/v1/conversations?q=email',
  '/v1/flow-turns?flow_id=flow_pin',
  '/v1/events',
];
const read = async (api: typeof reader, path: string) =>
  JSON.stringify((await api.get(path).expect(200)).body);

test('nothing is scrubbed unless a rule says so', async () => {
  expect(await read(reader, PLACES[1]!)).toContain('555 123 4567');
  expect(await read(reader, PLACES[0]!)).toContain('5551234567');
  expect(await read(reader, PLACES[0]!)).toContain('recordings.example');
});

test('a rule of the bot wins over that of the organisation, and scrubs every place', async () => {
  await service.api.put('/v1/retention', { redact_transcripts: true }).expect(200);
  await service.api.put(`/v1/bots/${bot}/retention`, { redact_transcripts: false }).expect(200);
  expect(await read(reader, PLACES[1]!)).toContain('555 123 4567');
  const shown = await service.api.put(`/v1/bots/${bot}/retention`, {}).expect(200);
  expect(dataOf(shown)).toMatchObject({ effective: { redact_transcripts: true } });
  for (const path of PLACES) {
    const text = await read(reader, path);
    expect([path, text]).toEqual([
      path,
      expect.not.stringMatching(/jane@x|123 4567|5551234567|12345678|recordings\.example/),
    ]);
    expect(text).toMatch(/\[number\]/);
  }
  expect(await read(whole, PLACES[1]!)).toContain('555 123 4567');
});

test('values that the flow redacts are replaced by what it recorded', async () => {
  const path = '/v1/conversations/call/transcript';
  const scrubbed = dataOf<{ turns: { text: string }[]; sha256?: string }>(await reader.get(path).expect(200));
  expect(scrubbed.turns.map(({ text }) => text)).toEqual([
    'I am [email], [number]. In words: [number].',
    'The word is [redacted 0011223344556677].',
    'Thanks, [redacted 0011223344556677] it is.',
  ]);
  expect(scrubbed).not.toHaveProperty('sha256');
  const plain = await reader.get(path).set('Accept', 'text/plain').expect(200);
  expect(plain.text).not.toContain('sesame');
  expect(await read(whole, path)).toContain('sesame');
  const tags = await Promise.all([reader, whole].map(async (api) => (await api.get(path)).headers['etag']));
  expect(tags[0]).not.toBe(tags[1]);
});

interface FoundPage {
  readonly items: readonly { id: string; found: { text: string; marks: [number, number][] }[] }[];
  readonly total: number;
}
const search = async (api: typeof reader, q: string) =>
  dataOf<FoundPage>(await api.get(`/v1/conversations?total=true&q=${encodeURIComponent(q)}`).expect(200));

test('a search is over the scrubbed text, and finds, counts and excludes by nothing that is hidden', async () => {
  const { text, marks } = (await search(reader, 'thanks')).items[0]!.found[0]!;
  expect(text.slice(...marks[0]!)).toBe('Thanks');
  for (const q of ['5551234567', '"555 123 4567"', 'jane', 'x.org', 'sesame', 'triple']) {
    expect([q, await search(reader, q)]).toMatchObject([q, { items: [], total: 0 }]);
    expect([q, await search(whole, q)]).toMatchObject([q, { items: [{ id: 'call' }], total: 1 }]);
  }
  for (const q of ['thanks -sesame', '"i am" -4567', 'email', 'redacted', 'words'])
    expect([q, await search(reader, q)]).toMatchObject([q, { items: [{ id: 'call' }], total: 1 }]);
  for (const q of ['thanks -sesame', '"i am" -4567'])
    expect([q, await search(whole, q)]).toMatchObject([q, { items: [], total: 0 }]);
});

test('a running conversation is searched in the same way', async () => {
  const more = { bot_id: bot };
  await send(service, [
    event('conversation.started', 'running', 0, {}, more),
    event('speech.final', 'running', 1, { turn_index: 0, text: 'My code is 9876 54321.' }, more),
  ]);
  expect(await search(reader, '987654321')).toMatchObject({ items: [], total: 0 });
  expect(await search(whole, '987654321')).toMatchObject({ items: [{ id: 'running' }], total: 1 });
  expect(await search(reader, '"my code" -54321')).toMatchObject({ items: [{ id: 'running' }] });
});

test('a record that arrives after the document hides its value from the search as well', async () => {
  const flow = { flow_id: 'flow_pin', flow_version: 1, turn: 1 };
  await send(service, [
    event('conversation.started', 'late', 0, { flow_id: 'flow_pin', flow_version: 1 }, { bot_id: bot }),
    event('speech.final', 'late', 1, { turn_index: 0, text: 'It is abracadabra.', ...flow }, { bot_id: bot }),
    event('conversation.ended', 'late', 9, {}, { bot_id: bot }),
  ]);
  await settleDue({ ...service.deps, clock: () => Date.now() + 60_000 });
  await buildDocuments(service.deps);
  expect(await search(reader, 'abracadabra')).toMatchObject({ total: 1 });
  const recorded = readRecorded({
    flow_id: 'flow_pin',
    version: 1,
    turn: 1,
    status: 'done',
    path: [[0, null, null]],
    input: { user_input: 'It is [redacted 00aa].' },
    redacted: ['password'],
  })!;
  const place = { organizationId: 'acme', conversationId: 'late', botId: bot, at: Date.now() };
  await insertRecordedTurns(service.deps.sql, [{ ...recorded, ...place }]);
  for (const round of ['before', 'after'])
    expect([round, await search(reader, 'abracadabra'), await buildDocuments(service.deps)]).toMatchObject([
      round,
      { items: [], total: 0 },
      round === 'before' ? 1 : 0,
    ]);
});

test('the feed and the delivery log hide what the flow redacts', async () => {
  const scrubbed = await read(reader, '/v1/events');
  expect(scrubbed).not.toContain('sesame');
  expect(scrubbed).toContain('"sha256":""');
  const all = await read(whole, '/v1/events');
  expect(all).toContain('sesame');
  expect(all).not.toContain('"sha256":""');
});

test('deliveries and exports are scrubbed, and a whole export needs the scope', async () => {
  const { items } = dataOf<{ items: { id: string; event: string }[] }>(await reader.get('/v1/deliveries'));
  for (const { id } of items)
    expect(await read(reader, `/v1/deliveries/${id}`)).not.toMatch(/jane@x|123 4567|sesame/);
  const create = async (api: typeof reader, of: string) => {
    const { id } = dataOf<{ id: string }>(await api.post('/v1/exports', { of }).expect(201));
    await runExports(service.deps);
    return `/v1/exports/${id}/parts/1`;
  };
  for (const kind of ['conversations', 'deliveries']) {
    const part = await reader.get(await create(reader, kind)).expect(200);
    expect(part.text).toContain('[number]');
    expect(part.text).not.toMatch(/jane@x|123 4567|5551234567|sesame|recordings\.example/);
    const path = await create(whole, kind);
    expect((await whole.get(path).expect(200)).text).toContain('555 123 4567');
    expect((await reader.get(path).expect(403)).body).toMatchObject({
      error: { code: 'INSUFFICIENT_SCOPE' },
    });
  }
});

test('an export by a search finds nothing that is hidden', async () => {
  for (const [api, items] of [
    [reader, 0],
    [whole, 1],
  ] as const) {
    const body = { filter: { q: '5551234567' } };
    const { id } = dataOf<{ id: string }>(await api.post('/v1/exports', body).expect(201));
    await runExports(service.deps);
    expect(dataOf(await api.get(`/v1/exports/${id}`).expect(200))).toMatchObject({ status: 'ready', items });
  }
});

test('a webhook, which sends whole texts, needs the scope as well', async () => {
  const hook = { url: 'https://8.8.8.8/other', events: ['*'] };
  await reader.post('/v1/webhooks', hook).expect(403);
  const writer = service.as(await service.issueKey('acme', ['read', 'write', 'pii']));
  const { id } = dataOf<{ id: string }>(await writer.post('/v1/webhooks', hook).expect(201));
  await reader.patch(`/v1/webhooks/${id}`, { url: 'https://8.8.8.8/mine' }).expect(403);
  await reader.patch(`/v1/webhooks/${id}`, { status: 'disabled' }).expect(200);
});

const openStream = async (api: typeof reader) => {
  const { ticket } = dataOf<{ ticket: string }>(
    await api.post('/v1/conversations/live/stream-ticket', {}).expect(201),
  );
  const { body } = await fetch(`${service.server.url}/v1/conversations/live/stream?ticket=${ticket}`);
  return body!.getReader();
};
const readUntil = async (source: ReadableStreamDefaultReader<Uint8Array>, end: string) => {
  let text = '';
  while (!text.includes(end)) text += Buffer.from((await source.read()).value ?? []).toString();
  return text;
};

test('streams and their tickets carry the scope, and follow the rule while they are open', async () => {
  const more = { bot_id: bot };
  await send(service, [
    event('conversation.started', 'live', 0, { flow_id: 'flow_pin', flow_version: 1 }, more),
  ]);
  const streams = await Promise.all([openStream(reader), openStream(whole)]);
  for (const stream of streams) await readUntil(stream, 'event: ready');
  const say = async (index: number, text: string, flow: object = {}) => {
    await send(service, [event('speech.final', 'live', index, { turn_index: index, text, ...flow }, more)]);
    return Promise.all(streams.map((stream) => readUntil(stream, 'event: speech.final\n')));
  };
  await service.deps.sql(
    `INSERT INTO conversation_turns (organization_id, conversation_id, turn, flow_id, flow_version, status, last_node, occurred_at, data, bytes)
     SELECT organization_id, 'live', turn, flow_id, flow_version, status, last_node, occurred_at, data, bytes
     FROM conversation_turns WHERE conversation_id = 'call'`,
  );
  const [scrubbed, all] = await say(1, 'It is 555 123 4567.');
  expect(scrubbed).not.toContain('123 4567');
  expect(all).toContain('123 4567');
  const spoken = 'The word is sesame.';
  const [hidden, shown] = await say(2, spoken, { flow_id: 'flow_pin', flow_version: 1, turn: 1 });
  expect(hidden).toContain('The word is [redacted 0011223344556677].');
  expect(shown).toContain(spoken);

  await service.api.put('/v1/retention', { redact_transcripts: false }).expect(200);
  expect((await say(3, 'It is 555 123 4567.'))[0]).toContain('123 4567');
  await service.api.put('/v1/retention', { redact_transcripts: true }).expect(200);
  expect((await say(4, 'It is 555 123 4567.'))[0]).not.toContain('123 4567');
  for (const stream of streams) await stream.cancel();
});
