// Exports of deliveries: matches of the log's filters with the log's details, without erased data
// (docs/voice-api.md#exports).
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { eventually, receiver, type Receiver } from '@parley/testing';
import { runExports } from '../../src/exports/run-exports.ts';
import { call, event, send } from '../events.ts';
import { startVoiceApi, type VoiceApi } from '../service.ts';
import { dataOf, FAST_WAITS, LOOPBACK, registered } from '../webhooks.ts';

jest.setTimeout(120_000);

let service: VoiceApi;
let fine: Receiver;
let broken: Receiver;
let first: string;
let second: string;
beforeAll(async () => {
  service = await startVoiceApi({ workers: true, env: { ...LOOPBACK, ...FAST_WAITS } });
  fine = await receiver();
  broken = await receiver({ fallback: 503 });
  first = (await registered(service, fine.url, { events: ['conversation.started', 'speech.final'] })).id;
  second = (await registered(service, broken.url, { events: ['conversation.started'] })).id;
  await send(service, [...call('one'), ...call('two')]);
  await eventually(async () => {
    const { items } = dataOf<{ items: object[] }>(
      await service.api.get('/v1/deliveries?status=pending').expect(200),
    );
    return items.length === 0;
  });
});
afterAll(async () => {
  await service.stop();
  await fine.close();
  await broken.close();
});

interface Export {
  id: string;
  status: string;
  of: string;
  items: number;
  parts: number;
  error?: string;
}
const state = async (id: string) => dataOf<Export>(await service.api.get(`/v1/exports/${id}`).expect(200));

/** Creates an export, runs it and downloads its file. */
async function exported(body: object) {
  const { id } = dataOf<Export>(
    await service.api.post('/v1/exports', { of: 'deliveries', ...body }).expect(201),
  );
  await eventually(async () => {
    await runExports(service.deps);
    return (await state(id)).status === 'ready';
  });
  const done = await state(id);
  expect(done).toMatchObject({ status: 'ready', of: 'deliveries' });
  let text = '';
  for (let part = 1; part <= done.parts; part += 1)
    text += (await service.api.get(`/v1/exports/${id}/parts/${part}`).expect(200)).text;
  return { ...done, text };
}

test('jsonl has the details of the log, newest first', async () => {
  const { text, items } = await exported({});
  const listed = dataOf<{ items: { id: string }[] }>(
    await service.api.get('/v1/deliveries?limit=100').expect(200),
  ).items;
  expect(items).toBe(listed.length);
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; webhook_id: string });
  expect(lines.map(({ id }) => id)).toEqual(listed.map(({ id }) => id));
  const refused = lines.find((line) => line.webhook_id === second)!;
  expect(refused).toEqual(dataOf(await service.api.get(`/v1/deliveries/${refused.id}`).expect(200)));
  expect(refused).toMatchObject({
    attempt_log: expect.arrayContaining([expect.objectContaining({ status: 503 })]),
  });
});

test('csv has the matches of a filter', async () => {
  const { text } = await exported({ format: 'csv', filter: { webhook_id: second, conversation_id: 'two' } });
  const [head, ...rows] = text.trimEnd().split('\r\n');
  expect(head).toMatch(/^"id","webhook_id","conversation_id","event_id","event","kind","status","attempts",/);
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatch(
    new RegExp(
      `^"dlv_\\w+","${second}","two","evt_\\w+","conversation.started","event","\\w+",\\d,503,"http_status",`,
    ),
  );
  for (const [filter, count] of [
    [{ status: 'delivered' }, 6],
    [{ http_status: 503 }, 2],
    [{ error_class: 'http_status', event: 'conversation.started' }, 2],
    [{ until: '2026-01-01T00:00:00Z' }, 0],
  ] as const)
    expect([filter, (await exported({ filter })).items]).toEqual([filter, count]);
});

test('parts have about 1 MiB and each delivery once', async () => {
  const long = 'x'.repeat(30_000);
  const events = Array.from({ length: 230 }, (_, index) =>
    event('speech.final', `many-${index}`, 0, { turn_index: 0, text: long }),
  );
  for (let from = 0; from < events.length; from += 115) await send(service, events.slice(from, from + 115));
  const { text, parts, items } = await exported({ filter: { webhook_id: first, event: 'speech.final' } });
  expect(items).toBe(230 + 4);
  expect(parts).toBeGreaterThan(6);
  const ids = text
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { id: string }).id);
  expect(new Set(ids).size).toBe(items);
  expect(ids).toEqual(ids.toSorted().reverse());
});

test('erasing a conversation removes the file', async () => {
  await send(service, call('leaves'));
  const with_it = await exported({ filter: { conversation_id: 'leaves' } });
  expect(with_it.items).toBeGreaterThan(0);
  const without = await exported({ filter: { conversation_id: 'one' } });
  await service.api.delete('/v1/conversations/leaves').expect(200);
  expect(await state(with_it.id)).toMatchObject({
    status: 'failed',
    parts: 0,
    error: expect.stringContaining('erased'),
  });
  expect(await state(without.id)).toMatchObject({ status: 'ready' });
  expect((await exported({ filter: { conversation_id: 'leaves', event: 'speech.final' } })).items).toBe(0);
});

test('invalid requests are rejected with the path of the member', async () => {
  const refused = async (body: object) => {
    const answer = await service.api.post('/v1/exports', body).expect(400);
    return (answer.body as { error: { details: { fields: { path: string }[] } } }).error.details.fields;
  };
  expect(await refused({ of: 'deliveries', format: 'vcon' })).toMatchObject([{ path: '/format' }]);
  expect(await refused({ of: 'deliveries', filter: { q: 'x' } })).toMatchObject([{ path: '/filter/q' }]);
  expect(await refused({ filter: { webhook_id: first } })).toMatchObject([{ path: '/filter/webhook_id' }]);
  expect(await refused({ of: 'bots' })).toMatchObject([{ path: '/of' }]);
});
