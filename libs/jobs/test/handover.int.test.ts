// Handovers: acknowledged messages are sent again to a consumer whose database was put back, and
// erased with the conversation that they are about.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { AppError } from '@parley/envelopes';
import { inTransaction, sqlOf } from '@parley/server/postgres';
import { eventually } from '@parley/testing';
import {
  eraseHandovers,
  listProducers,
  replayHandovers,
  startOutboxSweeper,
  trimHandovers,
  type Queues,
} from '../src/index.ts';
import { conversationEvent, openBench, writeEffect, type Bench } from './bench.ts';

const DAY_MS = 86_400_000;
let bench: Bench;
let queues: Queues;
beforeAll(async () => {
  bench = await openBench('redis');
});
beforeEach(async () => {
  queues = await bench.openReadyQueues();
});
afterEach(async () => {
  await bench.reset();
  await bench.producing.query('TRUNCATE handovers');
});
afterAll(() => bench.close());

/** The producer's worker process. */
function tend(handoverDays: number): void {
  const { producing: pool, messageKeys, now: clock, log } = bench;
  const keys = messageKeys['flow-builder'];
  const sweeping = { service: 'flow-builder', pool, queues, messageKeys: keys, clock, log } as const;
  const tending = startOutboxSweeper({ ...sweeping, sweepEveryMs: 50, handoverDays });
  bench.onClose(() => tending.close());
}
async function send(...ids: string[]): Promise<void> {
  const written = await bench.commit(
    queues,
    ids.map((id) => conversationEvent(id)),
  );
  await bench.outbox(queues).enqueueJobs(written);
  await isEmpty();
}
const isEmpty = () => eventually(async () => (await bench.outboxRows()).length === 0);
const handovers = async () => {
  const sql = sqlOf(bench.producing);
  const rows = await sql<{ payload: string; about: string }>('SELECT payload, about FROM handovers');
  return rows.map(({ payload }) => (JSON.parse(payload) as { id: string }).id).sort();
};
const replay = (since: Date) =>
  replayHandovers((work) => inTransaction(bench.producing, work), 'voice-api', {
    since,
    until: new Date(),
  });

test('a consumer that was put back gets what it lost, and applies nothing twice', async () => {
  tend(7);
  bench.consume(queues);
  await send('a');
  await bench.consuming.query('CREATE TABLE backup_inbox AS TABLE inbox');
  const backup = new Date();
  await send('b', 'c');
  expect(await handovers()).toEqual(['a', 'b', 'c']);

  await bench.consuming.query(
    'TRUNCATE inbox; INSERT INTO inbox TABLE backup_inbox; DROP TABLE backup_inbox',
  );
  await bench.consuming.query(`DELETE FROM effects WHERE event_id <> 'a'`);
  expect(await replay(backup)).toBe(2);
  await isEmpty();
  expect(await bench.effects()).toEqual(['a', 'b', 'c']);

  // Everything, to a consumer that lost nothing.
  expect(await replay(new Date(0))).toBe(3);
  await isEmpty();
  expect(await bench.effects()).toEqual(['a', 'b', 'c']);
  expect(await handovers()).toEqual(['a', 'b', 'c']);
});

test('refused messages are not stored, and none with HANDOVER_DAYS=0', async () => {
  tend(7);
  const consumer = bench.consume(queues, {
    effect: async (sql, payload, context) => {
      if (payload.id === 'refused') throw new AppError('conversation_deleted', 'it was deleted');
      await writeEffect(sql, payload, context);
    },
  });
  await send('a', 'refused');
  expect(await handovers()).toEqual(['a']);
  await consumer.close();
});

test('without days nothing is stored', async () => {
  tend(0);
  bench.consume(queues);
  await send('a');
  expect(await handovers()).toEqual([]);
});

test('an erasure takes the handovers of its conversation, and time those that are older', async () => {
  tend(7);
  bench.consume(queues);
  await send('a');
  const sql = sqlOf(bench.producing);
  await eraseHandovers(sql, 'acme', ['another']);
  await eraseHandovers(sql, 'globex', ['c1']);
  expect(await handovers()).toEqual(['a']);
  await eraseHandovers(sql, 'acme', ['c1']);
  expect(await handovers()).toEqual([]);

  await send('b');
  expect(await trimHandovers(sql, Date.now() + 7 * DAY_MS - 60_000, 7)).toBe(0);
  expect(await trimHandovers(sql, Date.now() + 7 * DAY_MS + 60_000, 7)).toBe(1);
});

test('the producers of each consumer', () => {
  expect(listProducers('voice-api')).toEqual(['flow-builder', 'notifications']);
  expect(listProducers('notifications')).toEqual(['flow-builder', 'voice-api']);
  expect(listProducers('flow-builder')).toEqual(['voice-api']);
});
