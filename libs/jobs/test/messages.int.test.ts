// Messages between services on both engines: no failure loses one or applies it twice.
import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { AppError } from '@parley/envelopes';
import { inTransaction } from '@parley/server/postgres';
import { eventually } from '@parley/testing';
import { messageKind, toNewJob, type OutboxRow } from '../src/messages/envelope.ts';
import { buildJobId, sweepOutbox, startOutboxSweeper, type Queues } from '../src/index.ts';
import {
  conversationEvent,
  ENGINES,
  KEYRING,
  openBench,
  openGate,
  writeEffect,
  type Bench,
} from './bench.ts';

const EMPTY_WITHIN_MS = 40_000;
jest.setTimeout(60_000);

describe.each(ENGINES)('on %s', (engine) => {
  let bench: Bench;
  let queues: Queues;
  beforeAll(async () => {
    bench = await openBench(engine);
  });
  beforeEach(async () => {
    queues = await bench.openReadyQueues();
  });
  afterEach(() => bench.reset());
  afterAll(() => bench.close());

  /** The producer's worker process. Its sweeper runs often, since the test's clock jumps. */
  function tend(at: Queues = queues): void {
    const tending = startOutboxSweeper({ ...sweeping(at), sweepEveryMs: 50 });
    bench.onClose(() => tending.close());
  }
  const sweeping = (at: Queues) =>
    ({
      service: 'flow-builder',
      pool: bench.producing,
      queues: at,
      messageKeys: bench.messageKeys['flow-builder'],
      clock: bench.now,
      log: bench.log,
    }) as const;
  const send = async (...ids: string[]) => {
    const enqueued = await bench.commit(
      queues,
      ids.map((id) => conversationEvent(id)),
    );
    expect(await bench.outbox(queues).enqueueJobs(enqueued)).toBe(true);
    return enqueued;
  };
  /** A row's job, as its producer builds it. */
  const signed = async (row: OutboxRow, changed: Partial<OutboxRow> = {}) =>
    toNewJob(
      { ...row, ...changed, contract: 'conversation.event' },
      await bench.messageKeys['flow-builder'].current(),
    );
  // BullMQ reconnects by itself when the engine is back, which may take seconds on a busy machine.
  const isEmpty = () =>
    eventually(async () => (await bench.outboxRows()).length === 0, { timeoutMs: EMPTY_WITHIN_MS });
  const count = (outcome: string) => bench.outcomes.filter((one) => one === outcome).length;

  test('is applied once, acknowledged, and deleted by its producer', async () => {
    tend();
    bench.consume(queues);
    await send('a', 'b', 'c');
    await isEmpty();
    expect(await bench.effects()).toEqual(['a', 'b', 'c']);
    await eventually(async () => {
      const stats = await queues.readStats(['conversation-events', 'outbox-acks.flow-builder']);
      expect(stats).toHaveLength(2);
      for (const one of stats) expect(one).toMatchObject({ waiting: 0, active: 0, delayed: 0, failed: 0 });
      return true;
    });
  });

  test('carries its payload unchanged and the trace of its request, also when re-enqueued', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const data = { zz: 1, a: 'é\u0000 {"', list: [null, 1.5] };
    await bench.commit(queues, [
      { ...conversationEvent('a', data), trace: { requestId: 'req_1', traceparent } },
    ]);
    const seen: unknown[] = [];
    bench.consume(queues, {
      effect: async (_, payload, context) => {
        seen.push([
          JSON.stringify(payload.data),
          context.requestId,
          context.traceparent,
          context.organizationId,
        ]);
      },
    });
    bench.aheadMs = 11_000;
    tend();
    await isEmpty();
    expect(seen).toEqual([[JSON.stringify(data), 'req_1', traceparent, 'acme']]);
  });

  test('is never sent after a rollback', async () => {
    const rollBack = inTransaction(bench.producing, async (sql) => {
      await bench.outbox(queues).write(sql, [conversationEvent('a')]);
      throw new Error('the request failed');
    });
    await expect(rollBack).rejects.toThrow('the request failed');
    expect(await bench.outboxRows()).toEqual([]);
  });

  test('the engine forgets it between commit and consumption', async () => {
    await send('a', 'b');
    await bench.wipeEngine();
    tend();
    bench.consume(queues);
    bench.aheadMs = 11_000;
    await isEmpty();
    expect(await bench.effects()).toEqual(['a', 'b']);
  });

  test('the engine forgets everything while producers and workers run', async () => {
    tend();
    bench.consume(queues);
    await send('before');
    await isEmpty();
    await bench.wipeEngine();
    await send('after');
    await isEmpty();
    expect(await bench.effects()).toEqual(['after', 'before']);
  });

  test('its producer is killed between commit and enqueue', async () => {
    await bench.commit(queues, [conversationEvent('a')]);
    bench.consume(queues);
    tend();
    bench.aheadMs = 9_000;
    // not due: its producer may still enqueue it
    expect(await sweepOutbox(sweeping(queues))).toBe(0);
    bench.aheadMs = 11_000;
    await isEmpty();
    expect(await bench.effects()).toEqual(['a']);
  });

  test('its acknowledgement is lost: it is re-enqueued and acknowledged again without effect', async () => {
    const gate = await openGate(bench);
    const cut = bench.openQueues(gate.url);
    await gate.shut();
    const deaf = bench.consume(queues, { acksTo: cut });
    await send('a');
    await eventually(() => count('done') === 1);
    await deaf.close();
    expect(await bench.outboxRows()).toHaveLength(1);

    bench.consume(queues);
    tend();
    bench.aheadMs = 11_000;
    await isEmpty();
    expect([await bench.effects(), count('repeated')]).toEqual([['a'], 1]);
  });

  test('concurrent enqueues apply it once', async () => {
    const { rows } = await bench.commit(queues, [conversationEvent('a')]);
    const rings = await Promise.all(
      Array.from({ length: 20 }, (_, ring) => signed(rows[0]!, { rings: ring })),
    );
    bench.consume(queues, {
      effect: async (sql, payload, context) => {
        await writeEffect(sql, payload, context);
        await sql('SELECT pg_sleep(0.05)'); // the others arrive while this transaction is open
      },
    });
    await queues.producer(messageKind('conversation.event')).enqueue(rings);
    await eventually(() => bench.outcomes.length === 20);
    expect([await bench.effects(), count('done'), count('repeated')]).toEqual([['a'], 1, 19]);
  });

  test('the same enqueue number is one job', async () => {
    const { rows } = await bench.commit(queues, [conversationEvent('a')]);
    const producer = queues.producer(messageKind('conversation.event'));
    for (let time = 0; time < 3; time += 1) await producer.enqueue([await signed(rows[0]!)]);
    const [stats] = await queues.readStats(['conversation-events']);
    expect(stats).toMatchObject({ waiting: 1 });
  });

  test('two concurrent sweepers enqueue each row once a round, and not while its job waits', async () => {
    const ids = Array.from({ length: 120 }, (_, index) => `e${index}`);
    await bench.commit(
      queues,
      ids.map((id) => conversationEvent(id)),
    );
    const other = await bench.openReadyQueues();
    const round = async () => {
      const [one, two] = await Promise.all([sweepOutbox(sweeping(queues)), sweepOutbox(sweeping(other))]);
      return one + two;
    };
    bench.aheadMs = 11_000;
    expect(await round()).toBe(120);
    expect(new Set((await bench.outboxRows()).map((row) => row.rings))).toEqual(new Set([1]));
    expect(await round()).toBe(0); // none is due

    bench.aheadMs = 60_000;
    expect(await round()).toBe(0); // due, but the jobs are still in the queue
    await bench.wipeEngine();
    bench.aheadMs = 200_000;
    expect(await round()).toBe(120);
    expect(new Set((await bench.outboxRows()).map((row) => row.rings))).toEqual(new Set([2]));
    const [stats] = await queues.readStats(['conversation-events']);
    expect(stats?.waiting).toBe(120);
  });

  test('sent while the engine is away: accepted immediately, delivered when the engine is back', async () => {
    const gate = await openGate(bench);
    const gated = bench.openQueues(gate.url);
    expect(await gated.ready()).toBe(true);
    await gate.shut();
    const outbox = bench.outbox(gated);
    const enqueued = await bench.commit(gated, [conversationEvent('a')]);
    const startedAtMs = performance.now();
    expect(await outbox.enqueueJobs(enqueued)).toBe(false);
    expect(performance.now() - startedAtMs).toBeLessThan(3_000);

    bench.aheadMs = 11_000;
    expect(await sweepOutbox(sweeping(gated))).toBe(0);
    const [row] = await bench.outboxRows();
    expect(row?.rings).toBe(0); // waits do not grow while the engine is away

    await gate.open();
    tend(gated);
    bench.consume(queues);
    await isEmpty();
    expect(await bench.effects()).toEqual(['a']);
  });

  test('the engine is away when the service starts', async () => {
    const gate = await openGate(bench);
    await gate.shut();
    const gated = bench.openQueues(gate.url);
    tend(gated);
    bench.consume(gated);
    expect(await gated.ready()).toBe(false);
    const enqueued = await bench.commit(gated, [conversationEvent('a')]);
    expect(await bench.outbox(gated).enqueueJobs(enqueued)).toBe(false);
    await gate.open();
    bench.aheadMs = 11_000;
    await isEmpty();
    expect(await bench.effects()).toEqual(['a']);
  });

  test('the engine goes away and comes back under a running consumer', async () => {
    const gate = await openGate(bench);
    const gated = bench.openQueues(gate.url);
    bench.consume(gated);
    tend();
    await send('before');
    await isEmpty();
    await gate.shut();
    await send('meanwhile');
    await gate.open();
    await isEmpty();
    expect(await bench.effects()).toEqual(['before', 'meanwhile']);
  });

  test('our failure retries the message; a refusal of the domain is final', async () => {
    let failures = 0;
    bench.consume(queues, {
      effect: async (sql, payload, context) => {
        await writeEffect(sql, payload, context);
        if (payload.id === 'refused') throw new AppError('not_found', 'no such bot');
        if (payload.id === 'failing' && (failures += 1) === 1) throw new Error('a secret: hunter2');
      },
    });
    tend();
    await send('refused');
    await send('failing'); // a job of its own
    await isEmpty();
    expect(await bench.effects()).toEqual(['failing']);
    expect(bench.outcomes.sort()).toEqual(expect.arrayContaining(['done', 'failed', 'refused']));
    expect(await bench.readEngine()).not.toContain('hunter2'); // error messages stay in the log
    expect(bench.logged.text()).toContain('hunter2');
  });

  test("the consumer's database fails in the middle of an effect", async () => {
    let breaks = 0;
    bench.consume(queues, {
      effect: async (sql, payload, context) => {
        await writeEffect(sql, payload, context);
        if ((breaks += 1) === 1) await sql('SELECT pg_terminate_backend(pg_backend_pid())');
      },
    });
    tend();
    await send('a');
    await isEmpty();
    expect([await bench.effects(), bench.outcomes]).toEqual([['a'], ['failed', 'done']]);
  });

  test('a failure after the commit does not undo the effect', async () => {
    const rung: string[] = [];
    bench.consume(queues, {
      effect: async (sql, payload, context) => {
        context.afterCommit(() => Promise.reject(new Error('the bell is broken')));
        context.afterCommit(() => rung.push(payload.id));
        await writeEffect(sql, payload, context);
      },
    });
    tend();
    await send('a');
    await isEmpty();
    expect([await bench.effects(), rung]).toEqual([['a'], ['a']]);
  });

  test('an unreadable message is stored, counted, and delays no other', async () => {
    bench.consume(queues);
    tend();
    const producer = queues.producer(messageKind('conversation.event'));
    const { rows } = await bench.commit(queues, [conversationEvent('a')]);
    await bench.producing.query('TRUNCATE outbox');
    const bad = { id: 'msg_bad', payload: JSON.stringify({ id: 'a', type: 'no.such.event' }) };
    await producer.enqueue([await signed(rows[0]!, bad)]);
    const strange = { name: 'no.such.job', queue: 'conversation-events' as const };
    await queues
      .producer({ ...messageKind('conversation.event'), ...strange })
      .enqueue([{ row: 'x', attempt: 1, enqueueNumber: 0, payload: { ...bad, organization_id: 'acme' } }]);
    await send('good');
    await isEmpty();
    await eventually(() => count('malformed') === 2);
    await eventually(async () => {
      const [stats] = await queues.readStats(['conversation-events']);
      return stats?.failed === 2;
    });
    const kept = await queues.findQueued('conversation-events', [buildJobId('msg_bad', 1, 0)]);
    expect(kept?.size).toBe(0); // stored for inspection, not pending
    expect(bench.logged.text()).toContain('type invalid_value');
    expect(await bench.effects()).toEqual(['good']);
  });

  test('a message that is too old is not applied, because its effect may be forgotten', async () => {
    bench.consume(queues);
    await send('old');
    await eventually(() => count('done') === 1);
    await send('older');
    await eventually(() => count('done') === 2);
    bench.aheadMs = 14 * 86_400_000 + 1_000;
    const { id, payload } = (await bench.outboxRows())[0]!;
    const { rows } = await bench.commit(queues, [conversationEvent('old')]);
    const ring = await signed(rows[0]!, { id, payload, rings: 9, dueAt: new Date() });
    await queues.producer(messageKind('conversation.event')).enqueue([ring]);
    await eventually(() => count('malformed') === 1);
    expect(await bench.effects()).toEqual(['old', 'older']);
  });

  test('a runtime in the cluster may add a message directly, and gets no acknowledgement', async () => {
    bench.consume(queues);
    const { payload } = conversationEvent('direct');
    const text = JSON.stringify(payload);
    // As docs/platform.md#who-a-message-is-from specifies, without our code.
    const facts = '["conversation.event","media-runtime","voice-api","runtime-1","acme",null]';
    const [id, key] = KEYRING.split(':');
    const mac = createHmac('sha256', Buffer.from(key!, 'base64'))
      .update(`${facts}\n${text}`)
      .digest('base64url');
    const data = { id: 'runtime-1', organization_id: 'acme', payload: text, mac: `${id}.${mac}` };
    await queues
      .producer(messageKind('conversation.event'))
      .enqueue([{ row: 'runtime-1', attempt: 1, enqueueNumber: 0, payload: data }]);
    await eventually(async () => (await bench.effects()).length === 1);
    const [acks] = await queues.readStats(['outbox-acks.flow-builder']);
    expect(acks).toMatchObject({ waiting: 0, failed: 0 });
  });
});
