// Compares every figure of the analytics with brute force over the raw facts: not folded, half
// folded, folded; across clock changes.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type pg from 'pg';
import { createPool, inTransaction, sqlOf } from '@parley/server/postgres';
import { createLog, Secret } from '@parley/server/runtime';
import { capturedLog, createTestDatabase } from '@parley/testing';
import { foldFacts } from '../src/analytics/fold-facts.ts';
import { createBlockCache } from '../src/analytics/block-cache.ts';
import { readPerformance } from '../src/analytics/read-performance.ts';
import { readUsage } from '../src/analytics/read-usage.ts';
import {
  recordConversations,
  recordDeliveryAttempts,
  recordRequests,
} from '../src/analytics/record-facts.ts';
import { analyticsQuery } from '../src/analytics/schemas.ts';
import { INTERVALS } from '../src/analytics/buckets.rules.ts';
import { DIMENSIONS } from '../src/analytics/series.rules.ts';
import {
  BOT_VERSIONS,
  expectPerformance,
  expectUsage,
  randomFacts,
  seeded,
  type Facts,
} from './brute-force-analytics.ts';

/** A busy machine takes ten times as long as an idle one. */
jest.setTimeout(120_000);

const NOW_MS = Date.parse('2026-11-20T12:00:00Z');
const caller = (organizationId: string) => ({ organizationId }) as Parameters<typeof readUsage>[1];

async function record(pool: pg.Pool, { conversations, attempts, requests }: Facts): Promise<void> {
  await inTransaction(pool, async (sql) => {
    await recordConversations(sql, conversations);
    await recordDeliveryAttempts(sql, attempts);
    await recordRequests(sql, requests);
  });
}

const half = <T>(all: readonly T[], which: 0 | 1): T[] => all.filter((_, index) => index % 2 === which);
const takeHalf = ({ conversations, attempts, requests }: Facts, which: 0 | 1): Facts => ({
  conversations: half(conversations, which),
  attempts: half(attempts, which),
  requests: half(requests, which),
});

/** Windows across a change of clocks, with ends between blocks. */
const windows = [
  { timezone: 'Europe/Berlin', from: '2026-10-22T21:15:00Z', to: '2026-10-28T03:45:00Z' },
  { timezone: 'Australia/Lord_Howe', from: '2026-04-01T00:30:00Z', to: '2026-04-07T00:00:00Z' },
  { timezone: 'Asia/Kathmandu', from: '2026-10-24T18:15:00Z', to: '2026-10-27T18:15:00Z' },
] as const;

describe.each(['not folded', 'half folded', 'folded'] as const)('%s', (state) => {
  const random = seeded(20261120);
  const dayMs = 86_400_000;
  // Includes facts outside the windows, which must not count.
  const facts = [
    randomFacts(random, 500, Date.parse('2026-10-21T12:00:00Z'), Date.parse('2026-10-29T12:00:00Z')),
    randomFacts(random, 300, Date.parse('2026-03-31T00:00:00Z'), Date.parse('2026-04-07T00:00:00Z') + dayMs),
  ].reduce((all, more) => ({
    conversations: [...all.conversations, ...more.conversations],
    attempts: [...all.attempts, ...more.attempts],
    requests: [...all.requests, ...more.requests],
  }));
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let pool: pg.Pool;
  const blockCache = createBlockCache();
  const deps = () => ({ pool, blockCache, clock: () => NOW_MS });

  beforeAll(async () => {
    database = await createTestDatabase('voice-api');
    const log = createLog({ service: 'analytics test', level: 'warn', destination: capturedLog() });
    pool = createPool({
      url: new Secret(database.url),
      applicationName: 'analytics test',
      connectionsMax: 4,
      log,
    });
    for (const { botId, version, at } of BOT_VERSIONS)
      await sqlOf(pool)(
        `INSERT INTO bot_versions (organization_id, bot_id, version, data, at) VALUES ('acme', $1, $2, '{}', $3)`,
        [botId, version, at],
      );
    if (state === 'not folded') return record(pool, facts);
    await record(pool, takeHalf(facts, 0));
    await foldFacts(pool, sqlOf(pool));
    await record(pool, takeHalf(facts, 1));
    if (state === 'folded') await foldFacts(pool, sqlOf(pool));
    const [left] = await sqlOf(pool)<{ count: number }>('SELECT count(*) AS count FROM analytics_facts');
    if (state === 'folded') expect(left!.count).toBe(0);
    else expect(left!.count).toBeGreaterThan(400);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  describe.each(windows)('$timezone', (window) => {
    test.each(INTERVALS)('figures by %s are right in every organisation', async (interval) => {
      for (const organizationId of ['acme', 'globex', 'initech']) {
        const query = analyticsQuery.parse({ ...window, interval });
        expectUsage(await readUsage(deps(), caller(organizationId), query), facts, { organizationId });
        const answer = await readPerformance(deps(), caller(organizationId), query);
        expectPerformance(answer, facts, { organizationId });
      }
    });

    test.each(DIMENSIONS)('figures grouped by %s are right for all bots and for one', async (groupBy) => {
      for (const botId of [undefined, 'bot_2']) {
        const query = analyticsQuery.parse({
          ...window,
          interval: 'day',
          group_by: groupBy,
          ...(botId && { bot_id: botId }),
        });
        const question = { organizationId: 'acme', botId, groupBy };
        expectUsage(await readUsage(deps(), caller('acme'), query), facts, question);
        expectPerformance(await readPerformance(deps(), caller('acme'), query), facts, question);
      }
    });
  });

  test('a year by months has zeros in its empty months', async () => {
    const query = analyticsQuery.parse({
      from: '2025-11-20',
      to: '2026-11-20',
      interval: 'month',
      timezone: 'America/New_York',
      group_by: 'channel',
    });
    const usage = await readUsage(deps(), caller('acme'), query);
    expect(usage.buckets).toHaveLength(13);
    expect(usage.from).toBe('2025-11-20T05:00:00.000Z');
    expectUsage(usage, facts, { organizationId: 'acme', groupBy: 'channel' });
    const performance = await readPerformance(deps(), caller('acme'), query);
    expectPerformance(performance, facts, { organizationId: 'acme', groupBy: 'channel' });
  });

  test('unknown bots and organisations have zeros', async () => {
    const query = analyticsQuery.parse({ ...windows[0], bot_id: 'bot_none' });
    const usage = await readUsage(deps(), caller('acme'), query);
    expect(usage.totals).toMatchObject({ conversations: 0, unique_callers: 0, api_requests: null });
    const other = await readUsage(deps(), caller('nobody'), analyticsQuery.parse(windows[0]));
    expect(other.totals).toMatchObject({ conversations: 0, webhook_deliveries: 0, api_requests: 0 });
  });
});
