// A sealed message: neither the outbox nor the engine ever holds its payload in the clear.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sqlOf } from '@parley/postgres';
import { createIds } from '@parley/runtime';
import { eventually } from '@parley/testkit';
import { messageKind } from '../src/messages/envelope.ts';
import { createInbox, tendOutbox, type Outgoing, type Queues, type WebhookDelivery } from '../src/index.ts';
import { ENGINES, openBench, type Bench } from './bench.ts';

const CANARY = 'canary-9f8e7d';
const delivery: Outgoing = {
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
  beforeEach(() => {
    received.length = 0;
    queues = bench.openQueues();
  });
  afterEach(() => bench.reset());
  afterAll(() => bench.close());

  function consume(): void {
    const { consuming: pool, sealer, now: clock, log } = bench;
    const inbox = createInbox({ service: 'voice-api', pool, queues, sealer, ids: createIds(), clock, log });
    const route = inbox.consume('webhook.deliver', async (_, payload, { organizationId }) => {
      received.push({ payload, organizationId });
    });
    const worker = queues.worker('webhook-deliveries', [route], { concurrency: 2 });
    bench.onClose(() => inbox.close());
    bench.onClose(() => worker.close());
  }

  test('arrives whole, and is nowhere to be read', async () => {
    const enqueued = await bench.commit(queues, [delivery]);
    await bench.outbox(queues).ring(enqueued);
    const held = await bench.readEngine();
    expect(held).toContain(enqueued.ids[0]);
    expect(held).not.toContain(CANARY);
    expect(held).not.toContain('example.com');
    expect(JSON.stringify(await sqlOf(bench.producing)('SELECT * FROM outbox'))).not.toContain(CANARY);

    consume();
    const tending = tendOutbox({
      service: 'flow-builder',
      pool: bench.producing,
      queues,
      clock: bench.now,
      log: bench.log,
    });
    bench.onClose(() => tending.close());
    await eventually(async () => (await bench.outboxRows()).length === 0);
    expect(received).toEqual([{ payload: delivery.payload, organizationId: 'acme' }]);
    expect(bench.logged.text()).not.toContain(CANARY);
  });

  test('opens for its own organisation and id only, and never in the clear', async () => {
    consume();
    const { rows } = await bench.commit(queues, [delivery]);
    const producer = queues.producer(messageKind('webhook.deliver'));
    const { payload } = rows[0]!;
    const put = (id: string, data: object) =>
      producer.ring([
        { row: id, attempt: 1, ring: 0, payload: { id, organization_id: 'acme', payload, ...data } },
      ]);
    await put(rows[0]!.id, { organization_id: 'other' });
    await put('msg_other', {});
    await eventually(() => bench.outcomes.filter((one) => one === 'failed').length >= 2);
    await put('msg_plain', { payload: delivery.payload });
    await eventually(() => bench.outcomes.includes('malformed'));
    expect(received).toEqual([]);
  });
});
