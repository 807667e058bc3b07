// The embedded Postgres through everything that happens to a development machine.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../src/servers/embedded-postgres.ts';
import type { EmbeddedPostgres } from '../../src/servers/embedded-postgres.ts';
import { outsidePlace } from '../../src/servers/postgres-binaries.ts';
import { processIdentity } from '../../src/servers/processes/process-identity.ts';
import { openLedger } from '../../src/servers/processes/process-ledger.ts';

// Several starts in one test, synced to disk, on a machine with two busy cores.
jest.setTimeout(60_000);

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const asRoot = process.getuid?.() === 0;
let parent: string;
let home: string;
const running: EmbeddedPostgres[] = [];

beforeEach(() => {
  // As root the server runs as another user, who may not reach the checkout.
  parent = mkdtempSync(join(asRoot ? '/var/tmp' : tmpdir(), 'parley-postgres-'));
  chmodSync(parent, 0o755);
  home = join(parent, 'home');
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()));
  rmSync(outsidePlace(home), { recursive: true, force: true });
  rmSync(parent, { recursive: true });
});

async function start(throwaway = false): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({
    root,
    home,
    ledger: openLedger(join(home, 'processes.json')),
    throwaway,
  });
  running.push(server);
  return server;
}

async function query<T extends object>(url: string, sql: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<T>(sql)).rows;
  } finally {
    await client.end();
  }
}

const setting = async (url: string, name: string): Promise<string | undefined> =>
  (await query<{ value: string }>(url, `SELECT setting AS value FROM pg_settings WHERE name = '${name}'`))[0]
    ?.value;

test('keeps its data over a stop and over kill -9, on another port each time, with durable settings', async () => {
  const first = await start();
  expect(await setting(first.url, 'fsync')).toBe('on');
  await query(first.url, 'CREATE TABLE kept (n int)');
  await query(first.url, 'INSERT INTO kept VALUES (1)');
  await first.stop();

  const second = await start();
  await query(second.url, 'INSERT INTO kept VALUES (2)');
  process.kill(second.pid, 'SIGKILL');
  expect((await second.exited).signal).toBe('SIGKILL');

  const third = await start();
  expect(await query(third.url, 'SELECT n FROM kept ORDER BY n')).toEqual([{ n: 1 }, { n: 2 }]);
  expect(new Set([first.url, second.url, third.url]).size).toBe(3);
});

test('wants the password, and listens on loopback only', async () => {
  const { url } = await start();
  await expect(query(url.replace(/:[0-9a-f]{64}@/, ':wrong@'), 'SELECT 1')).rejects.toThrow(
    'password authentication failed',
  );
  expect(await setting(url, 'listen_addresses')).toBe('127.0.0.1');
});

test('sorts the same everywhere, in UTF-8 and UTC', async () => {
  const { url } = await start(true);
  expect(
    await query(
      url,
      `SELECT datlocprovider::text AS provider, pg_encoding_to_char(encoding) AS encoding FROM pg_database WHERE datname = 'postgres'`,
    ),
  ).toEqual([{ provider: 'b', encoding: 'UTF8' }]);
  expect(await setting(url, 'TimeZone')).toBe('UTC');
});

test('a throw-away server syncs nothing and leaves no data', async () => {
  const server = await start(true);
  expect(await setting(server.url, 'fsync')).toBe('off');
  expect(existsSync(join(home, 'pg'))).toBe(true);
  await server.stop();
  expect(existsSync(join(home, 'pg'))).toBe(false);
});

test('a server that no ledger knows any more is stopped before a new one starts on its data', async () => {
  const forgotten = await start(true);
  await query(forgotten.url, 'CREATE TABLE kept (n int)');
  rmSync(join(home, 'processes.json'));
  const server = await start();
  expect(processIdentity(forgotten.pid)).toBeNull();
  expect(await query(server.url, 'SELECT n FROM kept')).toEqual([]);
});

test('a postmaster.pid whose number belongs to another program by now is no obstacle', async () => {
  const server = await start(true);
  const file = join(home, 'pg', 'postmaster.pid');
  const text = readFileSync(file, 'utf8');
  process.kill(server.pid, 'SIGKILL');
  await server.exited;
  writeFileSync(file, text.replace(/^\d+/, String(process.pid)));
  const next = await start();
  expect(await query(next.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('data of another major version is refused with both versions named', async () => {
  await (await start()).stop();
  writeFileSync(join(home, 'pg', 'PG_VERSION'), '14\n');
  await expect(start()).rejects.toThrow(/was made by Postgres 14, and this Parley brings Postgres 18/);
});

test('a lost password file is explained', async () => {
  await (await start()).stop();
  rmSync(join(home, 'pg-password'));
  await expect(start()).rejects.toThrow(/pg-password is gone/);
});

test('an initdb that was killed leaves nothing in the way', async () => {
  mkdirSync(join(home, 'pg.new', 'base'), { recursive: true });
  writeFileSync(join(home, 'pg.new', 'PG_VERSION'), '');
  const server = await start();
  expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

// As root Postgres runs as another user, who cannot pass through such a folder; for everybody else
// nothing is special here.
test('runs below a folder that only its owner may enter', async () => {
  chmodSync(parent, 0o700);
  const first = await start();
  await query(first.url, 'CREATE TABLE kept (n int)');
  await first.stop();
  const second = await start();
  expect(await query(second.url, 'SELECT n FROM kept')).toEqual([]);
  expect(existsSync(asRoot ? join(outsidePlace(home), 'pg') : join(home, 'pg'))).toBe(true);
  expect(await setting(second.url, 'data_directory')).toBe(join(asRoot ? outsidePlace(home) : home, 'pg'));
});

test('is restarted in its place, in order and at once, and keeps what was committed', async () => {
  const server = await start();
  const { url, pid } = server;
  await query(url, 'CREATE TABLE kept (n int)');
  await query(url, 'INSERT INTO kept VALUES (1)');
  await server.restart('in_order');
  await query(url, 'INSERT INTO kept VALUES (2)');
  const second = server.pid;
  await server.restart('at_once');
  expect(await query(url, 'SELECT n FROM kept ORDER BY n')).toEqual([{ n: 1 }, { n: 2 }]);
  expect(new Set([pid, second, server.pid]).size).toBe(3);
  await server.stop();
  expect(processIdentity(server.pid)).toBeNull();
});
