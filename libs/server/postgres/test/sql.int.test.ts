// Pool, statements and transactions on a real server, with lost connections.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { createLog, Secret } from '@parley/server/runtime';
import { capturedLog, createTestDatabase, eventually } from '@parley/testing';
import {
  countRefusals,
  createPool,
  inTransaction,
  isPostgresUnavailable,
  sqlOf,
  type Sql,
} from '../src/index.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let pool: pg.Pool;
let sql: Sql;
/** For observing and terminating others: never terminated itself. */
let admin: pg.Pool;
const captured = capturedLog();
const log = createLog({ service: 'test', level: 'info', destination: captured });

beforeAll(async () => {
  database = await createTestDatabase('flow-builder');
  const url = new Secret(database.url);
  pool = createPool({ url, applicationName: 'app', connectionsMax: 2, log });
  admin = createPool({ url, applicationName: 'admin', connectionsMax: 2, log });
  sql = sqlOf(pool);
  await sql('CREATE TABLE notes (id text PRIMARY KEY, text text NOT NULL)');
});

afterAll(async () => {
  await Promise.all([pool.end(), admin.end()]);
  await database.drop();
});

const terminate = (pid: number) => admin.query('SELECT pg_terminate_backend($1)', [pid]);
const pidOf = async (on: Sql) => (await on<{ pid: number }>('SELECT pg_backend_pid() AS pid'))[0]!.pid;
const notes = async () =>
  (await sql<{ id: string }>('SELECT id FROM notes ORDER BY id')).map((row) => row.id);
const insert = (on: Sql, id: string) => on('INSERT INTO notes VALUES ($1, $2)', [id, 'x']);
const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

test('the server ends a statement that takes too long, which is not a bug', async () => {
  const hasty = createPool({
    url: new Secret(database.url),
    applicationName: 'hasty',
    connectionsMax: 1,
    statementMs: 200,
    log,
  });
  const error = await errorOf(hasty.query('SELECT pg_sleep(30)'));
  expect(error).toMatchObject({ code: '57014' });
  expect(isPostgresUnavailable(error)).toBe(true);
  const { rows } = await admin.query(
    "SELECT pid FROM pg_stat_activity WHERE application_name = 'hasty' AND state = 'active'",
  );
  expect(rows).toEqual([]); // the server stopped its work
  await hasty.end();
});

describe('sqlOf', () => {
  test('rows, parameters and arrays', async () => {
    expect(await sql('SELECT $1::text AS a, $2::text[] AS b', ['x', ['y', 'z']])).toEqual([
      { a: 'x', b: ['y', 'z'] },
    ]);
    expect(await sql('SELECT 1 AS one WHERE false')).toEqual([]);
  });

  test('counts are numbers', async () => {
    expect(await sql('SELECT count(*) AS n, 9007199254740991::bigint AS most FROM notes')).toEqual([
      { n: 0, most: Number.MAX_SAFE_INTEGER },
    ]);
  });

  test('on one client a statement is prepared once, under one name', async () => {
    const client = await pool.connect();
    const on = sqlOf(client);
    for (let run = 0; run < 3; run += 1) await on('SELECT $1::int AS once', [run]);
    const { rows } = await client.query<{ calls: string }>(
      `SELECT generic_plans + custom_plans AS calls FROM pg_prepared_statements WHERE statement LIKE '%AS once'`,
    );
    client.release();
    expect(rows).toEqual([{ calls: 3 }]);
  });

  test('two texts never share a prepared statement', async () => {
    for (let run = 0; run < 2; run += 1) {
      expect(await sql('SELECT 1 AS n')).toEqual([{ n: 1 }]);
      expect(await sql('SELECT 2 AS n')).toEqual([{ n: 2 }]);
    }
  });
});

