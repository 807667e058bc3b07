// The table itself: order, filters, another organisation, and what is forgotten after a year.
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { inTransaction, sqlOf, type Sql } from '@parley/postgres';
import { createIds } from '@parley/runtime';
import { createTestDatabase } from '@parley/testkit';
import { audit, AUDIT_KEPT_MS, operatorFor, trimAudit, type Actor } from '../src/index.ts';
import { listAudit } from '../src/audit-log.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let pool: pg.Pool;
let sql: Sql;
let nowMs = Date.UTC(2026, 10, 22, 12);
const clock = () => nowMs;
const deps = { ids: createIds(clock), clock };
const ann: Actor = { organizationId: 'acme', kind: 'identity', principal: 'ann' };
beforeAll(async () => {
  database = await createTestDatabase('flow-builder');
  pool = new pg.Pool({ connectionString: database.url });
  sql = sqlOf(pool);
});
beforeEach(() => pool.query('TRUNCATE audit_log'));
afterAll(async () => {
  await pool.end();
  await database.drop();
});

test('newest first, page by page, by action, actor and time, and of one organisation only', async () => {
  for (const [n, action] of (['flow.published', 'flow.unpublished', 'flow.published'] as const).entries()) {
    nowMs += 1_000;
    await audit(sql, deps, n === 1 ? operatorFor('acme') : ann, {
      action,
      target: `flow-${n}`,
      details: { n },
    });
    await audit(sql, deps, operatorFor('other'), { action, target: 'not to be seen' });
  }
  const read = async (filter: Parameters<typeof listAudit>[2], limit = 10, before: string | null = null) =>
    (await listAudit(sql, 'acme', filter, limit, before)).map(({ target }) => target);
  expect(await read({})).toEqual(['flow-2', 'flow-1', 'flow-0']);
  expect(await read({}, 1)).toEqual(['flow-2', 'flow-1']); // and one more, for the page
  const [newest] = await listAudit(sql, 'acme', {}, 1, null);
  expect(newest).toMatchObject({ actor: 'ann', actorKind: 'identity', details: { n: 2 } });
  expect(await read({}, 10, newest!.id)).toEqual(['flow-1', 'flow-0']);
  expect(await read({ action: 'flow.published' })).toEqual(['flow-2', 'flow-0']);
  expect(await read({ actor: 'operator' })).toEqual(['flow-1']);
  expect(await read({ from: new Date(nowMs - 1_000), to: new Date(nowMs) })).toEqual(['flow-1']);
});

test('what is rolled back was never done', async () => {
  const undone = inTransaction(pool, async (within) => {
    await audit(within, deps, ann, { action: 'flow.published', target: 'f' });
    throw new Error('the request failed');
  });
  await expect(undone).rejects.toThrow('the request failed');
  expect(await listAudit(sql, 'acme', {}, 10, null)).toEqual([]);
});

test('a year later it is forgotten, in batches', async () => {
  await sql(
    `INSERT INTO audit_log (id, organization_id, action, actor_kind, actor, target, details, at)
     SELECT 'aud_' || i, 'acme', 'flow.published', 'identity', 'ann', 'f', '{}', to_timestamp($1::bigint / 1000.0) - i * interval '1 minute'
     FROM generate_series(1, 2500) AS i`,
    [nowMs - AUDIT_KEPT_MS + 60_500],
  );
  expect(await trimAudit(sql, nowMs)).toBe(2_499);
  expect(await trimAudit(sql, nowMs)).toBe(0);
  expect(await listAudit(sql, 'acme', {}, 10, null)).toHaveLength(1);
});
