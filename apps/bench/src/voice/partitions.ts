// Statements about deliveries over a hundred thousand of them and over a million, in weeks
// (docs/scale.md#partitions): pages read and time. And what it takes to remove a week.
import type pg from 'pg';
import { quantileOf } from '../statistics.ts';
import type { Part } from '../suites.ts';
import { withVoiceStack } from './voice-stack.ts';

const FEW = 100_000;
const MANY = 1_000_000;
/** Of each statement, over other rows each time; twice, so that the pages are in memory. */
const ROUNDS = 60;
const RATIO_MAX = 1.2;

export const partitionsPart: Part = {
  title: 'partitions',
  open: (setting, _measure, tell) =>
    withVoiceStack(setting, async ({ pool }) => {
      await pool.query(WEEKS);
      await pool.query(LOAD, [0, FEW]);
      await pool.query('VACUUM ANALYZE webhook_deliveries, webhook_delivery_attempts');
      const few = await measureAll(pool);
      await pool.query(LOAD, [FEW, MANY]);
      await pool.query('VACUUM ANALYZE webhook_deliveries, webhook_delivery_attempts');
      const many = await measureAll(pool);
      tell({
        title: `Statements over ${MANY} deliveries, against ${FEW}`,
        note: 'Of executions whose pages are in memory: times that a tenth stays below, and medians of pages.',
        figures: STATEMENTS.flatMap(({ what }, nth) => [
          { name: `${what}: time`, value: many[nth]!.ms / few[nth]!.ms, unit: '×', atMost: RATIO_MAX },
          { name: `${what}: pages over ${FEW}`, value: few[nth]!.pages, unit: 'pages' },
          { name: `${what}: pages over ${MANY}`, value: many[nth]!.pages, unit: 'pages' },
        ]),
      });
      tell({
        title: `A week of ${Math.round(MANY / 5)} deliveries leaves`,
        figures: await measureRemoval(pool),
      });
    }),
};

/** The tables as five weeks have left them, and two weeks ahead. */
const WEEKS = `
  CREATE FUNCTION bench_id(at timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT 'dlv_' || string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz',
      (((extract(epoch FROM at) * 1000)::bigint >> (5 * (9 - place))) & 31)::int + 1, 1), '' ORDER BY place)
    FROM generate_series(0, 9) AS place $$;
  DO $$
  DECLARE
    part record;
  BEGIN
    FOR part IN VALUES ('webhook_deliveries', ' WITH (fillfactor = 60)'), ('webhook_delivery_attempts', '') LOOP
      EXECUTE format('DROP TABLE %1$I, %2$I', part.column1 || '_earlier', part.column1 || '_later');
      EXECUTE format('CREATE TABLE %1$I PARTITION OF %2$I FOR VALUES FROM (MINVALUE) TO (%3$L)',
        part.column1 || '_earlier', part.column1, bench_id(now() - interval '5 weeks')) || part.column2;
      FOR week IN -5..1 LOOP
        EXECUTE format('CREATE TABLE %1$I PARTITION OF %2$I FOR VALUES FROM (%3$L) TO (%4$L)',
          part.column1 || '_' || week + 6, part.column1, bench_id(now() + week * interval '1 week'),
          bench_id(now() + (week + 1) * interval '1 week')) || part.column2;
      END LOOP;
      EXECUTE format('CREATE TABLE %1$I PARTITION OF %2$I FOR VALUES FROM (%3$L) TO (MAXVALUE)',
        part.column1 || '_later', part.column1, bench_id(now() + interval '2 weeks')) || part.column2;
    END LOOP;
  END $$`;

/** Evenly over five weeks, of a hundred webhooks; a tenth has a failed attempt. */
const LOAD = `
  WITH row AS (
    SELECT bench_id(now() - (1 - (n + 0.5) % ${FEW} / ${FEW}) * interval '5 weeks') || lpad(n::text, 16, '0') AS id, n
    FROM generate_series($1::int, $2::int - 1) AS n), made AS (
    INSERT INTO webhook_deliveries (id, webhook_id, event_id, event, kind, status, attempts, round, created_at, finished_at, exchange)
    SELECT id, 'wh_' || n % 100, 'evt_' || n, 'bot.message', 'event', 'delivered', 1, 1, now(), now(), repeat('x', 200) FROM row)
  INSERT INTO webhook_delivery_attempts (delivery_id, attempt, at, error_class, message, ms)
  SELECT id, 1, now(), 'http_status', 'no', 5 FROM row WHERE n % 10 = 0`;

