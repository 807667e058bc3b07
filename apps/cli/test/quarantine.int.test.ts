// `parley quarantine` lists rows, and releases them for their own organisation only.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase } from '@parley/testing';
import { createProgram } from '../src/program.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  database = await createTestDatabase('voice-api');
});
afterAll(() => database.drop());

async function query(text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

async function run(...words: string[]): Promise<string[]> {
  const lines: string[] = [];
  const output = { print: (line: string) => void lines.push(line), explain: () => undefined };
  const parley = createProgram({ DATABASE_URL_VOICE_API: database.url }, output);
  await parley.parseAsync(['node', 'parley', 'quarantine', ...words, '--product', 'voice-api']);
  return lines;
}

test('lists and releases rows of every table', async () => {
  const at = '2026-11-20T18:00:00.000Z';
  const quarantined = `3, '${at}', '9999-12-31T00:00:00Z'`;
  await query(
    `INSERT INTO inbox_suspects (organization_id, id, contract, data, deaths, quarantined_at, next_ring_at)
     VALUES ('acme', 'msg_1', 'conversation.event', '{}', ${quarantined});
     INSERT INTO webhook_delivery_batches (id, delivery_ids, round, due_at, deaths, quarantined_at, next_ring_at)
     VALUES ('dlb_1', '{dlv_1}', 1, now(), ${quarantined}), ('dlb_2', '{dlv_2}', 1, now(), 0, NULL, '9999-12-31T00:00:00Z');
     INSERT INTO webhook_deliveries (id, event_id, event, kind, status, attempts, round, created_at)
     VALUES ('dlv_1', 'evt_1', 'flow.completed', 'one_off', 'quarantined', 0, 1, now());
     INSERT INTO webhook_events (id, organization_id, conversation_id, body, delivery_ids)
     VALUES ('evt_1', 'acme', '', '{}', '{dlv_1}')`,
  );
  const listed = (await run('list')).map((line) => JSON.parse(line) as object);
  expect(listed).toEqual([
    { table: 'inbox_suspects', id: 'msg_1', org: 'acme', quarantined_at: at },
    { table: 'webhook_delivery_batches', id: 'dlb_1', org: 'acme', quarantined_at: at },
  ]);
  const batch = ['--table', 'webhook_delivery_batches', '--id', 'dlb_1'];
  await expect(run('release', ...batch, '--org', 'globex')).rejects.toThrow('is in quarantine');
  await expect(run('release', '--table', 'bots', '--id', 'x', '--org', 'acme')).rejects.toThrow(
    'is in quarantine',
  );
  expect(await run('release', ...batch, '--org', 'acme')).toEqual(['released dlb_1']);
  await expect(run('release', ...batch, '--org', 'acme')).rejects.toThrow('is in quarantine');
  expect(
    await query(
      `SELECT deaths, quarantined_at, next_ring_at <= now() AS due FROM webhook_delivery_batches WHERE id = 'dlb_1'`,
    ),
  ).toEqual([{ deaths: 0, quarantined_at: null, due: true }]);
  expect(await run('list')).toHaveLength(1);
});
