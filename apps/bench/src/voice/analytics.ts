// Analytics over a million conversations against ten thousand, the same window
// (docs/voice-api.md#analytics): what is read is rollups, so both should cost the same.
import { cpuTimer } from '../cpu-time.ts';
import type { Variant } from '../harness.ts';
import { until } from '../service-stack.ts';
import type { Part } from '../suites.ts';
import { loadBare } from './bulk-load.ts';
import { call, withVoiceStack, type VoiceService, type VoiceStack } from './voice-stack.ts';

const FEW = 10_000;
const MANY = 1_000_000;
const CALLERS = 5_000;
const DAYS = 7;
/**
 * A week is this many stretches of six hours: as long as two of the longer blocks, so a stretch can
 * be moved.
 */
const STRETCHES = DAYS * 4;
const STRETCH_HOURS = 6;
const WINDOW_START = '2026-11-02T00:00:00Z';
const WINDOW_SECONDS = 2;
const FOLDED_WITHIN_MS = 120_000;

export const analyticsPart: Part = {
  title: 'analytics',
  open: (setting, measure) =>
    withVoiceStack(setting, async (stack) => {
      const service = await stack.startService('all');
      const sides = [
        { name: `over ${FEW} conversations`, organization: 'few', conversations: FEW },
        { name: `over ${MANY} conversations`, organization: 'many', conversations: MANY },
      ] as const;
      const asking: { name: string; usage: Variant; performance: Variant }[] = [];
      for (const { name, organization, conversations } of sides) {
        const apiKey = stack.addOrganization(organization);
        await load(stack, organization, conversations);
        asking.push({
          name,
          usage: ask(name, service, apiKey, 'usage', conversations),
          performance: ask(name, service, apiKey, 'performance', conversations),
        });
      }
      await stack.pool.query('VACUUM ANALYZE analytics_rollups, conversations');
      const [few, many] = asking as [(typeof asking)[0], (typeof asking)[0]];
      for (const [what, atMost] of [
        ['usage', 1.1],
        ['performance', 1.5],
      ] as const) {
        await measure({
          title: `GET /analytics/${what}, ${DAYS} days by day in Europe/Berlin, grouped by channel`,
          operation: 'request',
          windowSeconds: WINDOW_SECONDS,
          variants: [few[what], many[what]],
          ratios: [{ of: 'time', over: many.name, under: few.name, atMost }],
          note:
            'one after the other, on one connection, the same question each time: blocks that have not changed are in memory. The rollups of six hours were made by the service out of facts; the other ' +
            `${STRETCHES - 1} stretches of the week are copies of them, and the conversations are rows without turns`,
        });
      }
    }),
};

/**
 * The conversations of six hours as facts, folded by the running service, and its rollups copied
 * over the week: folding a million facts would take minutes and measure nothing more. Conversations
 * themselves are rows of their table, which analytics must not feel.
 */
async function load({ pool }: VoiceStack, organization: string, conversations: number): Promise<void> {
  const inStretch = Math.round(conversations / STRETCHES);
  await pool.query(FACTS, [organization, WINDOW_START, inStretch, STRETCH_HOURS, CALLERS]);
  await until('the fold', FOLDED_WITHIN_MS, async () => {
    const { rows } = await pool.query<{ left: boolean }>(
      'SELECT EXISTS (SELECT FROM analytics_facts WHERE organization_id = $1) AS left',
      [organization],
    );
    return !rows[0]!.left;
  });
  await pool.query(COPIES, [organization, STRETCHES - 1, STRETCH_HOURS]);
  await loadBare(pool, ['conversations'], () =>
    pool.query(CONVERSATIONS, [organization, WINDOW_START, conversations, DAYS * 24]),
  );
}

/**
 * Sixteen latencies a conversation, from 60 ms to 3 s; the same pseudo-random numbers at every run.
 */
