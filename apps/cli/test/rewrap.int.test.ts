// `parley rewrap` makes the old key unnecessary, in spite of kills, changes and unreadable rows.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { parseKeyring, seal, unseal } from '@parley/server/runtime';
import { subscriptionContext, webhookContext } from '@parley/server/sealed-columns';
import { createTestDatabase } from '@parley/testing';
import { createProgram } from '../src/program.ts';

const [one, two, lost] = ['k1', 'k_2', 'k1'].map((id) => `${id}:${randomBytes(32).toString('base64')}`) as [
  string,
  string,
  string,
];
const KEYS = `${two},${one}`;

async function run(url: string, product: string, more: Record<string, string> = {}): Promise<string[]> {
  const lines: string[] = [];
  const output = { print: (line: string) => void lines.push(line), explain: () => undefined };
  const env = { DATABASE_URL: url, DATA_KEY: 'env://KEYS', KEYS, ...more };
  await createProgram(env, output).parseAsync(['node', 'parley', 'rewrap', '--product', product]);
  return lines;
}

describe.each(['notifications', 'voice-api'] as const)('%s', (service) => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let client: pg.Client;
  const table = service === 'notifications' ? 'push_subscriptions' : 'webhooks';
  const column = service === 'notifications' ? 'sealed' : 'secret';
  const buildContext = service === 'notifications' ? subscriptionContext : webhookContext;
  beforeAll(async () => {
    database = await createTestDatabase(service);
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  beforeEach(() => client.query(`TRUNCATE ${table}`));
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  const formatId = (n: number) => `row-${String(n).padStart(5, '0')}`;
  async function plant(numbers: readonly number[], keyring = one): Promise<void> {
    const keys = parseKeyring(keyring);
    const ids = numbers.map(formatId);
    const sealed = ids.map((id) =>
      seal(keys, `secret of ${id}`, buildContext({ organizationId: 'acme', id })),
    );
    await client.query(
      service === 'notifications'
        ? `INSERT INTO push_subscriptions (id, organization_id, endpoint_hash, endpoint_host, sealed, platform, key_id, created_at, updated_at)
           SELECT id, 'acme', id::bytea, 'x', sealed, 'web', 'k', now(), now() FROM unnest($1::text[], $2::text[]) AS row (id, sealed)`
        : `INSERT INTO webhooks (id, organization_id, url, events, status, secret, secret_hint, created_at, created_by, updated_at)
           SELECT id, 'acme', 'https://x', '{*}', 'active', sealed, '…', now(), 'x', now() FROM unnest($1::text[], $2::text[]) AS row (id, sealed)`,
      [ids, sealed],
    );
  }
  async function opened(keyring: string): Promise<string[]> {
    const { rows } = await client.query<{ id: string; sealed: string }>(
      `SELECT id, ${column} AS sealed FROM ${table} ORDER BY id`,
    );
    const keys = parseKeyring(keyring);
    return rows.map(({ id, sealed }) => unseal(keys, sealed, buildContext({ organizationId: 'acme', id })));
  }

  test('reseals every row under the new key and prints its progress', async () => {
    const numbers = Array.from({ length: 1_201 }, (_, n) => n);
    await plant(numbers);
    const lines = await run(database.url, service);
    expect(lines.filter((line) => line.startsWith(`${table}.${column}`))).toEqual([
      `${table}.${column}: 500 of 1201`,
      `${table}.${column}: 1000 of 1201`,
      `${table}.${column}: 1201 of 1201`,
    ]);
    expect(lines.at(-1)).toBe(`${service}: every stored secret is sealed under "k_2"`);
    expect(await opened(two)).toEqual(numbers.map((n) => `secret of ${formatId(n)}`));
  });

  test('says until when the old key is needed, once, and not while rows need it', async () => {
    const needed = async () => {
      const { rows } = await client.query<{ id: string }>(
        'SELECT id FROM data_keys WHERE rewrapped_at IS NULL ORDER BY id',
      );
      return rows.map(({ id }) => id);
    };
    await client.query("TRUNCATE data_keys; INSERT INTO data_keys (id) VALUES ('k1'), ('k_2')");
    await plant([1], lost);
    await expect(run(database.url, service)).rejects.toThrow('could not be opened');
    expect(await needed()).toEqual(['k1', 'k_2']);
    await client.query(`TRUNCATE ${table}`);
    await plant([1]);
    expect(await run(database.url, service)).toContainEqual(
      expect.stringMatching(/^keep "k1" in DATA_KEY for a day, .* every backup from before 20[\d-]+T/),
    );
    expect(await needed()).toEqual(['k_2']);
    expect((await run(database.url, service)).join()).not.toContain('keep');
  });

  test('a second run continues with the remaining rows', async () => {
    await plant([1, 3], two);
    await plant([2, 4]);
    expect(await run(database.url, service)).toContain(`${table}.${column}: 2 of 2`);
    expect(await run(database.url, service)).toContain(`${table}.${column}: 0 of 0`);
    expect(await opened(two)).toHaveLength(4);
  });

  test('names rows that no key opens and reseals the others', async () => {
    await plant([1, 3]);
    await plant([2], lost);
    await expect(run(database.url, service)).rejects.toThrow(
      `1 could not be opened with the given keys: ${table}.${column} of ${formatId(2)}`,
    );
    await client.query(`DELETE FROM ${table} WHERE id = $1`, [formatId(2)]);
    expect(await opened(two)).toHaveLength(2);
  });
});

test('refuses to run without a key', async () => {
  await expect(run('postgres://nowhere', 'voice-api', { DATA_KEY: '' })).rejects.toThrow('no key');
});
