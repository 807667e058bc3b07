// Statements about deliveries read only the weeks that they need, as Postgres explains them.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type pg from 'pg';
import { keepPartitions } from '@parley/server/postgres';
import { createLifecycle, firstIdAt } from '@parley/server/runtime';
import { receiver, type Receiver } from '@parley/testing';
import { purgeWebhookTraces } from '../../src/deliveries/purge-traces.ts';
import { DELIVERY_TABLES } from '../../src/deliveries/delivery-tables.ts';
import { trimDeliveries } from '../../src/deliveries/sweep-deliveries.ts';
import { startWorkers } from '../../src/worker.ts';
import { startVoiceApi, type VoiceApi } from '../service.ts';
import { commit, event, FAST_WAITS, LOOPBACK, registered, type WebhookBody } from '../webhooks.ts';

/** A busy machine takes ten times as long as an idle one. */
jest.setTimeout(120_000);

const WEEK_MS = 7 * 86_400_000;
const WEEKS = 4;
/** Of each week. */
const ROWS = 5_000;

let service: VoiceApi;
let outside: Receiver;
let webhook: WebhookBody;
/** The partitions of both tables, oldest first, by the start of their week. */
let weeks: string[];

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Loops'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Postgres plans a prepared statement for its values, or once for all. */
let mode = 'force_custom_plan';
const touched = new Set<string>();

/** Postgres sends the plan of every statement, with what was executed. */
async function explain(client: pg.PoolClient): Promise<void> {
  client.on('notice', ({ message }) => {
    const json = /plan:\s*(\{.*\})\s*$/s.exec(message ?? '')?.[1];
    if (json !== undefined) collect((JSON.parse(json) as { Plan: PlanNode }).Plan);
  });
  await client.query(`LOAD 'auto_explain'`);
  await client.query(`SET auto_explain.log_min_duration = 0; SET auto_explain.log_analyze = on;
    SET auto_explain.log_format = json; SET auto_explain.log_nested_statements = on; SET client_min_messages = log`);
}

function collect(node: PlanNode): void {
  const name = node['Relation Name'];
  const isRead = node['Node Type'] !== 'ModifyTable' && (node['Actual Loops'] ?? 0) > 0;
  if (isRead && name?.startsWith('webhook_deliver') === true) touched.add(name);
  for (const child of node.Plans ?? []) collect(child);
}

/** The weeks that `work` read, as positions in `weeks`. */
async function weeksOf(work: () => Promise<unknown>): Promise<string[]> {
  touched.clear();
  await work();
  return [...touched]
    .filter((name) => !/batches|orders/.test(name))
    .map((name) => name.replace(/^webhook_deliver(ies|y_attempts)_/, ''))
    .filter((week, index, all) => all.indexOf(week) === index)
    .sort();
}

beforeAll(async () => {
  service = await startVoiceApi({ env: { ...LOOPBACK, ...FAST_WAITS } });
  const { deps } = service;
  const nowMs = deps.clock();
  await makeWeeks(nowMs);
  const modes = new WeakMap<object, string>();
  deps.pool.on('acquire', (client) => {
    if (!modes.has(client)) void explain(client);
    if (modes.get(client) !== mode) void client.query(`SET plan_cache_mode = ${mode}`);
    modes.set(client, mode);
  });
});
afterAll(() => service.stop());
beforeEach(async () => {
  outside = await receiver();
  webhook = await registered(service, outside.url);
  await writeOld(service.deps.clock());
});
afterEach(async () => {
  await outside.close();
  await service.deps.sql('TRUNCATE webhooks, webhook_events, webhook_deliveries, webhook_delivery_attempts');
});

