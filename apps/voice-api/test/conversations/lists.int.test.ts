// The list of conversations: every filter alone and combined, every order, pages, totals, and
// search with marked words (docs/voice-api.md#filters).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { settleDue } from '../../src/conversations/settle-due.ts';
import { at, event, send } from '../events.ts';
import { startVoiceApi, type VoiceApi } from '../service.ts';

let service: VoiceApi;
beforeAll(async () => {
  service = await startVoiceApi();
  const started = (id: string, seconds: number, data: object) => [
    event('conversation.started', id, seconds, { ...data }, { bot_id: 'lists' }),
  ];
  const ended = (id: string, seconds: number, data: object) => [
    event('conversation.ended', id, seconds, { ...data }),
  ];
  const german = { channel: 'phone', direction: 'inbound', from: '+4930555', language: 'de-DE' };
  const english = { channel: 'web', direction: 'outbound', to: 'shop@example.com', language: 'en' };
  const said = (id: string, turn_index: number, text: string) => [
    event('speech.final', id, turn_index, { turn_index, text }),
  ];
  await send(service, [
    ...started('one', 100, { ...german, metadata: { plan: 'gold', 'a.b': 'c d' } }),
    ...said('one', 1, 'I would like to book a <b>table</b> for two, a round table'),
    ...ended('one', 160, { end_reason: 'silence' }),
    ...started('two', 200, { ...english, metadata: { plan: 'silver' } }),
    ...said('two', 1, 'No table, thank you'),
    event('conversation.error', 'two', 230, { code: 'asr_down', message: 'no ears' }),
    ...started('three', 300, { ...german, metadata: { plan: 'gold' }, flow_id: 'f', flow_version: 2 }),
    ...ended('three', 310, { end_reason: 'handed_off' }),
    ...started('four', 400, english),
  ]);
  await settleDue({ ...service.deps, clock: () => Date.now() + 60_000 });
  // Of another organisation, which must not see ours.
  const other = { api: service.as(await service.issueKey('globex')) };
  await send(other, started('theirs', 100, { ...german, metadata: { plan: 'gold' } }));
});
afterAll(() => service.stop());

interface Item {
  id: string;
  found?: { index: number; role: string; text: string; marks: [number, number][] }[];
}
interface Page {
  items: Item[];
  next_cursor: string | null;
  total?: number;
}

async function page(query: string): Promise<Page> {
  const answer = await service.api.get(`/v1/conversations?${query}`).expect(200);
  return (answer.body as { data: Page }).data;
}
const ids = async (query: string) => (await page(query)).items.map(({ id }) => id);

test.each([
  ['direction=inbound', ['three', 'one']],
  ['from=%2B4930555', ['three', 'one']],
  ['to=shop%40example.com&channel=web', ['four', 'two']],
  ['language=de-DE', ['three', 'one']],
  ['language=nobody', []],
  ['status=failed,in_progress', ['four', 'two']],
  ['status=failed&status=completed', ['three', 'two', 'one']],
  ['end_reason=silence,handed_off', ['three', 'one']],
  ['metadata.plan=gold', ['three', 'one']],
  ['metadata.plan=gold&metadata.a.b=c%20d', ['one']],
  ['metadata.plan=gold%1Fx', []],
  [`metadata.plan=${'x'.repeat(500)}`, []],
  ['has_error=true', ['two']],
  ['error_code=asr_down', ['two']],
  ['error_code=asr', []],
  ['has_error=false&channel=web', ['four']],
  ['flow_id=f&flow_version=2', ['three']],
  ['duration_min=30', ['two', 'one']],
  ['duration_max=30', ['three', 'two']],
  [`ended_after=${at(160)}&ended_before=${at(310)}`, ['two', 'one']],
  [`updated_after=${at(0)}&from=%2B4930555`, ['three', 'one']],
  [`updated_before=${at(0)}`, []],
  ['direction=inbound&status=completed&metadata.plan=gold&end_reason=silence', ['one']],
  ['sort=started_at&order=asc', ['one', 'two', 'three', 'four']],
  ['sort=ended_at', ['three', 'two', 'one']],
  ['sort=duration_seconds', ['one', 'two', 'three']],
  ['sort=turn_count', ['two', 'one', 'three']],
  ['sort=turn_count&order=asc&status=completed', ['three', 'one']],
])('%s', async (query, expected) => {
  const sorted = query.includes('sort=') ? query : `${query}&sort=started_at`;
  expect(await ids(sorted)).toEqual(expected);
  const paged: string[] = [];
  let cursor = '';
  do {
    const { items, next_cursor, total } = await page(`${sorted}&limit=1&total=true${cursor}`);
    expect(total).toBe(expected.length);
    paged.push(...items.map(({ id }) => id));
    cursor = next_cursor === null ? '' : `&cursor=${next_cursor}`;
  } while (cursor !== '');
  expect(paged).toEqual(expected);
});