describe('inTransaction', () => {
  test('commits and returns the result', async () => {
    const result = await inTransaction(pool, async (on) => {
      await insert(on, 'committed');
      expect(await notes()).not.toContain('committed'); // another connection does not see it yet
      return 'result';
    });
    expect(result).toBe('result');
    expect(await notes()).toContain('committed');
  });

  test('rolls back on an error, and rethrows it', async () => {
    const refusal = new Error('refused');
    const rolledBack = inTransaction(pool, async (on) => {
      await insert(on, 'rolled back');
      throw refusal;
    });
    expect(await errorOf(rolledBack)).toBe(refusal);
    expect(await notes()).not.toContain('rolled back');
  });

  test('an ignored failed statement is not taken for a commit', async () => {
    const passedOver = inTransaction(pool, async (on) => {
      await insert(on, 'passed over');
      await on('SELECT * FROM nowhere').catch(() => undefined);
    });
    await expect(passedOver).rejects.toThrow('rolled back');
    expect(await notes()).not.toContain('passed over');
  });

  test('a transaction past its time limit rolls back, however short its statements are', async () => {
    const startedAt = performance.now();
    const slow = inTransaction(
      pool,
      async (on) => {
        for (;;) await on('INSERT INTO notes SELECT gen_random_uuid()::text, pg_sleep(0.05)::text');
      },
      200,
    );
    expect(isPostgresUnavailable(await errorOf(slow))).toBe(true);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(await sql(`SELECT FROM notes WHERE text = ''`)).toEqual([]);
  });

  test('the connection is reused after commit and rollback', async () => {
    const single = createPool({
      url: new Secret(database.url),
      applicationName: 'single',
      connectionsMax: 1,
      log,
    });
    const before = await inTransaction(single, pidOf);
    await errorOf(inTransaction(single, (on) => on('SELECT 1 / 0')));
    expect(await inTransaction(single, pidOf)).toBe(before);
    await single.end();
  });

  test.each(['between two statements', 'during a statement'])(
    'a connection lost %s is not reused',
    async (moment) => {
      let lost = 0;
      const work = inTransaction(pool, async (on) => {
        lost = await pidOf(on);
        await insert(on, 'lost');
        if (moment === 'during a statement') {
          const sleeping = errorOf(on('SELECT pg_sleep(20)'));
          await eventually(async () => {
            const { rows } = await admin.query(
              `SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'PgSleep'`,
              [lost],
            );
            return rows.length === 1;
          });
          await terminate(lost);
          throw await sleeping;
        }
        const linesBefore = captured.with('postgres.connection_lost').length;
        await terminate(lost);
        // and the process lives
        await eventually(() => captured.with('postgres.connection_lost').length > linesBefore);
        await on('SELECT 1');
      });
      const error = await errorOf(work);
      expect(isPostgresUnavailable(error)).toBe(true);
      expect(await notes()).not.toContain('lost');
      const pids = await Promise.all([inTransaction(pool, pidOf), inTransaction(pool, pidOf)]);
      expect(pids).not.toContain(lost);
    },
  );
});

describe('the pool survives', () => {
  test('the loss of an idle connection', async () => {
    const pid = await pidOf(sql);
    const linesBefore = captured.with('postgres.connection_lost').length;
    await terminate(pid);
    await eventually(() => captured.with('postgres.connection_lost').length > linesBefore);
    expect(await pidOf(sql)).not.toBe(pid);
  });
});

describe('isPostgresUnavailable', () => {
  test('nothing listens on the port', async () => {
    const nowhere = createPool({
      url: new Secret('postgresql://postgres@127.0.0.1:1/x'),
      applicationName: 'x',
      connectionsMax: 1,
      log,
    });
    expect(isPostgresUnavailable(await errorOf(nowhere.query('SELECT 1')))).toBe(true);
    await nowhere.end();
  });

  test('the server accepts no more connections', async () => {
    // a role belongs to the server, not to the test's database
    const role = `limited_${randomBytes(6).toString('hex')}`;
    const url = new URL(database.url);
    url.username = role;
    url.password = role; // where the server requires one
    const client = new pg.Client({ connectionString: url.href });
    await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD '${role}' CONNECTION LIMIT 0`);
    try {
      const error = await errorOf(client.connect());
      expect(error).toMatchObject({ code: '53300' });
      expect(isPostgresUnavailable(error)).toBe(true);
    } finally {
      await admin.query(`DROP ROLE ${role}`);
    }
  });

  test('every connection is busy', async () => {
    const single = new pg.Pool({ connectionString: database.url, max: 1 });
    const busy = await single.connect(); // for the whole test
    single.options.connectionTimeoutMillis = 30;
    expect(isPostgresUnavailable(await errorOf(single.query('SELECT 1')))).toBe(true);
    busy.release();
    await single.end();
  });

  test('no answer in time', async () => {
    const client = new pg.Client({ connectionString: database.url, query_timeout: 30 });
    client.on('error', () => undefined);
    await client.connect();
    expect(isPostgresUnavailable(await errorOf(client.query('SELECT pg_sleep(5)')))).toBe(true);
    await client.end();
  });

  test.each([
    ['a syntax error', 'SELEKT'],
    ['a missing table', 'SELECT * FROM nowhere'],
    ['a division by zero', 'SELECT 1 / 0'],
    ['a value that cannot be read', `SELECT 'x'::int`],
  ])('%s is a bug', async (_what, text) => {
    const error = await errorOf(pool.query(text));
    expect(error).toHaveProperty('code');
    expect(isPostgresUnavailable(error)).toBe(false);
  });
});

test('statements that a full server refuses are counted', async () => {
  const before = countRefusals();
  const refuse = (state: string) => sql(`DO $$ BEGIN RAISE 'refused' USING ERRCODE = '${state}'; END $$`);
  await expect(refuse('53100')).rejects.toThrow('refused');
  await expect(refuse('58030')).rejects.toThrow('refused');
  await expect(refuse('23505')).rejects.toThrow('refused');
  expect(countRefusals() - before).toBe(2);
});
