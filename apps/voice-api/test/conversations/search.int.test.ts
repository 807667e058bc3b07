// A search finds what checking every conversation finds, in the same order and page by page:
// frequent words, rare words, old words, with filters and other orders (docs/voice-api.md#search).
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { buildDocuments } from '../../src/conversations/search-documents.ts';
import { seeded } from '../brute-force-analytics.ts';
import { startVoiceApi, type VoiceApi } from '../service.ts';

const CONVERSATIONS = 4_500;
/** Several conversations share a time, so their ids decide the order. */
const AT_ONCE = 3;
/** Only the oldest contain "formerly": beyond single look-ups and the first scan. */
const OLD = 4_000;

let service: VoiceApi;
beforeAll(async () => {
  service = await startVoiceApi();
  const random = seeded(18);
  const oneOf = (count: number) => Math.floor(random() * count) === 0;
  const rows = Array.from({ length: CONVERSATIONS }, (_, n) => {
    const turns = oneOf(40) ? 60 : Math.floor(random() * 4);
    return {
      id: `c${n % 7}-${n}`,
      at: new Date(Date.UTC(2026, 0, 1) + Math.floor(n / AT_ONCE) * 1000),
      seconds: oneOf(9) ? null : Math.floor(random() * 50),
      status: oneOf(4) ? 'failed' : 'completed',
      from: oneOf(300) ? '+4930555' : '+1666',
      metadata: { said: oneOf(60) ? 'tenth' : '"nothing"' },
      turns: Array.from({ length: turns }, (__, turn) =>
        [
          'We talk of',
          ...(oneOf(2) ? ['half'] : []),
          ...(oneOf(10) ? ['tenth'] : []),
          ...(oneOf(50) ? ['fiftieth'] : []),
          ...(oneOf(2_000) ? ['rare'] : []),
          ...(n < OLD && turn === 0 ? ['formerly'] : []),
          ...(turn === 59 ? [`late ${'x'.repeat(oneOf(3) ? 15_000 : 10)} end`] : []),
        ].join(' '),
      ),
    };
  });
  for (const organization of ['acme', 'globex']) {
    await service.deps.sql(INSERT_CONVERSATIONS, [JSON.stringify(rows), organization]);
    await service.deps.sql(INSERT_TURNS, [JSON.stringify(rows), organization]);
  }
  await buildAll();
  await service.deps.sql('ANALYZE conversations');
  await service.deps.sql('ANALYZE turns');
}, 300_000);
afterAll(() => service.stop());

/** A round is bounded. */
async function buildAll(): Promise<void> {
  while ((await buildDocuments(service.deps)) > 0);
}

const INSERT_CONVERSATIONS = `
  INSERT INTO conversations (organization_id, id, status, from_address, duration_seconds, metadata, facts, turn_count, revision,
    transcript_ready, sequence, start_sent, end_sent, counted, bytes, created_at, updated_at)
  SELECT $2, id, status, "from", seconds, metadata, '{}', json_array_length(turns), json_array_length(turns), true, 0, true, true, true,
    CASE WHEN seconds = 7 THEN 0 ELSE octet_length(turns::text) END, at, at
  FROM json_to_recordset($1) AS row (id text, at timestamptz, seconds float8, status text, "from" text, metadata jsonb, turns json)`;

const INSERT_TURNS = `
  INSERT INTO turns (organization_id, conversation_id, turn_index, role, text, interrupted, occurred_at, event_id, bytes)
  SELECT $2, id, said.index, 'user', said.text, false, at, 'e', octet_length(said.text)
  FROM json_to_recordset($1) AS row (id text, at timestamptz, turns json),
    json_array_elements_text(turns) WITH ORDINALITY AS said (text, index)`;