const latencies = (stage: number, least: number, most: number): string =>
  `ARRAY(SELECT (${least} + ${most - least} * pow((hashint4(n * 64 + ${stage} * 8 + turn) & 65535) / 65535.0, 3))::int
    FROM generate_series(1, 4) AS turn)`;

const FACTS = `
  INSERT INTO analytics_facts (organization_id, starts_at, bot_id, channel, status, end_reason, language, caller,
    conversations, duration_ms, turns, bot_turns, interruptions, e2e_us, asr_us, llm_us, tts_us)
  SELECT $1, date_bin('15 minutes', $2::timestamptz + (n * $4::float8 / $3) * interval '1 hour', 'epoch'), 'bot_' || n % 5,
    (ARRAY['phone', 'web', 'sip', 'chat'])[1 + n % 4],
    CASE WHEN n % 10 = 0 THEN 'failed' ELSE 'completed' END, CASE WHEN n % 10 = 0 THEN 'error' ELSE 'user_hangup' END,
    CASE WHEN n % 3 = 0 THEN 'de' ELSE 'en' END,
    sha256(convert_to('caller ' || (hashint4(n) & 2147483647) % $5::int, 'UTF8')),
    1, 20000 + (hashint4(n) & 1048575), 8, 4, n % 2,
    ${latencies(0, 300_000, 3_000_000)}, ${latencies(1, 60_000, 600_000)},
    ${latencies(2, 100_000, 1_500_000)}, ${latencies(3, 60_000, 400_000)}
  FROM generate_series(0, $3::int - 1) AS n`;

const ROLLUP_COLUMNS = `conversations, completed, failed, duration_ms, turns, bot_turns, interruptions, webhook_attempts,
  webhook_delivered, api_requests, distributions, callers`;

const COPIES = `
  INSERT INTO analytics_rollups (organization_id, bot_id, dimension, level, starts_at, value, ${ROLLUP_COLUMNS})
  SELECT organization_id, bot_id, dimension, level, starts_at + stretch * $3::int * interval '1 hour', value, ${ROLLUP_COLUMNS}
  FROM analytics_rollups CROSS JOIN generate_series(1, $2::int) AS stretch
  WHERE organization_id = $1 AND dimension <> 'traffic'`;

const CONVERSATIONS = `
  INSERT INTO conversations (organization_id, id, bot_id, status, metadata, started_at, turn_count, revision, transcript_ready,
    facts, sequence, start_sent, end_sent, counted, settled_at, due_at, created_at, updated_at)
  SELECT $1, 'conv_' || n, 'bot_' || n % 5, 'completed', '{}', at, 8, 8, true, '{}', 10, true, true, true, at, NULL, at, at
  FROM (SELECT n, $2::timestamptz + (n * $4::float8 / $3) * interval '1 hour' AS at FROM generate_series(0, $3::int - 1) AS n)`;

function ask(
  name: string,
  { baseUrl, process: service }: VoiceService,
  apiKey: string,
  what: 'usage' | 'performance',
  conversations: number,
): Variant {
  const query =
    'from=2026-11-02T00:00:00Z&to=2026-11-09T00:00:00Z&timezone=Europe/Berlin&interval=day&group_by=channel';
  // Whole stretches: the last digits may be missing.
  const expected = Math.round(conversations / STRETCHES) * STRETCHES;
  return {
    name,
    run: async (seconds) => {
      const cpu = cpuTimer([service.pid]);
      const startedAt = performance.now();
      let operations = 0;
      while (performance.now() - startedAt < seconds * 1000) {
        const { totals } = await call<{ totals: { conversations: number } }>(
          'GET',
          `${baseUrl}/analytics/${what}?${query}`,
          apiKey,
        );
        if (totals.conversations !== expected)
          throw new Error(`${totals.conversations} conversations in place of ${expected}`);
        operations += 1;
      }
      const took = (performance.now() - startedAt) / 1000;
      return { operations, seconds: took, cpuSeconds: cpu() };
    },
  };
}