/** As if the tables had been partitioned four weeks ago. */
async function makeWeeks(nowMs: number): Promise<void> {
  const { sql } = service.deps;
  for (const table of DELIVERY_TABLES) {
    const bound = firstIdAt(table.prefix, nowMs - WEEKS * WEEK_MS);
    const name = table.table;
    await sql(`DROP TABLE ${name}_earlier, ${name}_later`);
    await sql(`CREATE TABLE ${name}_earlier PARTITION OF ${name} FOR VALUES FROM (MINVALUE) TO ('${bound}')`);
    await sql(`CREATE TABLE ${name}_later PARTITION OF ${name} FOR VALUES FROM ('${bound}') TO (MAXVALUE)`);
    for (let ms = nowMs - WEEKS * WEEK_MS; ms <= nowMs; ms += WEEK_MS)
      await keepPartitions(service.deps, table, { nowMs: ms, keptFromMs: 0 });
  }
  const rows = await sql<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relispartition AND relname ~ '^webhook_deliveries_\\d+$' ORDER BY 1`,
  );
  weeks = rows.map(({ name }) => name.replace('webhook_deliveries_', ''));
}

/** Deliveries of the webhook in every week, a third of them with a failed attempt. */
async function writeOld(nowMs: number): Promise<void> {
  const ids = [];
  for (let week = 1; week <= WEEKS; week += 1)
    for (let row = 0; row < ROWS; row += 1)
      ids.push(`${firstIdAt('dlv', nowMs - week * WEEK_MS + row * 60_000)}${String(row).padStart(16, '0')}`);
  await service.deps.sql(
    `WITH made AS (
       INSERT INTO webhook_deliveries (id, webhook_id, event_id, event, kind, status, attempts, round, created_at)
       SELECT id, $2, 'evt_' || id, 'bot.message', 'event', 'delivered', 1, 1, now() FROM unnest($1::text[]) AS id RETURNING id)
     INSERT INTO webhook_delivery_attempts (delivery_id, attempt, at, error_class, message, ms)
     SELECT id, 1, now(), 'http_status', 'no', 5 FROM made`,
    [ids, webhook.id],
  );
  for (const { table } of DELIVERY_TABLES)
    for (const week of weeks) await service.deps.sql(`ANALYZE ${table}_${week}`); // as autovacuum does
}

const current = () => weeks.at(-3)!;
const newer = () => [...weeks.slice(-2), 'later'];

/** Of one event, with a failed attempt. */
async function deliver(): Promise<void> {
  outside.script(500);
  await commit(service, [event()]);
  const life = createLifecycle(service.deps.log);
  startWorkers(service.deps, life);
  await outside.received(2);
  await life.stop('test');
}

async function findNewest(): Promise<string> {
  const [row] = await service.deps.sql<{ id: string }>('SELECT max(id) AS id FROM webhook_deliveries');
  return row!.id;
}

describe.each(['force_custom_plan', 'force_generic_plan'])('with %s', (chosen) => {
  beforeAll(() => void (mode = chosen));

  test('accepting, claiming and recording read the week of the delivery', async () => {
    expect(await weeksOf(deliver)).toEqual([current()]);
  });

  test('so do its details, a retry, a replay, and the erasure of its conversation', async () => {
    await deliver();
    const path = `/v1/webhooks/${webhook.id}`;
    const delivery = `${path}/deliveries/${await findNewest()}`;
    expect(await weeksOf(() => service.api.get(delivery).expect(200))).toEqual([current()]);
    expect(await weeksOf(() => service.api.post(`${delivery}/retry`).expect(202))).toEqual([current()]);
    const { clock } = service.deps;
    const period = {
      since: new Date(clock() - 60_000).toISOString(),
      until: new Date(clock()).toISOString(),
      status: 'delivered',
    };
    const replay = () => service.api.post(`${path}/replay`, period).expect(202);
    expect(await weeksOf(replay)).toEqual([current(), ...newer()]);
    const purge = () => purgeWebhookTraces(service.deps.sql, 'acme', ['conv_1']);
    expect(await weeksOf(purge)).toEqual([current()]);
  });

  test('a list reads the weeks of its page', async () => {
    await deliver();
    await commit(service, [event()], false);
    const path = `/v1/webhooks/${webhook.id}`;
    const read = (query: string) => weeksOf(() => service.api.get(`${path}${query}`).expect(200));
    expect(await read('/deliveries?limit=1')).toEqual([current(), ...newer()]);
    expect(await read('')).toEqual([current(), ...newer()]); // its health, of a day
    const [since, until] = [1_000, 2_000].map((ms) =>
      new Date(service.deps.clock() - 2 * WEEK_MS + ms).toISOString(),
    );
    expect(await read(`/deliveries?since=${since}&until=${until}`)).toEqual([weeks.at(-5)]);
  });

  test('retention drops weeks and reads none that stays', async () => {
    const { deps } = service;
    const cursor = { skipped: firstIdAt('dlv', deps.clock() - 2 * WEEK_MS) };
    const skipped = [weeks.at(-5), weeks.at(-4)];
    expect(await weeksOf(() => trimDeliveries(deps, deps.clock(), cursor))).toEqual([...skipped, 'earlier']);
  });
});
