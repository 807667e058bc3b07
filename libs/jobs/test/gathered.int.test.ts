// Messages that share a transaction keep the promises of single ones, with fewer round trips.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { AppError } from '@parley/envelopes';
import { createIds } from '@parley/server/runtime';
import { eventually } from '@parley/testing';
import { messageKind, toNewJob } from '../src/messages/envelope.ts';
import {
  createInbox,
  startOutboxSweeper,
  type GatheredEffect,
  type Queues,
  type Route,
} from '../src/index.ts';
import { sweepOutbox } from '../src/messages/sweep-outbox.ts';
import { conversationEvent, ENGINES, openBench, type Bench } from './bench.ts';

jest.setTimeout(60_000);

/** Of up to fifty messages each. */
const JOBS_OF_100 = 2;

describe.each(ENGINES)('on %s', (engine) => {
  let bench: Bench;
  let queues: Queues;
  let groups: number[];
  beforeAll(async () => {
    bench = await openBench(engine);
  });
  beforeEach(async () => {
    queues = await bench.openReadyQueues();
    groups = [];
  });
  afterEach(() => bench.reset());
  afterAll(() => bench.close());

  type Gathered = GatheredEffect<'conversation.event'>;

  /** Writes an effect for each message, unless `judge` refuses it. */
  function consume(judge: (id: string) => AppError | undefined = () => undefined): Route {
    const effect: Gathered = async (sql, messages) => {
      groups.push(messages.length);
      const refusals = messages.map(({ payload }) => judge(payload.id));
      const taken = messages.filter((_, index) => !refusals[index]);
      await sql('INSERT INTO effects (message_id, event_id) SELECT * FROM unnest($1::text[], $2::text[])', [
        taken.map(({ context }) => context.messageId),
        taken.map(({ payload }) => payload.id),
      ]);
      return refusals;
    };
    const inbox = createInbox({
      service: 'voice-api',
      pool: bench.consuming,
      queues,
      sealer: bench.sealer,
      messageKeys: bench.messageKeys['voice-api'],
      ids: createIds(),
      clock: bench.now,
      log: bench.log,
    });
    const route = inbox.consumeGathered('conversation.event', effect);
    const worker = queues.worker('conversation-events', [route], { concurrency: 50 });
    bench.onClose(async () => {
      await worker.close();
      await inbox.close();
    });
    const tending = startOutboxSweeper(sweeping());
    bench.onClose(() => tending.close());
    return route;
  }
  const sweeping = () => {
    const { producing: pool, log, now: clock } = bench;
    const messageKeys = bench.messageKeys['flow-builder'];
    return { service: 'flow-builder', pool, queues, messageKeys, clock, log } as const;
  };
  const sweep = () => sweepOutbox(sweeping());
  const send = async (ids: readonly string[]) => {
    const enqueued = await bench.commit(
      queues,
      ids.map((id) => conversationEvent(id)),
    );
    expect(await bench.outbox(queues).enqueueJobs(enqueued)).toBe(true);
    return enqueued;
  };
  const isEmpty = () =>
    eventually(async () => (await bench.outboxRows()).length === 0, { timeoutMs: 40_000 });
  const count = (outcome: string) => bench.outcomes.filter((one) => one === outcome).length;
  const many = (prefix: string) => Array.from({ length: 100 }, (_, index) => `${prefix}${100 + index}`);

  test('each is applied once and acknowledged; they share transactions', async () => {
    await send(many('e'));
    consume();
    await isEmpty();
    expect(await bench.effects()).toEqual(many('e'));
    expect([count('done'), groups.length < 100]).toEqual([JOBS_OF_100, true]);
  });

  test('a job holds messages up to a size', async () => {
    const large = { data: 'x'.repeat(40 * 1024) };
    const written = await bench.commit(queues, [
      ...['a', 'b', 'c'].map((id) => conversationEvent(id)),
      ...['d', 'e'].map((id) => conversationEvent(id, large)),
    ]);
    const [a, b, c, d, e] = written.rows;
    expect(written.rows.map(({ batch }) => batch)).toEqual([a!.id, a!.id, a!.id, a!.id, e!.id]);
    expect([b, c, d].map((row) => row!.rings)).toEqual([0, 0, 0]);
  });

  test('no message is re-enqueued while the job that it shares waits', async () => {
    await send(['a', 'b', 'c']);
    bench.aheadMs = 60_000;
    expect(await sweep()).toBe(0);
    await bench.wipeEngine();
    bench.aheadMs = 180_000;
    expect(await sweep()).toBe(3);
    consume();
    await isEmpty();
    expect([await bench.effects(), count('done')]).toEqual([['a', 'b', 'c'], 3]);
  });

  test('a malformed message spoils no other of its job', async () => {
    const { rows } = await bench.commit(
      queues,
      ['a', 'b'].map((id) => conversationEvent(id)),
    );
    const keys = await bench.messageKeys['flow-builder'].current();
    const contract = 'conversation.event' as const;
    const [a, b] = rows.map((row) => toNewJob({ ...row, contract }, keys).payload);
    const shared = { ...a!, more: [{ ...b, mac: 'of nobody' }, 7] };
    await queues
      .producer(messageKind(contract))
      .enqueue([{ row: a!.id, attempt: 1, enqueueNumber: 0, payload: shared }]);
    consume();
    await eventually(() => bench.outcomes.length === 1);
    expect([await bench.effects(), bench.outcomes]).toEqual([['a'], ['unauthenticated']]);
  });

  test('a job with which workers died is split: its messages come again alone', async () => {
    const { rows } = await bench.commit(
      queues,
      ['a', 'b'].map((id) => conversationEvent(id)),
    );
    const keys = await bench.messageKeys['flow-builder'].current();
    const contract = 'conversation.event' as const;
    const [a, b] = rows.map((row) => toNewJob({ ...row, contract }, keys).payload);
    const job = { jobId: 'j', attempt: 1, deaths: 2, signal: new AbortController().signal };
    expect(await consume().run({ ...a, more: [b] }, job)).toBe('split');
    expect([await bench.effects(), (await bench.outboxRows()).length]).toEqual([[], 2]);
    bench.aheadMs = 20_000;
    expect(await sweep()).toBe(2);
    await isEmpty();
    expect(await bench.effects()).toEqual(['a', 'b']);
  });

  test('re-enqueued messages are not applied again, also within one group', async () => {
    const { rows } = await send(['a', 'b']);
    const keys = await bench.messageKeys['flow-builder'].current();
    const contract = 'conversation.event' as const;
    const again = [1, 2, 3].flatMap((rings) =>
      rows.map((row) => toNewJob({ ...row, contract, rings }, keys)),
    );
    await queues.producer(messageKind('conversation.event')).enqueue(again);
    consume();
    await eventually(() => bench.outcomes.length === 7); // a and b share their first job
    expect([await bench.effects(), count('done') + count('repeated')]).toEqual([['a', 'b'], 7]);
    expect(count('done')).toBeLessThanOrEqual(2);
  });

  test('a refused message is done; the others of its group are applied', async () => {
    await send(['a', 'refused', 'b']);
    consume((id) => (id === 'refused' ? new AppError('invalid_request', 'no') : undefined));
    await isEmpty();
    expect([await bench.effects(), bench.outcomes]).toEqual([['a', 'b'], ['refused']]);
  });

  test('a message that fails is retried alone and delays no other', async () => {
    let failures = 0;
    await send([...many('e'), 'poison']);
    consume((id) => {
      if (id === 'poison' && (failures += 1) < 4) throw new Error('a bug');
      return undefined;
    });
    await isEmpty();
    expect(await bench.effects()).toEqual([...many('e'), 'poison']);
    expect([count('done'), count('failed') >= 1]).toEqual([3, true]);
  });
});
