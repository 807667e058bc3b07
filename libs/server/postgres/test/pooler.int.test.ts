// A real PgBouncer in both modes, and with what fails behind it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { createLog, Secret } from '@parley/server/runtime';
import { capturedLog, createTestDatabase, tcpProxy } from '@parley/testing';
import { openLedger, startPgBouncer, type PgBouncerOptions } from '@parley/testing/servers';
import { createPool, findPoolerProblem, inTransaction } from '../src/index.ts';

const root = join(import.meta.dirname, '../../../..');
const home = mkdtempSync(join(tmpdir(), 'parley-pooler-'));
const ledger = openLedger(join(home, 'processes.json'));
/** How long a notice that never comes is waited for. */
const SILENCE_MS = 500;
const running: { stop(): Promise<unknown> }[] = [];
let database: Awaited<ReturnType<typeof createTestDatabase>>;

beforeAll(async () => {
  database = await createTestDatabase('flow-builder');
});
afterEach(() => Promise.all(running.splice(0).map((server) => server.stop())));
afterAll(async () => {
  await database.drop();
  rmSync(home, { recursive: true });
});

async function pooler(mode: PgBouncerOptions['mode'], ...settings: string[]): Promise<string> {
  const server = await startPgBouncer({ root, home, ledger, target: database.url, mode, settings });
  running.push(server);
  return server.url;
}

test('no pooler suits, with the startup parameter', async () => {
  const addresses = { url: database.url, directUrl: database.url, statementMs: 10_000 };
  expect(await findPoolerProblem(addresses)).toBeUndefined();
});

test.each(['transaction', 'session'] as const)(
  'PgBouncer in %s mode beside a direct address',
  async (mode) => {
    const url = await pooler(mode, 'max_prepared_statements = 500');
    expect(await findPoolerProblem({ url, directUrl: database.url, statementMs: undefined })).toBeUndefined();
    expect(await findPoolerProblem({ url, directUrl: url, statementMs: 10_000 })).toMatch(
      /^DATABASE_URL .* startup parameter statement_timeout: set DATABASE_DIRECT_URL/,
    );
    const ignoring = await pooler(
      mode,
      'ignore_startup_parameters = statement_timeout',
      'max_prepared_statements = 500',
    );
    const alone = findPoolerProblem(
      { url: ignoring, directUrl: ignoring, statementMs: 10_000 },
      mode === 'session' ? undefined : SILENCE_MS,
    );
    if (mode === 'session') expect(await alone).toBeUndefined();
    else
      expect(await alone).toMatch(/^DATABASE_URL is the address of a transaction pooler, which drops LISTEN/);
  },
);

test('a transaction pooler without prepared statements, as PgBouncer before 1.21', async () => {
  const url = await pooler('transaction', 'max_prepared_statements = 0');
  expect(await findPoolerProblem({ url, directUrl: database.url, statementMs: undefined })).toMatch(
    /loses prepared statements between transactions: use PgBouncer 1.21 or newer/,
  );
});

test('a direct address that is a transaction pooler, or another database', async () => {
  const url = await pooler('transaction', 'max_prepared_statements = 500');
  const again = await pooler('transaction', 'max_prepared_statements = 500');
  const sentence = /^LISTEN on DATABASE_DIRECT_URL receives no notices/;
  expect(await findPoolerProblem({ url, directUrl: again, statementMs: undefined }, SILENCE_MS)).toMatch(
    sentence,
  );
  const other = Object.assign(new URL(database.url), { pathname: '/postgres' }).href;
  expect(await findPoolerProblem({ url, directUrl: other, statementMs: undefined }, SILENCE_MS)).toMatch(
    sentence,
  );
});

test('a server that is away is no problem of the address', async () => {
  const proxy = await tcpProxy(database.url);
  await proxy.close();
  await expect(
    findPoolerProblem({ url: proxy.url, directUrl: proxy.url, statementMs: undefined }),
  ).rejects.toThrow();
});

test('concurrent transactions share few server connections in transaction mode', async () => {
  const url = await pooler('transaction', 'max_prepared_statements = 500', 'default_pool_size = 2');
  const log = createLog({ service: 'test', level: 'debug', destination: capturedLog() });
  const pool = createPool({ url: new Secret(url), applicationName: 'app', connectionsMax: 8, log });
  try {
    const pids = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        inTransaction(pool, async (sql) => {
          const [row] = await sql<{ pid: number; index: number }>(
            'SELECT pg_backend_pid() AS pid, $1::int AS index',
            [index],
          );
          expect(row!.index).toBe(index);
          return row!.pid;
        }),
      ),
    );
    expect(new Set(pids).size).toBeLessThanOrEqual(2);
  } finally {
    await pool.end();
  }
});
