// When a cap is counted, and when an earlier count suffices.
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { unknownOrganization } from '@parley/server/organizations';
import { sqlOf, type Sql } from '@parley/server/postgres';
import { createTestDatabase } from '@parley/testing';
import { createCaps, type Caps } from './caps.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let pool: pg.Pool;
let sql: Sql;
let caps: Caps;
let nowMs = 0;
let counted = 0;
beforeAll(async () => {
  database = await createTestDatabase('flow-builder');
  pool = new pg.Pool({ connectionString: database.url });
  sql = sqlOf(pool);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
beforeEach(async () => {
  await sql('DELETE FROM flows');
  counted = 0;
  caps = createCaps({
    service: 'flow-builder',
    clock: () => nowMs,
    counted: { flows: 'flows WHERE organization_id = $1' },
    organizationOf: async (id) => unknownOrganization(id), // starter: 1,000 flows
  });
});

const counting: Sql = (text, values) => {
  if (text.includes('count(*)')) counted += 1;
  return sql(text, values);
};
const fill = (count: number) =>
  sql(
    `INSERT INTO flows (organization_id, flow_id, name, latest_version, created_at, updated_at)
     SELECT 'acme', 'flow-' || n, 'x', 1, now(), now() FROM generate_series(1, $1::int) AS n`,
    [count],
  );
const addMany = async (count: number) => {
  for (let added = 0; added < count; added += 1) await caps.added(counting, 'acme', 'flows');
  return counted;
};

test('one count serves for a tenth of its room, and for ten seconds', async () => {
  await fill(100);
  expect(await addMany(1 + 90)).toBe(1); // 900 are left
  expect(await addMany(1)).toBe(2);
  nowMs += 10_000;
  expect(await addMany(1)).toBe(3);
});

test('near its end every addition is counted, and excess is refused with the figures', async () => {
  await fill(1_000); // the last one is the addition
  expect(await addMany(3)).toBe(3);
  await sql(
    `INSERT INTO flows (organization_id, flow_id, name, latest_version, created_at, updated_at)
     VALUES ('acme', 'one-more', 'x', 1, now(), now())`,
  );
  await expect(addMany(1)).rejects.toMatchObject({
    code: 'limit_exceeded',
    details: { limit: 'flows', used: 1_000, of: 1_000 },
  });
  const { caps: allowed, used } = await caps.read(sql, unknownOrganization('acme'));
  expect([allowed.flows, used]).toEqual([1_000, { flows: 1_000 }]);
});

test('a known number is compared with the plan', async () => {
  await caps.refuseBeyond('acme', 'versions_per_flow', 5_000);
  await expect(caps.refuseBeyond('acme', 'versions_per_flow', 5_001)).rejects.toThrow(/versions_per_flow/);
});
