// `parley handover replay` puts messages for one service back into the outbox.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase } from '@parley/testing';
import { createProgram } from '../src/program.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let client: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase('flow-builder');
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

async function run(...args: string[]): Promise<string[]> {
  const lines: string[] = [];
  const output = { print: (line: string) => void lines.push(line), explain: () => undefined };
  const env = { DATABASE_URL_FLOW_BUILDER: database.url };
  await createProgram(env, output).parseAsync(['node', 'parley', 'handover', 'replay', ...args]);
  return lines;
}

test('a wrong time, and a service that sends nothing there, are errors', async () => {
  await expect(run('--since', 'yesterday', '--to', 'voice-api')).rejects.toThrow('--since must be a time');
  const wrong = run('--since', '2026-02-02', '--to', 'notifications', '--product', 'notifications');
  await expect(wrong).rejects.toThrow('notifications sends nothing to notifications');
});

test('messages since the backup are in the outbox again, due in their order', async () => {
  const insert = (id: string, contract: string, at: string) =>
    client.query(
      `INSERT INTO handovers (id, organization_id, contract, payload, rings, created_at, acknowledged_at)
       VALUES ($1, 'acme', $2, '{}', 0, $3, $3)`,
      [id, contract, at],
    );
  await insert('old', 'conversation.event', '2026-02-01T00:00:00Z');
  await insert('new', 'conversation.event', '2026-02-03T00:00:00Z');
  await insert('alert', 'notification.send', '2026-02-03T00:00:00Z');
  const args = ['--since', '2026-02-02T00:00:00Z', '--to', 'voice-api'];
  expect(await run(...args)).toEqual(['flow-builder: workers send 1 messages to voice-api again']);
  const { rows } = await client.query('SELECT id, rings, next_ring_at = created_at AS due FROM outbox');
  expect(rows).toEqual([{ id: 'new', rings: 1, due: true }]);
  expect(await run(...args)).toEqual(['flow-builder: workers send 0 messages to voice-api again']);
});
