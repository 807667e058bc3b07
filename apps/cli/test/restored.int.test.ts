// `parley restored` raises the epoch of a database by one.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase } from '@parley/testing';
import { createProgram } from '../src/program.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  database = await createTestDatabase('notifications');
});
afterAll(() => database.drop());

async function run(product: string): Promise<string[]> {
  const lines: string[] = [];
  const output = { print: (line: string) => void lines.push(line), explain: () => undefined };
  const parley = createProgram({ DATABASE_URL_NOTIFICATIONS: database.url }, output);
  await parley.parseAsync(['node', 'parley', 'restored', '--product', product]);
  return lines;
}

test('raises the epoch each time, of services with positions only', async () => {
  expect(await run('notifications')).toEqual([expect.stringMatching(/^notifications: epoch 1\. /)]);
  expect(await run('notifications')).toEqual([expect.stringMatching(/^notifications: epoch 2\. /)]);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ number: number }>('SELECT current_epoch() AS number');
  await client.end();
  expect(rows).toEqual([{ number: 2 }]);
  await expect(run('flow-builder')).rejects.toThrow(/voice-api, notifications/);
});
