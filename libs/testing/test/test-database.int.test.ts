import { afterAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { SERVICES, createTestDatabase, testPostgresUrl, testQueue } from '../src/index.ts';

const clients: pg.Client[] = [];
async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined); // drop() ends connections by force
  await client.connect();
  clients.push(client);
  return client;
}
afterAll(() => Promise.all(clients.map((client) => client.end())));

describe('createTestDatabase', () => {
  test.each(SERVICES)('gives %s its own migrated database', async (service) => {
    const database = await createTestDatabase(service);
    const client = await connect(database.url);
    const tables = await client.query<{ table_name: string }>(
      `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'`,
    );
    expect(tables.rows.map((row) => row.table_name)).toEqual(
      expect.arrayContaining(['api_keys', 'outbox', '_prisma_migrations']),
    );
    await database.drop();
    await database.drop();
    await expect(connect(database.url)).rejects.toThrow(/does not exist/);
  });

  test('two databases share no rows, also when created concurrently', async () => {
    const [one, two] = await Promise.all([createTestDatabase('voice-api'), createTestDatabase('voice-api')]);
    const [first, second] = [await connect(one.url), await connect(two.url)];
    await first.query(
      `INSERT INTO inbox (message_id, contract, producer, received_at) VALUES ('m1', 'c', 'p', now())`,
    );
    expect((await second.query('SELECT 1 FROM inbox')).rowCount).toBe(0);
    await Promise.all([one.drop(), two.drop()]);
  });

  test('a template of other migrations is replaced', async () => {
    const admin = await connect(testPostgresUrl());
    await (await createTestDatabase('notifications')).drop();
    await admin.query(`COMMENT ON DATABASE template_notifications IS 'made long ago'`);
    const before = await admin.query<{ oid: number }>(
      `SELECT oid FROM pg_database WHERE datname = 'template_notifications'`,
    );
    const databases = await Promise.all([1, 2, 3].map(() => createTestDatabase('notifications')));
    const after = await admin.query<{ oid: number }>(
      `SELECT oid FROM pg_database WHERE datname = 'template_notifications'`,
    );
    expect(after.rows[0]?.oid).not.toBe(before.rows[0]?.oid);
    await Promise.all(databases.map((database) => database.drop()));
  });
});

test('every test file has a queue prefix of its own', () => {
  expect(testQueue().prefix).toMatch(/^t[0-9a-f]{12}$/);
  expect(testQueue().prefix).not.toBe(testQueue().prefix);
});
