// `ordered: true`: one delivery at a time within a conversation, through failures, a killed worker,
// purges and disabling.
import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { createLifecycle } from '@parley/server/runtime';
import { inTransaction } from '@parley/server/postgres';
import { eventually, receiver, type Receiver } from '@parley/testing';
import { advanceForgottenQueues } from '../../src/deliveries/pace/ordered-deliveries.ts';
import { startWorkers } from '../../src/worker.ts';
import { startVoiceApi, type VoiceApi } from '../service.ts';
import {
  commit,
  deliveries,
  event,
  FAST_WAITS,
  forgetWebhooks,
  LOOPBACK,
  registered,
  settled,
  webhookOf,
} from '../webhooks.ts';
import { startDoomedWorker } from './doomed-worker.ts';

/** A busy machine takes ten times as long as an idle one. */
jest.setTimeout(120_000);

let service: VoiceApi;
let outside: Receiver;
beforeAll(async () => {
  service = await startVoiceApi({ env: { ...LOOPBACK, ...FAST_WAITS } });
});
afterAll(() => service.stop());
beforeEach(async () => {
  outside = await receiver();
});
afterEach(async () => {
  await outside.close();
  await forgetWebhooks(service);
});

/** Runs the workers while `work` does. */
async function withWorkers(work: () => Promise<void>): Promise<void> {
  const life = createLifecycle(service.deps.log);
  startWorkers(service.deps, life);
  try {
    await work();
  } finally {
    await life.stop('test');
  }
}

const numbered = (conversationId: string, sequence: number) => event({ conversationId, sequence });
/** Events of several conversations, each in order. */
const spoken = (conversations: readonly string[], each: number) =>
  Array.from({ length: each }, (_, index) => conversations.map((id) => numbered(id, index + 1))).flat();

interface EventData {
  readonly conversation_id: string;
  readonly sequence: number;
}
/** The received events of a conversation in order; consecutive repetitions count once. */
function arrived({ requests }: Receiver, conversationId: string): number[] {
  const told = requests
    .map(({ body }) => (JSON.parse(body.toString()) as { data: EventData }).data)
    .filter((data) => data.conversation_id === conversationId)
    .map(({ sequence }) => sequence);
  return told.filter((sequence, index) => sequence !== told[index - 1]);
}
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const orders = async () =>
  (await service.deps.sql<{ id: string }>('SELECT delivery_id AS id FROM webhook_delivery_orders')).length;

test('a failed delivery delays only its own conversation', async () => {
  const flaky = await receiver({
    fallback: ({ body, headers }) => {
      const { conversation_id: conversation, sequence } = (JSON.parse(body.toString()) as { data: EventData })
        .data;
      return conversation === 'conv_a' && sequence === 2 && headers['x-delivery-attempt'] !== '3' ? 500 : 200;
    },
  });
  const webhook = await registered(service, flaky.url, { ordered: true });
  await commit(service, spoken(['conv_a', 'conv_b'], 5));
  await withWorkers(async () => {
    expect(await settled(service, webhook.id, 'delivered')).toHaveLength(10);
  });
  expect(arrived(flaky, 'conv_a')).toEqual(upTo(5));
  expect(arrived(flaky, 'conv_b')).toEqual(upTo(5));
  expect(flaky.requests).toHaveLength(12);
  const [first, other] = ['conv_a', 'conv_b'].map((id) =>
    Math.max(
      ...flaky.requests
        .filter(({ body }) => body.toString().includes(id))
        .map(({ receivedAtMs }) => receivedAtMs),
    ),
  );
  expect(other!).toBeLessThan(first!);
  expect(await orders()).toBe(0);
  await flaky.close();
});

test('an event committed during an attempt is delivered after it', async () => {
  outside.script({ status: 200, afterMs: 500 });
  const webhook = await registered(service, outside.url, { ordered: true });
  await withWorkers(async () => {
    await commit(service, [numbered('conv_a', 1)]);
    await outside.received(1);
    await Promise.all([2, 3].map((sequence) => commit(service, [numbered('conv_a', sequence)])));
    expect(outside.requests).toHaveLength(1);
    expect(await settled(service, webhook.id, 'delivered')).toHaveLength(3);
  });
  expect(arrived(outside, 'conv_a')).toEqual(upTo(3));
});

test('a killed worker keeps every queue in order and loses nothing', async () => {
  const conversations = ['conv_a', 'conv_b', 'conv_c', 'conv_d'];
  const slow = await receiver({
    fallback: ({ headers }) => ({
      status: headers['x-delivery-attempt'] === '1' && Math.random() < 0.2 ? 500 : 200,
      afterMs: 20,
    }),
  });
  const webhook = await registered(service, slow.url, { ordered: true });
  await commit(service, spoken(conversations, 12));
  const kill = startDoomedWorker(service.env);
  try {
    await slow.received(10, 60_000);
  } finally {
    await kill();
  }
  await withWorkers(async () => {
    await eventually(async () => (await deliveries(service, webhook.id, '&status=delivered')).length === 48, {
      timeoutMs: 60_000,
    });
  });
  for (const id of conversations) expect(arrived(slow, id)).toEqual(upTo(12));
  expect(await orders()).toBe(0);
  await slow.close();
});

test('a disabled webhook skips its queue and continues with new events when enabled', async () => {
  outside.script({ status: 410 });
  const webhook = await registered(service, outside.url, { ordered: true });
  await commit(service, spoken(['conv_a'], 3));
  await withWorkers(async () => {
    const found = await settled(service, webhook.id, 'exhausted', 'skipped');
    expect(found.map(({ status }) => status)).toEqual(['skipped', 'skipped', 'exhausted']);
    expect((await webhookOf(service, webhook.id)).status).toBe('disabled');
    await service.api.patch(`/v1/webhooks/${webhook.id}`, { status: 'active' }).expect(200);
    await commit(service, [numbered('conv_a', 4)]);
    await settled(service, webhook.id, 'exhausted', 'skipped', 'delivered');
  });
  expect(arrived(outside, 'conv_a')).toEqual([1, 4]);
});

test('a superseded interim does not block its queue', async () => {
  const interim = (sequence: number) => ({
    ...numbered('conv_a', sequence),
    type: 'speech.interim' as const,
    turnIndex: 1,
  });
  const webhook = await registered(service, outside.url, { ordered: true });
  await commit(service, [numbered('conv_a', 1), interim(2)]);
  await commit(service, [interim(3)]);
  await commit(service, [{ ...numbered('conv_a', 4), type: 'speech.final', turnIndex: 1 }]);
  await withWorkers(async () => void (await settled(service, webhook.id, 'delivered', 'superseded')));
  expect(arrived(outside, 'conv_a')).toEqual([1, 4]);
  expect(await orders()).toBe(0);
});

test('the sweeper advances a queue whose first delivery was deleted', async () => {
  const webhook = await registered(service, outside.url, { ordered: true });
  await commit(service, spoken(['conv_a'], 2), false);
  await service.deps.sql(
    'DELETE FROM webhook_deliveries WHERE id = (SELECT min(id) FROM webhook_deliveries)',
  );
  const batches = await inTransaction(service.deps.pool, (sql) => advanceForgottenQueues(service.deps, sql));
  expect(batches).toHaveLength(1);
  service.deps.deliveryEnqueuer.enqueue(batches);
  await withWorkers(async () => void (await settled(service, webhook.id, 'delivered')));
  expect(arrived(outside, 'conv_a')).toEqual([2]);
});
