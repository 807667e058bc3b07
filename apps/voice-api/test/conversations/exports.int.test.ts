// Exports: files of matching conversations in parts that together are complete, even if a worker
// dies between two; without erased data (docs/voice-api.md#exports).
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { runExports } from '../../src/exports/run-exports.ts';
import { call, event, send } from '../events.ts';
import { startVoiceApi, type VoiceApi } from '../service.ts';
import { dataOf } from '../webhooks.ts';

jest.setTimeout(120_000);

let service: VoiceApi;
beforeAll(async () => {
  service = await startVoiceApi();
  await send(service, call('whole', 'exports'));
  await send(service, [
    event(
      'conversation.started',
      'risky',
      0,
      {
        from: '=HYPERLINK("x")',
        to: 'a;=1+1;"@b\n -2\t+3',
        language: 'x;＝1',
        metadata: { note: 'a, "b"\nc', inner: 'x;=1' },
      },
      { bot_id: 'exports' },
    ),
  ]);
  await service.api
    .patch('/v1/conversations/whole', {
      summary: 'Booked.',
      tags: ['vip'],
      recording_url: 'https://example.com/r.wav',
    })
    .expect(200);
});
afterAll(() => service.stop());

interface Export {
  id: string;
  status: string;
  items: number;
  bytes: number;
  parts: number;
  error?: string;
}
const create = async (body: object) =>
  dataOf<Export>(await service.api.post('/v1/exports', body).expect(201));
const state = async (id: string) => dataOf<Export>(await service.api.get(`/v1/exports/${id}`).expect(200));
const run = (nowMs = Date.now()) => runExports({ ...service.deps, clock: () => nowMs });

/** Downloads part after part, following `Link`. */
async function download(id: string) {
  let [text, type, parts] = ['', '', 0];
  let headers: Record<string, string | undefined> = {};
  let next: string | undefined = `/v1/exports/${id}/parts/1`;
  while (next) {
    const answer: { text: string; headers: Record<string, string | undefined> } = await service.api
      .get(next)
      .expect(200);
    text += answer.text;
    ({ headers } = answer);
    type = headers['content-type'] ?? '';
    parts += 1;
    next = /<([^>]+)>; rel="next"/.exec(answer.headers['link'] ?? '')?.[1];
  }
  return { text, type, parts, headers };
}

test('jsonl has one conversation with its transcript a line', async () => {
  const made = await create({ filter: { bot_id: 'exports' } });
  expect(made).toMatchObject({ status: 'queued', items: 0, format: 'jsonl' });
  await run();
  const done = await state(made.id);
  expect(done).toMatchObject({ status: 'ready', items: 2, parts: 1 });
  const { text, type } = await download(made.id);
  expect(type).toBe('application/jsonl; charset=utf-8');
  expect(Buffer.byteLength(text)).toBe(done.bytes);
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines).toMatchObject([
    {
      id: 'whole',
      summary: 'Booked.',
      transcript: [{ role: 'user' }, { role: 'bot', text: 'For when?' }, {}],
    },
    { id: 'risky', transcript: [] },
  ]);
});

test('csv has no cells that a spreadsheet evaluates', async () => {
  const { id } = await create({ format: 'csv', filter: { bot_id: 'exports' } });
  await run();
  const { text, type, headers } = await download(id);
  expect(type).toBe('text/csv; charset=utf-8');
  expect(headers).toMatchObject({
    'content-disposition': `attachment; filename="${id}-1.csv"`,
    'x-content-type-options': 'nosniff',
  });
  const [head, ...rows] = text.split('\r\n');
  expect(head).toMatch(/^"id","bot_id","status","channel","direction","from",/);
  expect(rows[0]).toContain('"whole","exports","processing","phone","inbound","+15550100",');
  expect(rows[1]).toContain(`"'=HYPERLINK(""x"")"`);
  expect(rows[1]).toContain(`"a;'=1+1;""'@b\n '-2\t'+3","x;'＝1"`);
  expect(rows[1]).toContain('""note"":""a, \\""b\\""\\nc""');
  expect(rows[1]).toContain('""inner"":""x;\\u003d1""');
  // No cell begins with a formula, however a spreadsheet splits it. Numbers are safe.
  for (const cell of text.split(/[;\t\r\n]|","/))
    expect(cell).not.toMatch(/^[\s"]*[=@＝＋－＠]|^[\s"]*[+-](?!\d+"?$)/);
});

test('vcon has one vCon a line', async () => {
  const { id } = await create({ format: 'vcon', filter: { bot_id: 'exports', tags: ['vip'] } });
  await run();
  const { text } = await download(id);
  expect(JSON.parse(text)).toMatchObject({
    vcon: '0.0.2',
    uuid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
    parties: [
      { tel: '+15550100', role: 'customer' },
      { tel: '+15550199', role: 'agent', name: 'exports' },
    ],
    dialog: [
      { type: 'text', parties: 0, body: 'I would like to book.', duration: 1.7 },
      { type: 'text', parties: 1, body: 'For when?' },
      { type: 'text', parties: 0 },
      { type: 'recording', url: 'https://example.com/r.wav' },
    ],
    analysis: [{ type: 'summary', body: 'Booked.' }],
  });
});

test('each conversation is exported once, even if a worker dies between two parts', async () => {
  const ids = Array.from({ length: 250 }, (_, index) => `many-${index}`);
  const long = 'x'.repeat(20_000);
  await send(
    service,
    ids.map((id) => event('speech.final', id, 0, { turn_index: 0, text: long }, { bot_id: 'many' })),
  );
  const { id } = await create({ filter: { bot_id: 'many' } });
  // As a killed worker leaves it: leased until the lease ends.
  await service.deps.sql(
    `UPDATE exports SET status = 'running', leased_until = now() + interval '30 seconds' WHERE id = $1`,
    [id],
  );
  await run();
  expect(await state(id)).toMatchObject({ status: 'running', items: 0 });
  // A jumping clock ends the round after one part.
  let nowMs = Date.now() + 60_000;
  const dying = { ...service.deps, clock: () => (nowMs += 4_000) };
  for (let round = 0; (await state(id)).status !== 'ready' && round < 50; round += 1) await runExports(dying);
  const done = await state(id);
  expect(done).toMatchObject({ status: 'ready', items: 250 });
  const { text, parts } = await download(id);
  expect(parts).toBe(done.parts);
  expect(parts).toBeGreaterThan(4);
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { id: string }).id);
  expect(lines.toSorted()).toEqual(ids.toSorted());
});

