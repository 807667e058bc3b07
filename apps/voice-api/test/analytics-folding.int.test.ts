// The fold: safe with several workers, harmless when killed; and the cost of reads.
import { afterAll, beforeEach, expect, jest, test } from '@jest/globals';
import type pg from 'pg';
import { createPool, inTransaction, sqlOf, type Sql } from '@parley/server/postgres';
import { createLog, Secret } from '@parley/server/runtime';
import { capturedLog, createTestDatabase, eventually } from '@parley/testing';
import { FACTS_PER_FOLD_MAX, foldFacts, foldSome } from '../src/analytics/fold-facts.ts';
import { createBlockCache } from '../src/analytics/block-cache.ts';
import { readBuckets, type RollupQuery } from '../src/analytics/read-rollups.ts';
import { readPerformance } from '../src/analytics/read-performance.ts';
import { readUsage } from '../src/analytics/read-usage.ts';
import {
  callerDigest,
  recordConversations,
  recordDeliveryAttempts,
  recordRequests,
  type ConversationFact,
} from '../src/analytics/record-facts.ts';
import { analyticsQuery } from '../src/analytics/schemas.ts';
import { expectPerformance, expectUsage, randomFacts, seeded, type Facts } from './brute-force-analytics.ts';

/** A busy machine takes ten times as long as an idle one. */
jest.setTimeout(120_000);

const FROM_MS = Date.parse('2026-10-24T00:00:00Z');
const TO_MS = Date.parse('2026-10-26T00:00:00Z');
const query = analyticsQuery.parse({
  from: '2026-10-24T00:00:00Z',
  to: '2026-10-26T00:00:00Z',
  timezone: 'Europe/Berlin',
  group_by: 'channel',
});
const log = createLog({ service: 'analytics test', level: 'warn', destination: capturedLog() });
const opened: (() => Promise<void>)[] = [];
let pool: pg.Pool;
let sql: Sql;

beforeEach(async () => {
  const database = await createTestDatabase('voice-api');
  const url = new Secret(database.url);
  pool = createPool({ url, applicationName: 'analytics test', connectionsMax: 6, log });
  const mine = pool;
  opened.push(async () => {
    await mine.end();
    await database.drop();
  });
  sql = sqlOf(pool);
});
afterAll(async () => {
  for (const close of opened) await close();
});

async function record({ conversations, attempts, requests }: Facts): Promise<void> {
  await recordConversations(sql, conversations);
  await recordDeliveryAttempts(sql, attempts);
  await recordRequests(sql, requests);
}

/** Shared by all tests: entries must not outlive their rows. */
const blockCache = createBlockCache();

async function expectExactFigures(facts: Facts): Promise<void> {
  const deps = { pool, blockCache, clock: () => TO_MS };
  const caller = (organizationId: string) => ({ organizationId }) as Parameters<typeof readUsage>[1];
  for (const organizationId of ['acme', 'globex', 'initech']) {
    const question = { organizationId, groupBy: 'channel' as const };
    expectUsage(await readUsage(deps, caller(organizationId), query), facts, question);
    expectPerformance(await readPerformance(deps, caller(organizationId), query), facts, question);
  }
}

const factsLeft = async (): Promise<number> =>
  (await sql<{ count: number }>('SELECT count(*) AS count FROM analytics_facts'))[0]!.count;

test('reads are right while several workers fold and facts arrive', async () => {
  const random = seeded(7);
  const rounds = Array.from({ length: 3 }, () => randomFacts(random, 200, FROM_MS, TO_MS));
  let known: Facts = { conversations: [], attempts: [], requests: [] };
  for (const facts of rounds) {
    await record(facts);
    known = {
      conversations: [...known.conversations, ...facts.conversations],
      attempts: [...known.attempts, ...facts.attempts],
      requests: [...known.requests, ...facts.requests],
    };
    const folding = Promise.all([foldFacts(pool, sql), foldFacts(pool, sql), foldFacts(pool, sql)]);
    await expectExactFigures(known);
    const folded = (await folding).reduce((sum, count) => sum + count, 0);
    expect(folded).toBeGreaterThan(0);
    // A worker skips an organisation that another one is folding; the next round folds the rest.
    await eventually(async () => (await foldFacts(pool, sql)) === 0 && (await factsLeft()) === 0);
    await expectExactFigures(known);
  }
});

test('a killed fold leaves no trace, and the next one folds each fact once', async () => {
  const facts = randomFacts(seeded(8), 250, FROM_MS, TO_MS);
  await record(facts);
  const before = await factsLeft();
  for (const last of ['INSERT INTO analytics_rollups', 'DELETE FROM analytics_facts']) {
    const killed = inTransaction(pool, (transaction) =>
      foldSome(async (text, values) => {
        const rows = await transaction<never>(text, values);
        if (text.includes(last)) {
          const [me] = await transaction<{ pid: number }>('SELECT pg_backend_pid() AS pid');
          await sql('SELECT pg_terminate_backend($1)', [me!.pid]);
        }
        return rows;
      }, 'acme'),
    );
    await expect(killed).rejects.toThrow();
    expect(await factsLeft()).toBe(before);
    await expectExactFigures(facts);
  }
  await eventually(async () => (await foldFacts(pool, sql)) === 0 && (await factsLeft()) === 0);
  await expectExactFigures(facts);
});

