// The tables of the outbox and the inbox, and the grouped writer. The engine matters little here:
// Redis.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sqlOf } from '@parley/server/postgres';
import { createIds } from '@parley/server/runtime';
import { createTestDatabase, eventually } from '@parley/testing';
import pg from 'pg';
import { readOutboxStats } from '../src/stats.ts';
import {
  createGroupedOutbox,
  createInbox,
  createOutbox,
  INBOX_RETENTION_MS,
  PAYLOAD_BYTES_MAX,
  REENQUEUE_FOR_MS,
  sweepOutbox,
  trimInbox,
  type Queues,
} from '../src/index.ts';
import { conversationEvent, openBench, type Bench } from './bench.ts';

let bench: Bench;
let queues: Queues;
beforeAll(async () => {
  bench = await openBench('redis');
});
beforeEach(async () => {
  queues = await bench.openReadyQueues();
});
afterEach(() => bench.reset());
afterAll(() => bench.close());

const sweep = () =>
  sweepOutbox({
    service: 'flow-builder',
    pool: bench.producing,
    queues,
    messageKeys: bench.messageKeys['flow-builder'],
    clock: bench.now,
    log: bench.log,
  });

describe('the outbox', () => {
  test('a message that violates its contract is refused before anything is written', async () => {
    const event = conversationEvent('a');
    const tooLarge = conversationEvent('a', { text: 'x'.repeat(PAYLOAD_BYTES_MAX) });
    await expect(bench.commit(queues, [tooLarge])).rejects.toMatchObject({ code: 'payload_too_large' });
    await expect(bench.commit(queues, [{ ...event, payload: {} } as never])).rejects.toThrow();
    const alert = { organization_id: 'other', channels: ['chat' as const], message: 'Hello' };
    const { producing: pool, sealer, now: clock } = bench;
    const messageKeys = bench.messageKeys['voice-api'];
    const ids = createIds();
    const alerting = createOutbox({ service: 'voice-api', pool, queues, sealer, messageKeys, ids, clock });
    await expect(
      alerting.prepare([{ contract: 'notification.send', organizationId: 'acme', payload: alert }]),
    ).rejects.toThrow('organization_id of the payload must be that of the message');
    expect(await bench.outboxRows()).toEqual([]);
  });

  test('gives a message up after seven days, and logs it', async () => {
    await bench.commit(queues, [conversationEvent('a')]);
    bench.aheadMs = REENQUEUE_FOR_MS + 1_000;
    await sweep(); // the last enqueue
    expect(await sweep()).toBe(0);
    expect(await readOutboxStats(sqlOf(bench.producing), bench.now)).toMatchObject({
      unacknowledged: 1,
      stuck: 1,
    });
    expect(bench.logged.text()).toContain('outbox.given_up');
  });

  test('leaves an unknown contract to a newer version', async () => {
    await bench.commit(queues, [conversationEvent('a'), conversationEvent('b')]);
    await bench.producing.query(`UPDATE outbox SET contract = 'from.the.future' WHERE payload LIKE '%"b"%'`);
    bench.aheadMs = 11_000;
    expect(await sweep()).toBe(1);
    expect((await bench.outboxRows()).map((row) => row.next_ring_at.getTime() > bench.now())).toEqual([
      true,
      true,
    ]);
  });

  test('reports how much waits, and for how long', async () => {
    expect(await readOutboxStats(sqlOf(bench.producing), bench.now)).toEqual({
      unacknowledged: 0,
      stuck: 0,
      oldestMs: 0,
    });
    await bench.commit(queues, [conversationEvent('a')]);
    bench.aheadMs = 60_000;
    await bench.commit(queues, [conversationEvent('b')]);
    const stats = await readOutboxStats(sqlOf(bench.producing), bench.now);
    expect(stats).toMatchObject({ unacknowledged: 2, stuck: 0 });
    expect(stats.oldestMs).toBeGreaterThanOrEqual(60_000);
    expect(stats.oldestMs).toBeLessThan(70_000);
  });

  test('a service can only send what it produces, and receive what it consumes', async () => {
    const wrong = createOutbox({
      service: 'notifications',
      pool: bench.producing,
      queues,
      sealer: bench.sealer,
      messageKeys: bench.messageKeys.notifications,
      ids: createIds(),
      clock: bench.now,
    });
    await expect(wrong.prepare([conversationEvent('a')])).rejects.toThrow('notifications does not produce');
    const { consuming: pool, sealer, now: clock, log } = bench;
    const inbox = createInbox({
      service: 'notifications',
      pool,
      queues,
      sealer,
      messageKeys: bench.messageKeys.notifications,
      ids: createIds(),
      clock,
      log,
    });
    bench.onClose(() => inbox.close());
    expect(() => inbox.consume('conversation.event', async () => undefined)).toThrow('does not consume');
  });
});

