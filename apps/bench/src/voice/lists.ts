// The list of conversations with its filters, over a million of them against ten thousand
// (docs/voice-api.md#filters), and words over a million utterances against ten thousand
// (docs/voice-api.md#search). Each answer is one page, so both should cost about the same.
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { cpuTimer } from '../cpu-time.ts';
import type { Variant } from '../harness.ts';
import { quantileOf } from '../statistics.ts';
import type { Part } from '../suites.ts';
import { loadBare } from './bulk-load.ts';
import { call, withVoiceStack, type VoiceService } from './voice-stack.ts';

const FEW = 10_000;
const MANY = 1_000_000;
/** Utterances of one of those conversations that have any: a tenth of them has ten. */
const TURNS = 10;
const WINDOW_SECONDS = 1;
/**
 * Searches whose times are printed, each for another word: most are said some fifteen times, some
 * by all, some by a few.
 */
const SEARCHES = 200;
const SEARCH_MS_MAX = 100;
/** Size of the index of search documents, in sizes of the texts. */
const INDEX_MAX = 0.6;
/** Of every twenty searches. */
const NAMED_WORDS: Readonly<Record<number, string>> = { 0: 'zanzibar', 5: 'orchard', 10: 'table' };

/**
 * Each is met by as many conversations of both organisations, or by a share of them; then a page is
 * what is found first.
 */
const QUESTIONS: readonly { readonly what: string; readonly query: string; readonly finds: number }[] = [
  { what: 'the newest', query: '', finds: 50 },
  { what: 'nine of ten', query: 'status=completed', finds: 50 },
  { what: 'one number', query: 'from=%2B15550100', finds: 20 },
  { what: 'one member of the metadata', query: 'metadata.case=rare', finds: 20 },
  { what: 'none', query: 'status=busy', finds: 0 },
  { what: 'two that many meet', query: 'status=failed&channel=web', finds: 50 },
  { what: 'several together', query: 'status=failed&channel=web&metadata.case=rare', finds: 5 },
  { what: 'the longest', query: 'sort=duration_seconds', finds: 50 },
  { what: 'a word that few said', query: 'q=zanzibar', finds: 20 },
  { what: 'a word that some said', query: 'q=orchard', finds: 50 },
  { what: 'a word that all said', query: 'q=table', finds: 50 },
  { what: 'the same of one number', query: 'q=table&from=%2B15550100', finds: 20 },
];

export const listsPart: Part = {
  title: 'lists',
  open: (setting, measure, tell) =>
    withVoiceStack(setting, async (stack) => {
      const service = await stack.startService('http');
      const sides = [
        { organization: 'few', conversations: FEW },
        { organization: 'many', conversations: MANY },
      ];
      const asking: { name: string; ask: (query: string, finds: number) => Variant }[] = [];
      const keys = new Map<string, string>();
      await loadBare(stack.pool, ['conversations', 'turns'], async () => {
        for (const { organization, conversations } of sides) {
          await stack.pool.query(CONVERSATIONS, [organization, conversations]);
          await stack.pool.query(SAID, [
            organization,
            Math.round(conversations / 10),
            TURNS,
            Math.floor(conversations / 10 / 20),
          ]);
        }
      });
      for (const { organization, conversations } of sides) {
        const apiKey = stack.addOrganization(organization);
        keys.set(organization, apiKey);
        const name = `of ${conversations} conversations`;
        asking.push({ name, ask: (query, finds) => ask(name, service, apiKey, query, finds) });
      }
      const worker = await stack.startService('worker');
      const documentsPerSecond = await waitForDocuments(stack.pool);
      await worker.process.stop();
      await stack.pool.query('VACUUM ANALYZE conversations, turns, search_documents');
      tell({
        title: `Full text over ${MANY} utterances`,
        figures: [
          {
            name: `p95 of ${SEARCHES} searches`,
            value: quantileOf(await searchTimes(service, keys.get('many')!), 0.95),
            unit: 'ms',
            atMost: SEARCH_MS_MAX,
          },
          { name: 'index', value: await measureIndex(stack.pool), unit: '× the texts', atMost: INDEX_MAX },
          { name: 'documents built', value: documentsPerSecond, unit: '/s' },
        ],
        note: 'one after the other, on one connection, pages of 50 with what was found marked',
      });
      const [few, many] = asking as [(typeof asking)[0], (typeof asking)[0]];
      for (const { what, query, finds } of QUESTIONS)
        await measure({
          title: `GET /conversations?${query || '…'}: ${what}`,
          operation: 'request',
          windowSeconds: WINDOW_SECONDS,
          variants: [few.ask(query, finds), many.ask(query, finds)],
          ratios: [{ of: 'time', over: many.name, under: few.name, atMost: 1.2 }],
          note: `one after the other, on one connection, pages of 50. A tenth of the conversations has ${TURNS} utterances each`,
        });
    }),
};

