// The table itself: order, filters, another organisation, and deletion after a year.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { inTransaction, sqlOf, type Sql } from '@parley/server/postgres';
import { createIds } from '@parley/server/runtime';
import { createTestDatabase, emptyAuditLog } from '@parley/testing';
import { audit, AUDIT_RETENTION_MS, operatorFor, trimAudit, type Actor } from '../src/index.ts';
import { listAudit } from '../src/audit-log.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let pool: pg.Pool;
let sql: Sql;
let nowMs = Date.now(); // the database has its own clock, which decides about the year
const clock = () => nowMs;
const deps = { ids: createIds(clock), clock };
const ann: Actor = { organizationId: 'acme', kind: 'identity', principal: 'ann' };
beforeAll(async () => {
  database = await createTestDatabase('flow-builder');
  pool = new pg.Pool({ connectionString: database.url });
  sql = sqlOf(pool);
});
beforeEach(() => emptyAuditLog(sql));
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

test('an action that is rolled back leaves no row', async () => {
  const undone = inTransaction(pool, async (within) => {
    await audit(within, deps, ann, { action: 'flow.published', target: 'f' });
    throw new Error('the request failed');
  });
  await expect(undone).rejects.toThrow('the request failed');
  expect(await listAudit(sql, 'acme', {}, 10, null)).toEqual([]);
});

test('rows are deleted after a year, in batches', async () => {
  await sql(
    `INSERT INTO audit_log (id, organization_id, action, actor_kind, actor, target, details, at)
     SELECT 'aud_' || i, 'acme', 'flow.published', 'identity', 'ann', 'f', '{}', to_timestamp($1::bigint / 1000.0) - i * interval '1 minute'
     FROM generate_series(1, 2500) AS i`,
    [nowMs - AUDIT_RETENTION_MS + 60_500],
  );
  expect(await trimAudit(sql, nowMs)).toBe(2_499);
  expect(await trimAudit(sql, nowMs)).toBe(0);
  expect(await listAudit(sql, 'acme', {}, 10, null)).toHaveLength(1);
});

test('the migrating role has neither UPDATE nor TRUNCATE; the public has nothing', async () => {
  const [grants] = await sql<{ granted: string[] }>(
    `SELECT array_agg(DISTINCT acl.privilege_type ORDER BY acl.privilege_type) AS granted
     FROM pg_class, aclexplode(relacl) AS acl WHERE pg_class.oid = 'audit_log'::regclass`,
  );
  expect(grants!.granted).toEqual(expect.arrayContaining(['DELETE', 'INSERT', 'SELECT']));
  for (const privilege of ['UPDATE', 'TRUNCATE']) expect(grants!.granted).not.toContain(privilege);
});

/** Roles of a service's connection. */
const ROLES = [
  { name: 'that owns the table', owns: true },
  { name: 'with the grants of a service', owns: false },
] as const;

describe.each(ROLES)('a role $name', ({ owns }) => {
  const role = `audit_${owns ? 'owner' : 'service'}_${randomBytes(4).toString('hex')}`;
  const as = async (statement: string) => {
    const client = await pool.connect();
    try {
      await client.query(`SET ROLE "${role}"`);
      return await client.query(statement);
    } finally {
      await client.query('RESET ROLE');
      client.release();
    }
  };
  beforeAll(async () => {
    await sql(`CREATE ROLE "${role}"`);
    await sql(`GRANT USAGE ON SCHEMA public TO "${role}"`);
    if (owns) {
      await sql(`ALTER TABLE audit_log OWNER TO "${role}"`);
      await sql(`GRANT ALL ON audit_log TO "${role}"`); // as if no grant had been revoked
    } else await sql(`GRANT SELECT, INSERT ON audit_log TO "${role}"`);
  });
  afterAll(async () => {
    await sql('ALTER TABLE audit_log OWNER TO CURRENT_USER');
    await sql(`DROP OWNED BY "${role}"`);
    await sql(`DROP ROLE "${role}"`);
  });

  test.each([
    "UPDATE audit_log SET actor = 'nobody'",
    "UPDATE audit_log SET actor = 'nobody' WHERE false",
    'DELETE FROM audit_log',
    'TRUNCATE audit_log',
    "SET session_replication_role = 'replica'; DELETE FROM audit_log",
  ])('cannot %s', async (statement) => {
    await audit(sql, deps, ann, { action: 'flow.published', target: 'f' });
    await expect(as(statement)).rejects.toMatchObject({ code: '42501' });
    expect(await listAudit(sql, 'acme', {}, 10, null)).toMatchObject([{ actor: 'ann' }]);
  });

  test('adds, reads, and can only delete rows older than a year', async () => {
    const insert = (id: string, age: string) =>
      as(`INSERT INTO audit_log (id, organization_id, action, actor_kind, actor, target, details, at)
          VALUES ('${id}', 'acme', 'flow.published', 'identity', 'ann', 'f', '{}', now() - interval '${age}')`);
    await insert('aud_old', '366 days');
    await insert('aud_new', '364 days');
    const { rows } = await as('SELECT trim_audit_log(now(), 100) AS gone');
    expect(rows).toEqual([{ gone: 1 }]);
    expect((await as('SELECT id FROM audit_log')).rows).toEqual([{ id: 'aud_new' }]);
  });
});