describe('the inbox', () => {
  test('deletes entries that are too old to recur, in batches, in several processes', async () => {
    await bench.consuming.query(
      `INSERT INTO inbox (message_id, contract, producer, received_at)
       SELECT 'm' || i, 'conversation.event', 'flow-builder', to_timestamp($1::bigint / 1000.0) - i * interval '1 hour'
       FROM generate_series(1, 12000) AS i`,
      [bench.now()],
    );
    const sql = sqlOf(bench.consuming);
    const [one, two] = await Promise.all([trimInbox(sql, bench.now()), trimInbox(sql, bench.now())]);
    const kept = await sql<{ kept: number }>('SELECT count(*)::int AS kept FROM inbox');
    expect(kept).toEqual([{ kept: INBOX_RETENTION_MS / 3_600_000 - 1 }]);
    expect(one + two).toBe(12_000 - INBOX_RETENTION_MS / 3_600_000 + 1);
  });
});

describe('the grouped outbox', () => {
  test('commits calls together, and resolves each after its commit', async () => {
    const outbox = bench.outbox(queues);
    let statements = 0;
    const counting = Object.assign(Object.create(bench.producing) as pg.Pool, {
      query: (...args: [pg.QueryConfig]) => {
        statements += 1;
        return bench.producing.query(...args);
      },
    });
    const grouped = createGroupedOutbox({ pool: counting, outbox });
    const sent = await Promise.all(
      Array.from({ length: 300 }, async (_, index) => {
        const [id] = await grouped.send([conversationEvent(`e${index}`)]);
        const found = await bench.producing.query('SELECT 1 FROM outbox WHERE id = $1', [id]);
        return found.rowCount;
      }),
    );
    expect(sent).toEqual(Array.from({ length: 300 }, () => 1));
    expect(statements).toBeLessThan(10);
    await grouped.close();
    await outbox.close();
    const waiting = async () => (await queues.readStats(['conversation-events']))[0]?.waiting ?? 0;
    const jobs = await sqlOf(bench.producing)<{ count: number }>(
      'SELECT count(DISTINCT batch)::int AS count FROM outbox',
    );
    await eventually(async () => (await waiting()) === jobs[0]!.count);
    expect(jobs[0]!.count).toBeLessThan(20); // of up to fifty messages, and one by one at first
  });

  test('messages of one call are written together or not at all', async () => {
    const grouped = createGroupedOutbox({ pool: bench.producing, outbox: bench.outbox(queues) });
    const two = [conversationEvent('a'), { ...conversationEvent('b'), organizationId: 'nul\u0000' }];
    await expect(grouped.send(two)).rejects.toThrow(/0x00|invalid byte/);
    expect(await bench.outboxRows()).toEqual([]);
    await expect(grouped.send([conversationEvent('c')])).resolves.toHaveLength(1);
    await grouped.close();
    await expect(grouped.send([conversationEvent('d')])).rejects.toThrow('closed');
  });

  test('with Postgres away every caller gets an error, and the next one succeeds again', async () => {
    const gone = await createTestDatabase('flow-builder');
    const pool = new pg.Pool({ connectionString: gone.url });
    pool.on('error', () => undefined); // its database is dropped under it
    bench.onClose(() => pool.end());
    const grouped = createGroupedOutbox({ pool, outbox: bench.outbox(queues) });
    await grouped.send([conversationEvent('a')]);
    await gone.drop();
    const calls = await Promise.allSettled(['b', 'c'].map((id) => grouped.send([conversationEvent(id)])));
    expect(calls.map((call) => call.status)).toEqual(['rejected', 'rejected']);
    await grouped.close();
  });

  test('refuses more than may wait', async () => {
    const grouped = createGroupedOutbox({ pool: bench.producing, outbox: bench.outbox(queues) });
    const many = Array.from({ length: 20_001 }, (_, index) => conversationEvent(`e${index}`));
    await expect(grouped.send(many)).rejects.toMatchObject({ code: 'unavailable' });
    await grouped.close();
  });
});

test('refuses an unknown engine immediately', () => {
  expect(() => bench.openQueues('amqp://localhost')).toThrow('a queue engine must start with');
});