/** As the service writes them, with its parameters. $1 is a webhook, $2 ids of its deliveries. */
const STATEMENTS: readonly { readonly what: string; readonly text: string }[] = [
  {
    what: 'a page of the log',
    text: `SELECT * FROM webhook_deliveries AS delivery
      WHERE delivery.webhook_id = $1 AND delivery.id < COALESCE($2[1], 'dlw') AND delivery.id >= ''
      ORDER BY delivery.id DESC LIMIT 51`,
  },
  {
    what: 'a claim of 50',
    text: `SELECT $1::text, delivery.* FROM unnest($2::text[]) AS member (id) LEFT JOIN LATERAL (
      SELECT * FROM webhook_deliveries AS row WHERE row.id = member.id AND row.round = 1 OFFSET 0) AS delivery ON true`,
  },
  {
    what: 'a record of 50',
    text: `UPDATE webhook_deliveries AS delivery SET answer_ms = 5, status = 'delivered'
      FROM unnest($2::text[]) AS result (id) WHERE delivery.id = result.id AND delivery.round = 1 AND $1::text <> ''`,
  },
  {
    what: 'attempts of 50',
    text: `SELECT $1::text, made.* FROM unnest($2::text[]) AS wanted (id)
      CROSS JOIN LATERAL (SELECT * FROM webhook_delivery_attempts AS row WHERE row.delivery_id = wanted.id OFFSET 0) AS made`,
  },
  {
    what: 'a slice of 5,000 of the sweep',
    text: `SELECT id, status, $1::text FROM webhook_deliveries WHERE id > $2[1] AND id < 'dlw' ORDER BY id LIMIT 5000`,
  },
];

interface Cost {
  readonly ms: number;
  readonly pages: number;
}

interface Explained {
  readonly Plan: { readonly 'Shared Hit Blocks': number; readonly 'Shared Read Blocks': number };
  readonly 'Execution Time': number;
}

/** Postgres chooses between plans for values and generic ones, as in the service. */
async function measureAll(pool: pg.Pool): Promise<Cost[]> {
  const client = await pool.connect();
  try {
    const costs: Cost[] = [];
    for (const [nth, { text }] of STATEMENTS.entries()) {
      await client.query(`PREPARE bench_${nth} (text, text[]) AS ${text}`);
      const seen: Cost[] = [];
      for (let round = 0; round < ROUNDS; round += 1) seen.push(await explain(client, nth, round));
      costs.push({
        ms: quantileOf(
          seen.map(({ ms }) => ms),
          0.1, // others on the machine disturb it least
        ),
        pages: quantileOf(
          seen.map(({ pages }) => pages),
          0.5,
        ),
      });
      await client.query(`DEALLOCATE bench_${nth}`);
    }
    return costs;
  } finally {
    client.release(true);
  }
}

async function explain(client: pg.PoolClient, nth: number, round: number): Promise<Cost> {
  const webhook = `wh_${round % 100}`;
  const { rows: ids } = await client.query<{ id: string }>(
    `SELECT id FROM webhook_deliveries WHERE webhook_id = $1 AND id >= bench_id(now() - $2 * interval '1 hour')
     ORDER BY id LIMIT 50`,
    [webhook, 200 + round * 3],
  );
  const list = ids.map(({ id }) => `'${id}'`).join(',');
  const execute = `EXECUTE bench_${nth} ('${webhook}', ARRAY[${list}])`;
  await client.query('BEGIN');
  await client.query(execute);
  await client.query('ROLLBACK; BEGIN');
  const { rows } = await client.query<{ 'QUERY PLAN': [Explained] }>(
    `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${execute}`,
  );
  await client.query('ROLLBACK');
  const [{ Plan: plan, 'Execution Time': ms }] = rows[0]!['QUERY PLAN'];
  return { ms, pages: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] };
}

/** By rows, which leaves the pages to a vacuum, and at once. */
async function measureRemoval(pool: pg.Pool) {
  const time = async (text: string) => {
    const startedAt = performance.now();
    await pool.query(text);
    return performance.now() - startedAt;
  };
  return [
    { name: 'by rows', value: await time('DELETE FROM webhook_deliveries_1'), unit: 'ms' },
    { name: 'vacuum', value: await time('VACUUM webhook_deliveries_1'), unit: 'ms' },
    { name: 'as a partition', value: await time('DROP TABLE webhook_deliveries_2'), unit: 'ms' },
  ];
}
