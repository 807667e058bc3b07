// Measurement, refusal and alerts, and room after a deletion.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { setOrganization, findOrganization, unknownOrganization } from '@parley/server/organizations';
import { inTransaction, sqlOf, type Sql } from '@parley/server/postgres';
import { createTestDatabase } from '@parley/testing';
import { createStorage, MEASURE_EVERY_MS, type Storage, type StorageCrossing } from './storage.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let pool: pg.Pool;
let sql: Sql;
let storage: Storage;
let nowMs = Date.now();
const told: StorageCrossing[] = [];
beforeAll(async () => {
  database = await createTestDatabase('flow-builder');
  pool = new pg.Pool({ connectionString: database.url });
  sql = sqlOf(pool);
  storage = createStorage({
    service: 'flow-builder',
    stored: ['flow_versions', 'flow_tests'],
    sql,
    clock: () => nowMs,
    organizationOf: async (id) => (await findOrganization(sql, id)) ?? unknownOrganization(id),
    transact: (work) => inTransaction(pool, work),
  });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** Texts that Postgres cannot compress. */
async function fill(organizationId: string, from: number, count: number): Promise<void> {
  await sql(
    `INSERT INTO flows (organization_id, flow_id, name, latest_version, created_at, updated_at)
     VALUES ($1, 'f', 'x', 1, now(), now()) ON CONFLICT DO NOTHING`,
    [organizationId],
  );
  await sql(
    `INSERT INTO flow_versions (organization_id, flow_id, version, name, definition, validation, valid, hash, created_at, created_by)
     SELECT $1, 'f', n, 'x', to_json((SELECT string_agg(md5(random()::text || i || n), '') FROM generate_series(1, 30) AS i)),
       '{}', true, 'h', now(), 'k' FROM generate_series($2::int, $3::int) AS n`,
    [organizationId, from, from + count - 1],
  );
}
async function measure(): Promise<void> {
  nowMs += MEASURE_EVERY_MS;
  await storage.measure(new AbortController().signal, async (_, crossing) => void told.push(crossing));
}
const used = async (id: string) =>
  (await storage.read((await findOrganization(sql, id)) ?? unknownOrganization(id))).used;

test('bytes are those of Postgres, for each organisation, in slices along the key', async () => {
  await fill('acme', 1, 12_000);
  await fill('globex', 1, 100);
  await measure();
  const [row] = await sql<{ bytes: number }>(
    `SELECT pg_total_relation_size('flow_versions')::float8 AS bytes`,
  );
  expect((await used('acme')) / (await used('globex'))).toBeCloseTo(120, 0);
  expect(((await used('acme')) + (await used('globex'))) / row!.bytes).toBeGreaterThan(0.8);
  expect(((await used('acme')) + (await used('globex'))) / row!.bytes).toBeLessThan(1.2);
});

test('warns at 80 %, refuses at 100 %, and admits again after a deletion', async () => {
  await setOrganization(sql, 'acme', { storageBytes: Math.round((await used('acme')) * 1.1) }, nowMs);
  await measure();
  expect(told.splice(0)).toMatchObject([{ organizationId: 'acme', isAlmostFull: true }]);
  await measure();
  expect(told).toEqual([]);
  await storage.admit('acme', 1_000);
  expect(await storage.isFull('acme')).toBe(false);
  // What a process has accepted counts immediately.
  await storage.admit('acme', 10_000_000);
  await expect(storage.admit('acme', 1)).rejects.toMatchObject({
    code: 'storage_full',
    status: 422,
    details: { limit: 'storage_bytes' },
  });
  await storage.admit('globex', 1);
  await sql("DELETE FROM flow_versions WHERE organization_id = 'acme' AND version > 1000");
  await measure();
  await measure();
  expect(told).toMatchObject([{ organizationId: 'acme', isAlmostFull: false }]);
  await storage.admit('acme', 1);
});

test('two workers do not measure concurrently', async () => {
  await measure();
  const before = await used('globex');
  await fill('globex', 101, 100);
  await storage.measure(new AbortController().signal, async () => undefined);
  nowMs += 10_000;
  expect(await used('globex')).toBe(before);
  await measure();
  expect(await used('globex')).toBeGreaterThan(before * 1.9);
});
