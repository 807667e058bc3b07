// Neither the outbox nor the engine ever holds the payload of a sealed message in plain text.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sqlOf } from '@parley/server/postgres';
import { createIds } from '@parley/server/runtime';
import { eventually } from '@parley/testing';
import { messageKind, toNewJob, type OutboxRow } from '../src/messages/envelope.ts';
import {
  createInbox,
  startOutboxSweeper,
  type OutgoingMessage,
  type Queues,
  type WebhookDelivery,
} from '../src/index.ts';
import { ENGINES, openBench, type Bench } from './bench.ts';

const CANARY = 'canary-9f8e7d';
const delivery: OutgoingMessage = {
  contract: 'webhook.deliver',
  organizationId: 'acme',
  payload: {
    url: `https://example.com/${CANARY}`,
    event: 'flow.completed',
    headers: { Authorization: `Bearer ${CANARY}` },
    body: {
      id: 'evt_1',
      event: 'flow.completed',
      timestamp: '2026-11-20T18:00:00.000Z',
      data: { token: CANARY },
    },
  },
};

describe.each(ENGINES)('on %s', (engine) => {
  let bench: Bench;
  let queues: Queues;
  const received: { payload: WebhookDelivery; organizationId: string }[] = [];
  beforeAll(async () => {
    bench = await openBench(engine);
  });
  beforeEach(async () => {
    received.length = 0;
    queues = await bench.openReadyQueues();
  });
  afterEach(() => bench.reset());
  afterAll(() => bench.close());

  function consume(messageKeys = bench.messageKeys['voice-api']): void {
    const { consuming: pool, sealer, now: clock, log } = bench;
    const ids = createIds();
    const inbox = createInbox({ service: 'voice-api', pool, queues, sealer, messageKeys, ids, clock, log });
    const route = inbox.consume('webhook.deliver', async (_, payload, { organizationId }) => {
      received.push({ payload, organizationId });
    });
    const worker = queues.worker('webhook-deliveries', [route], { concurrency: 2 });
    bench.onClose(() => inbox.close());
    bench.onClose(() => worker.close());
  }

  test('arrives complete, and is readable nowhere', async () => {
    const enqueued = await bench.commit(queues, [delivery]);
    await bench.outbox(queues).enqueueJobs(enqueued);
    const held = await bench.readEngine();
    expect(held).toContain(enqueued.ids[0]);
    expect(held).not.toContain(CANARY);
    expect(held).not.toContain('example.com');
    expect(JSON.stringify(await sqlOf(bench.producing)('SELECT * FROM outbox'))).not.toContain(CANARY);

    consume();
    const tending = startOutboxSweeper({
      service: 'flow-builder',
      pool: bench.producing,
      queues,
      messageKeys: bench.messageKeys['flow-builder'],
      clock: bench.now,
      log: bench.log,
    });
    bench.onClose(() => tending.close());
    await eventually(async () => (await bench.outboxRows()).length === 0);
    expect(received).toEqual([{ payload: delivery.payload, organizationId: 'acme' }]);
    expect(bench.logged.text()).not.toContain(CANARY);
  });

  test('opens only for its own organisation and id, and never as plain text', async () => {
    consume();
    const { rows } = await bench.commit(queues, [delivery]);
    const producer = queues.producer(messageKind('webhook.deliver'));
    const keys = await bench.messageKeys['flow-builder'].current();
    const put = (changed: Partial<OutboxRow>) =>
      producer.enqueue([toNewJob({ ...rows[0]!, ...changed, contract: 'webhook.deliver' }, keys)]);
    await put({ organization_id: 'other' });
    await put({ id: 'msg_other' });
    await eventually(() => bench.outcomes.filter((one) => one === 'failed').length >= 2);
    const failures = () => bench.outcomes.filter((one) => one === 'failed').length;
    const before = failures();
    await put({ id: 'msg_plain', payload: JSON.stringify(delivery.payload) });
    await eventually(() => failures() > before);
    const plain = { organization_id: 'acme', producer: 'flow-builder' as const, payload: delivery.payload };
    await producer.enqueue([
      { row: 'msg_object', attempt: 1, enqueueNumber: 0, payload: { id: 'msg_object', ...plain } },
    ]);
    await eventually(() => bench.outcomes.includes('unauthenticated'));
    expect(received).toEqual([]);
  });
});
