// Deliveries become partitioned while they are written and read: no request fails, no row is lost.
// `DELIVERIES=1000000 npm test -- libs/migrator/test/partitions` does it with a million.
import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import { deployMigrations } from '../src/index.ts';

jest.setTimeout(600_000);

const ROWS = Number(process.env['DELIVERIES'] ?? 50_000);
const FIRST = '20261128052000_delivery_bounds';
const WAIT_MS_MAX = 5_000;

// Without @parley/testing, which builds its templates with this library.
const schemaDir = fileURLToPath(new URL('../../../prisma/voice-api', import.meta.url));
const server = process.env['TEST_POSTGRES_URL'] ?? '';
if (server === '') throw new Error('TEST_POSTGRES_URL is not set: run `npm test -- libs/migrator`.');
const name = `migrated_${randomBytes(6).toString('hex')}`;
const databaseUrl = Object.assign(new URL(server), { pathname: `/${name}` }).href;
const before = mkdtempSync(join(tmpdir(), 'parley-before-'));
let pool: pg.Pool;

beforeAll(async () => {
  cpSync(schemaDir, before, { recursive: true, filter: (path) => !path.includes('generated') });
  for (const folder of readdirSync(join(before, 'migrations')))
    if (folder >= FIRST && folder !== 'migration_lock.toml')
      rmSync(join(before, 'migrations', folder), { recursive: true });
  await deployMigrations({ schemaDir: before, databaseUrl });
  pool = new pg.Pool({ connectionString: databaseUrl, max: 6 });
  await pool.query(FILL, [ROWS]);
});
afterAll(async () => {
  await pool.end();
  const client = new pg.Client(server);
  await client.connect();
  await client.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
  await client.end();
  rmSync(before, { recursive: true });
});

/** Old rows: `dlv_01k` lies in 2025. */
const FILL = `
  WITH row AS (SELECT 'dlv_01k' || lpad(n::text, 23, '0') AS id, n FROM generate_series(1, $1::int) AS n), made AS (
    INSERT INTO webhook_deliveries (id, webhook_id, event_id, event, kind, status, attempts, round, created_at, exchange)
    SELECT id, 'wh_' || n % 100, 'evt_' || n, 'bot.message', 'event', 'delivered', 1, 1, now(), repeat('x', 300) FROM row)
  INSERT INTO webhook_delivery_attempts (delivery_id, attempt, at, error_class, message, ms)
  SELECT id, 1, now(), 'http_status', 'no', 5 FROM row WHERE n % 3 = 0`;

/** What a service does with deliveries, one statement after the other. */
async function work(state: { running: boolean; written: number; longestMs: number }, who: number) {
  const statement = async (text: string, values: unknown[]) => {
    const startedAt = performance.now();
    const { rowCount } = await pool.query({ name: text.slice(0, 60), text, values });
    state.longestMs = Math.max(state.longestMs, performance.now() - startedAt);
    return rowCount;
  };
  for (let round = 0; state.running; round += 1) {
    const id = `dlv_01m${who}${String(round).padStart(22, '0')}`;
    await statement(
      `INSERT INTO webhook_deliveries (id, webhook_id, event_id, event, kind, status, attempts, round, created_at)
       VALUES ($1, 'wh_1', 'evt', 'bot.message', 'event', 'pending', 0, 1, now())`,
      [id],
    );
    await statement(
      `INSERT INTO webhook_delivery_attempts (delivery_id, attempt, at, error_class, message, ms)
       VALUES ($1, 1, now(), 'http_status', 'no', 5) ON CONFLICT (delivery_id, attempt) DO NOTHING`,
      [id],
    );
    const done = `UPDATE webhook_deliveries SET status = 'delivered' WHERE id = $1`;
    expect(await statement(done, [id])).toBe(1);
    const list = 'SELECT * FROM webhook_deliveries WHERE webhook_id = $1 ORDER BY id DESC LIMIT 20';
    expect(await statement(list, ['wh_1'])).toBeGreaterThan(0);
    state.written += 1;
  }
}

const count = async (table: string) =>
  (await pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`)).rows[0]!.n;

test('the migration neither fails a statement nor loses a row', async () => {
  const state = { running: true, written: 0, longestMs: 0 };
  const working = Promise.all([1, 2, 3, 4].map((who) => work(state, who)));
  const applied = await deployMigrations({ schemaDir, databaseUrl });
  state.running = false;
  await working;
  expect(applied.slice(0, 3)).toEqual([
    FIRST,
    '20261128052100_delivery_bounds_validated',
    '20261128052200_delivery_partitions',
  ]);
  expect(state.longestMs).toBeLessThan(WAIT_MS_MAX);
  expect(await count('webhook_deliveries')).toBe(ROWS + state.written);
  expect(await count('webhook_deliveries_earlier')).toBe(ROWS + state.written);
  expect(await count('webhook_delivery_attempts')).toBe(Math.floor(ROWS / 3) + state.written);
  process.stderr.write(`${ROWS} deliveries, longest wait ${Math.round(state.longestMs)} ms\n`);
});

test('later rows have a partition, and an id is unique in all of them', async () => {
  const insert = (id: string) =>
    pool.query(
      `INSERT INTO webhook_deliveries (id, event_id, event, kind, status, attempts, round, created_at)
       VALUES ($1, 'evt', 'bot.message', 'event', 'pending', 0, 1, now())`,
      [id],
    );
  await insert('dlv_01zzzzzzzzzzzzzzzzzzzzzzzz');
  expect(await count('webhook_deliveries_later')).toBe(1);
  await expect(insert('dlv_01zzzzzzzzzzzzzzzzzzzzzzzz')).rejects.toMatchObject({ code: '23505' });
  await expect(insert(`dlv_01k${'1'.padStart(23, '0')}`)).rejects.toMatchObject({ code: '23505' });
});