/** The expected matches, found by checking every conversation. */
async function scanned(q: string, condition: string, order: string): Promise<string[]> {
  const rows = await service.deps.sql<{ id: string }>(
    `SELECT id FROM conversations AS c WHERE organization_id = 'acme' AND ${condition} AND (
       id ILIKE $2 OR from_address ILIKE $2 OR metadata ->> 'said' ILIKE $2 OR id IN (
         SELECT conversation_id FROM turns WHERE organization_id = 'acme' AND to_tsvector('simple', text) @@ websearch_to_tsquery('simple', $1)))
     ORDER BY ${order}`,
    [q, `%${q}%`],
  );
  return rows.map(({ id }) => id);
}

interface Page {
  items: { id: string; found: { text: string }[] }[];
  next_cursor: string | null;
  total: number;
}

async function page(query: URLSearchParams): Promise<Page> {
  const answer = await service.api.get(`/v1/conversations?${query.toString()}`).expect(200);
  return (answer.body as { data: Page }).data;
}

const WORDS = [
  'talk',
  'half',
  'tenth',
  'fiftieth',
  'rare',
  'formerly',
  'late',
  'nobody',
  '"of half"',
  'half -tenth',
  'c3-59',
  '"nothing"',
];
const FILTERS = [
  ['', 'true'],
  ['status=failed', `status = 'failed'`],
  ['from=%2B4930555', `from_address = '+4930555'`],
  ['metadata.said=tenth', `metadata ->> 'said' = 'tenth'`],
] as const;
const ORDERS = [
  ['', 'created_at DESC, id DESC'],
  ['order=asc', 'created_at, id'],
  ['sort=duration_seconds', 'duration_seconds DESC, id DESC'],
] as const;
const SEARCHES = WORDS.flatMap((q) =>
  [
    ...ORDERS.map((order) => [FILTERS[0], order] as const),
    ...FILTERS.slice(1).map((filter) => [filter, ORDERS[0]] as const),
  ].map(([[filter, condition], [sort, order]]) => [q, filter, sort, condition, order] as const),
);

test.each(SEARCHES)('%s among "%s" by "%s"', async (q, filter, sort, condition, order) => {
  const sortable = sort.startsWith('sort=') ? `${condition} AND duration_seconds IS NOT NULL` : condition;
  const all = await scanned(q, sortable, order);
  const query = new URLSearchParams([filter, sort, 'total=true'].filter((part) => part !== '').join('&'));
  query.set('q', q);
  let at = 0;
  // The first pages, and one far behind.
  for (const limit of [1, 7, 50, 100, 100]) {
    query.set('limit', String(limit));
    const { items, next_cursor: next, total } = await page(query);
    expect(items.map(({ id }) => id)).toEqual(all.slice(at, at + limit));
    expect(total).toBe(all.length);
    at += limit;
    expect(next === null).toBe(at >= all.length);
    if (next === null) break;
    query.set('cursor', next);
  }
});

test('matches among few filtered conversations are found, however frequent the word is elsewhere', async () => {
  const other = service.as(await service.issueKey('initech'));
  const spoken = [
    ...Array.from({ length: 260 }, () => ({
      from: '+1666',
      turns: Array.from({ length: 200 }, () => 'everybody'),
    })),
    { from: '+4930555', turns: ['everybody'] },
    ...Array.from({ length: 20 }, (_, n) => ({
      from: '+4930666',
      turns: [`${'long '.repeat(3_800)} ${n === 0 ? 'first' : ''}`],
    })),
  ];
  const conversations = spoken.map((said, n) => ({
    id: `c-${String(n).padStart(4, '0')}`,
    at: new Date(Date.UTC(2026, 0, 1) + n * 1000),
    status: 'completed',
    metadata: {},
    ...said,
  }));
  await service.deps.sql(INSERT_CONVERSATIONS, [JSON.stringify(conversations), 'initech']);
  await service.deps.sql(INSERT_TURNS, [JSON.stringify(conversations), 'initech']);
  await buildAll();
  const ids = async (query: string) => {
    const answer = await other.get(`/v1/conversations?${query}`).expect(200);
    return (answer.body as { data: Page }).data.items.map(({ id }) => id);
  };
  expect(await ids('q=everybody&from=%2B4930555')).toEqual(['c-0260']);
  expect(await ids('q=first&from=%2B4930666')).toEqual(['c-0261']);
});