test('a cursor of one order is rejected in the other', async () => {
  const { next_cursor } = await page('sort=duration_seconds&limit=1');
  await service.api
    .get(`/v1/conversations?sort=duration_seconds&order=asc&limit=1&cursor=${next_cursor}`)
    .expect(400);
});

test('sorting by turns reads an index', async () => {
  const plan = await service.deps.sql<{ 'QUERY PLAN': string }>(
    `EXPLAIN SELECT * FROM conversations WHERE organization_id = 'acme' AND due_at IS NULL
     ORDER BY turn_count DESC, id DESC LIMIT 50`,
  );
  const text = plan.map((row) => row['QUERY PLAN']).join('\n');
  expect(text).toContain('conversations_turn_count_idx');
});

describe('the default order', () => {
  const started = (id: string, seconds: number) =>
    event('conversation.started', id, seconds, { channel: 'sip' }, { bot_id: 'late' });
  const listed = async (more = '') => {
    const { items, next_cursor } = await page(`bot_id=late${more}`);
    return { ids: items.map(({ id }) => id), next: next_cursor };
  };

  test('is that of the starts, whatever was reported first', async () => {
    await send(service, [started('late-3', 303)]);
    await send(service, [started('late-1', 301)]);
    await send(service, [started('late-2', 302)]);
    expect((await listed()).ids).toEqual(['late-3', 'late-2', 'late-1']);
    expect((await listed('&order=asc')).ids).toEqual(['late-1', 'late-2', 'late-3']);
    expect((await listed('&sort=created_at')).ids).toEqual(['late-2', 'late-1', 'late-3']);
    expect((await listed(`&started_after=${at(302)}`)).ids).toEqual(['late-3', 'late-2']);
    expect((await listed(`&started_before=${at(302)}&order=asc`)).ids).toEqual(['late-1']);
  });

  test('has every conversation in one page while late reports arrive', async () => {
    // Its start is not known yet, so it has the place of its first report: the newest.
    const unstarted = event('bot.message', 'late-0', 300, { turn_index: 0, text: 'Hello' });
    await send(service, [{ ...unstarted, bot_id: 'late' }]);
    const first = await listed('&limit=2');
    expect(first.ids).toEqual(['late-0', 'late-3']);
    await send(service, [started('late-9', 309), started('late-0', 300)]);
    const second = await listed(`&limit=2&cursor=${first.next}`);
    expect(second.ids).toEqual(['late-2', 'late-1']);
    expect((await listed()).ids).toEqual(['late-9', 'late-3', 'late-2', 'late-1', 'late-0']);
    const query = `bot_id=late&sort=created_at&cursor=${first.next}`;
    await service.api.get(`/v1/conversations?${query}`).expect(400);
  });
});

describe('a spoken word', () => {
  test('is found with its words marked', async () => {
    const { items, total } = await page('q=table&sort=started_at&total=true');
    expect(total).toBe(2);
    expect(items.map(({ id }) => id)).toEqual(['two', 'one']);
    const { text, marks, ...place } = items[1]!.found![0]!;
    expect(place).toEqual({ index: 1, role: 'user' });
    expect(marks.map(([from, to]) => text.slice(from, to))).toEqual(['table', 'table']);
    expect(text).toMatch(/book a +table +for two/);
  });

  test('is found by scanning, with other filters, and only in the own organisation', async () => {
    expect(await ids('q=table&limit=1')).toHaveLength(1);
    expect(await ids('q=table -thank&metadata.plan=gold')).toEqual(['one']);
    expect(await ids('q="thank table"')).toEqual([]);
    expect(await page('q=shop')).toMatchObject({ items: [{ found: [] }, { found: [] }] });
    expect(await ids('q=theirs')).toEqual([]);
  });

  test('is found late in a long conversation', async () => {
    await send(service, [event('bot.message', 'short', 0, { turn_index: 0, text: 'zanzibar' })]);
    const turns = Array.from({ length: 40 }, (_, turn_index) =>
      event('bot.message', 'long', turn_index, { turn_index, text: turn_index === 39 ? 'zanzibar' : 'yes' }),
    );
    await send(service, turns);
    expect(await ids('q=zanzibar')).toEqual(['long', 'short']);
    expect(await ids('q=zanzibar&limit=1')).toEqual(['long']);
  });
});

test.each([
  'order=up',
  'sort=name',
  'metadata.=x',
  'plan=gold',
  'status=over',
  'has_error=maybe',
  `metadata.${'k'.repeat(129)}=x`,
  'sort=ended_at&cursor=WzEsImEiXQ',
  Array.from({ length: 11 }, (_, index) => `metadata.k${index}=x`).join('&'),
])('rejects %s', async (query) => {
  await service.api.get(`/v1/conversations?${query}`).expect(400);
});