/** Twenty are of one number, twenty have a rare member, one of ten failed; nobody was busy. */
const CONVERSATIONS = `
  INSERT INTO conversations (organization_id, id, bot_id, status, channel, from_address, end_reason, metadata, started_at, ended_at,
    duration_seconds, turn_count, revision, transcript_ready, facts, sequence, start_sent, end_sent, counted, settled_at, due_at,
    created_at, updated_at, bytes, searched)
  SELECT $1, 'conv_' || n, 'bot_' || n % 5, CASE WHEN n % 10 = 0 THEN 'failed' ELSE 'completed' END,
    (ARRAY['phone', 'web', 'sip', 'chat'])[1 + n / 10 % 4],
    CASE WHEN n % ($2 / 20) = 0 THEN '+15550100' ELSE '+1666' || n % 50000 END,
    CASE WHEN n % 10 = 0 THEN 'error' ELSE 'user_hangup' END,
    CASE WHEN n % ($2 / 20) = 10 * (n / ($2 / 20)) THEN '{"case": "rare"}' ELSE '{"case": "usual"}' END::jsonb,
    at, at + interval '1 minute', hashint4(n) & 1023, 0, said, true, '{}', 10, true, true, true, at, NULL, at, at, 100 * said, said = 0
  FROM (SELECT n, CASE WHEN n % 10 = 0 THEN ${TURNS} ELSE 0 END AS said, '2026-01-01T00:00:00Z'::timestamptz + n * interval '1 second' AS at
    FROM generate_series(0, $2::int - 1) AS n) AS made`;

/**
 * $2 conversations with $3 utterances each; one word in each, others in every fifth and in every
 * $4th conversation.
 */
const SAID = `
  INSERT INTO turns (organization_id, conversation_id, turn_index, role, text, interrupted, occurred_at, event_id, bytes)
  SELECT $1, 'conv_' || n * 10, turn, CASE WHEN turn % 2 = 0 THEN 'user' ELSE 'bot' END,
    'We talk of table ' || n || ' and of what else there is, word ' || (hashint4(n * 16 + turn) & 65535)
      || CASE WHEN turn = 3 AND n % 5 = 0 THEN ' by the orchard' ELSE '' END
      || CASE WHEN turn = 5 AND n % $4::int = 0 THEN ' in zanzibar' ELSE '' END,
    false, now(), 'e', 100
  FROM generate_series(0, $2::int - 1) AS n, generate_series(1, $3::int) AS turn`;

const POLL_MS = 250;

/** Waits until every conversation has its search document. Gives how many were built a second. */
async function waitForDocuments(pool: pg.Pool): Promise<number> {
  const startedAt = performance.now();
  const isOpen = async () =>
    (await pool.query('SELECT 1 FROM conversations WHERE NOT searched LIMIT 1')).rows.length > 0;
  while (await isOpen()) await sleep(POLL_MS);
  const seconds = (performance.now() - startedAt) / 1000;
  const { rows } = await pool.query<{ count: number }>('SELECT count(*)::int AS count FROM search_documents');
  return rows[0]!.count / seconds;
}

/** The size of the index of terms, in sizes of the texts. */
async function measureIndex(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ share: number }>(
    `SELECT pg_relation_size('search_documents_terms_idx') / sum(octet_length("text"))::float8 AS share FROM turns`,
  );
  return rows[0]!.share;
}

/** Milliseconds, of each. */
async function searchTimes({ baseUrl }: VoiceService, apiKey: string): Promise<number[]> {
  const times: number[] = [];
  for (let nth = 0; nth < SEARCHES; nth += 1) {
    const words = NAMED_WORDS[nth % 20] ?? `word ${(nth * 7_919) % 65_536}`;
    const startedAt = performance.now();
    await call('GET', `${baseUrl}/conversations?limit=50&q=${encodeURIComponent(words)}`, apiKey);
    times.push(performance.now() - startedAt);
  }
  return times;
}

function ask(
  name: string,
  { baseUrl, process: service }: VoiceService,
  apiKey: string,
  query: string,
  finds: number,
): Variant {
  return {
    name,
    run: async (seconds) => {
      const cpu = cpuTimer([service.pid]);
      const startedAt = performance.now();
      let operations = 0;
      while (performance.now() - startedAt < seconds * 1000) {
        const { items } = await call<{ items: unknown[] }>(
          'GET',
          `${baseUrl}/conversations?limit=50&${query}`,
          apiKey,
        );
        if (items.length !== finds) throw new Error(`${query}: ${items.length} in place of ${finds}`);
        operations += 1;
      }
      const took = (performance.now() - startedAt) / 1000;
      return { operations, seconds: took, cpuSeconds: cpu() };
    },
  };
}