test('a search is exported completely, within the reach of the key', async () => {
  const say = (id: string, text: string, bot_id: string) =>
    event('speech.final', id, 0, { turn_index: 0, text }, { bot_id });
  const found = Array.from({ length: 210 }, (_, index) => `spoke-${index}`);
  await send(service, [
    ...found.map((id) => say(id, 'A walrus, please.', 'zoo')),
    say('silent', 'An otter, please.', 'zoo'),
    say('elsewhere', 'A walrus, please.', 'circus'),
  ]);
  const exported = async (filter: object) => {
    const { id } = await create({ filter, format: 'csv' });
    await run();
    expect(await state(id)).toMatchObject({ status: 'ready', filter });
    const [, ...lines] = (await download(id)).text.trimEnd().split('\r\n');
    return lines.map((line) => JSON.parse(line.split(',')[0]!) as string);
  };
  const all = await exported({ q: 'walrus', bot_id: 'zoo' });
  expect(all.toSorted()).toEqual(found.toSorted());
  const newest = await service.api.get('/v1/conversations?q=walrus&bot_id=zoo&limit=100').expect(200);
  expect(all.slice(0, 100)).toEqual(dataOf<{ items: { id: string }[] }>(newest).items.map(({ id }) => id));
  expect(await exported({ q: '"please a walrus"' })).toEqual([]);
  expect(await exported({ q: 'walrus -please' })).toEqual([]);
  expect(await exported({ q: 'lsewher' })).toEqual(['elsewhere']);
  expect(await exported({ q: '-'.repeat(50) })).toEqual([]);
  await service.api.post('/v1/exports', { filter: { q: '' } }).expect(400);
  await service.api
    .post('/v1/conversations/bulk-delete', { filter: { q: 'walrus' }, dry_run: true })
    .expect(400);
});

test('erased conversations are in no file', async () => {
  await send(service, call('leaves', 'leaving'));
  const { id } = await create({ filter: { bot_id: 'leaving' } });
  const { id: other } = await create({ filter: { bot_id: 'exports' } });
  await run();
  await service.api.delete('/v1/conversations/leaves').expect(200);
  expect(await state(id)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('erased'),
    parts: 0,
  });
  await service.api.get(`/v1/exports/${id}/parts/1`).expect(404);
  expect(await state(other)).toMatchObject({ status: 'ready' });
});

test('an export expires after a day, and only its organisation sees it; five run at a time', async () => {
  const { id } = await create({ filter: {} });
  const other = service.as(await service.issueKey('globex'));
  await other.get(`/v1/exports/${id}`).expect(404);
  const waiting = [id, ...(await Promise.all([1, 2, 3, 4].map(() => create({})))).map((one) => one.id)];
  await service.api.post('/v1/exports', {}).expect(422);
  const listed = dataOf<{ items: Export[] }>(await service.api.get('/v1/exports?limit=5').expect(200));
  expect(listed.items.map((one) => one.id).toSorted()).toEqual(waiting.toSorted());
  await service.api.post('/v1/exports', { format: 'xml' }).expect(400);
  await service.api.post('/v1/exports', { filter: { bot: 1 } }).expect(400);
  await run(Date.now() + 25 * 3_600_000);
  await service.api.get(`/v1/exports/${id}`).expect(404);
  const [left] = await service.deps.sql<{ count: number }>('SELECT count(*)::int AS count FROM export_parts');
  expect(left!.count).toBe(0);
});

test('an export fails after five failed attempts with a reason, and others continue', async () => {
  const { id } = await create({ filter: { bot_id: 'exports' } });
  // A filter that acceptance would have refused.
  await service.deps.sql('UPDATE exports SET filter = $2::jsonb WHERE id = $1', [
    id,
    JSON.stringify({ unknown: 'member' }),
  ]);
  const other = await create({ filter: { bot_id: 'exports' } });
  let nowMs = Date.now();
  await run(nowMs);
  expect(await state(other.id)).toMatchObject({ status: 'ready' });
  expect(await state(id)).toMatchObject({ status: 'running' });
  await run(nowMs); // its pause is not over
  for (let round = 0; round < 4; round += 1) await run((nowMs += 60_000));
  expect(await state(id)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('failed to write the export'),
  });
  const rows = await service.deps.sql<{ failures: number }>('SELECT failures FROM exports WHERE id = $1', [
    id,
  ]);
  expect(rows).toEqual([{ failures: 5 }]);
});