test('more facts than fit into one transaction are folded in several', async () => {
  const conversations = steady(1, FACTS_PER_FOLD_MAX + 1);
  await recordConversations(sql, conversations);
  expect(await foldFacts(pool, sql)).toBe(FACTS_PER_FOLD_MAX + 1);
  expect(await factsLeft()).toBe(0);
});

test('facts appear when their transaction commits, and not after a rollback', async () => {
  const undone = inTransaction(pool, async (transaction) => {
    await recordConversations(transaction, steady(1, 3));
    throw new Error('the intake fails');
  });
  await expect(undone).rejects.toThrow('the intake fails');
  expect(await factsLeft()).toBe(0);
});

test('a read touches as many rows with ten times as many conversations', async () => {
  const few = await rowsRead(1);
  const many = await rowsRead(10);
  expect(few.blocks).toBeGreaterThan(0);
  expect(many).toEqual(few);
});

test('the database has no caller numbers, and digests differ by organisation', async () => {
  const canary = '+4930555019283';
  await recordConversations(
    sql,
    steady(1, 2).map((fact) => ({ ...fact, from: canary })),
  );
  const everything = async (): Promise<string> => {
    const tables = ['analytics_facts', 'analytics_rollups', 'analytics_callers'];
    const texts = tables.map((table) => sql<{ row: string }>(`SELECT t::text AS row FROM ${table} AS t`));
    return JSON.stringify(await Promise.all(texts));
  };
  const hex = Buffer.from(canary).toString('hex');
  const before = await everything();
  await foldFacts(pool, sql);
  for (const text of [before, await everything()]) {
    expect(text).toContain(callerDigest('acme', canary));
    expect(text).not.toContain(canary);
    expect(text).not.toContain(hex);
  }
  expect(callerDigest('acme', canary)).not.toBe(callerDigest('globex', canary));
});

/** `perQuarter` conversations for each channel and quarter of the window (or `count` in total). */
function steady(perQuarter: number, count = 192 * 4 * perQuarter): ConversationFact[] {
  return Array.from({ length: count }, (_, index) => ({
    conversations: 1,
    organizationId: 'acme',
    conversationId: `conv_${index}`,
    botId: 'bot_1',
    channel: ['phone', 'web', 'sip', 'chat'][index % 4]!,
    status: 'completed',
    endReason: 'user_hangup',
    errorCode: null,
    language: 'en',
    flowId: 'greeting',
    flowVersion: 1 + (index % 2),
    startedAt: new Date(FROM_MS + Math.floor((index * 192) / count) * 900_000 + 1),
    durationSeconds: 60 + (index % 60),
    from: `+49305550${index % 100}`,
    turns: 4,
    interruptions: 0,
    botTurns: 2,
    latencies: { e2e: [400 + (index % 500), 700], asr: [80], llm: [300], tts: [90] },
  }));
}

/** Rows that all scans of a read yield or filter out, by EXPLAIN ANALYZE. */
async function rowsRead(perQuarter: number): Promise<{ blocks: number; facts: number }> {
  await sql('TRUNCATE analytics_facts, analytics_rollups, analytics_callers');
  const all = steady(perQuarter);
  for (let from = 0; from < all.length; from += 5_000) {
    await recordConversations(sql, all.slice(from, from + 5_000));
  }
  expect(await foldFacts(pool, sql)).toBe(all.length);
  await sql('ANALYZE analytics_rollups');
  const read = { blocks: 0, facts: 0 };
  const explained: Sql = async (text, values) => {
    const [plan] = await sql<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
      values,
    );
    for (const node of listNodes(plan!['QUERY PLAN'][0]!.Plan)) {
      const rows = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
      if (node['Relation Name'] === 'analytics_rollups') read.blocks += Math.round(rows);
      if (node['Relation Name'] === 'analytics_facts') read.facts += Math.round(rows);
    }
    return sql(text, values);
  };
  const edges = [FROM_MS, FROM_MS + 22 * 3_600_000, FROM_MS + 47 * 3_600_000, TO_MS];
  let conversations = 0;
  for (const largeColumn of ['callers', 'distributions'] as const) {
    const question: RollupQuery = {
      organizationId: 'acme',
      edges,
      botId: '',
      groupBy: 'channel',
      only: null,
      largeColumn,
    };
    await readBuckets(explained, createBlockCache(), question, (_, { all: whole }) => {
      conversations += whole!.counts.conversations;
    });
  }
  expect(conversations).toBe(all.length * 2);
  return read;
}

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

function listNodes(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(listNodes)];
}
