// Committed deliveries are never lost: jobs that were never added, a flushed Redis, a killed
// worker, a stopping process. Also covers one-off deliveries of the flow builder, which arrive
// through the queue.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { Webhook } from 'standardwebhooks';
import { testMessageKeys } from '@parley/testing-services';
import { inTransaction } from '@parley/server/postgres';
import { createOutbox, type WebhookDelivery } from '@parley/jobs';
import { createLifecycle } from '@parley/server/runtime';
import { eventually, receiver, type Receiver } from '@parley/testing';
import { acceptOneOff } from '../src/deliveries/accept-one-off.ts';
import { createDeliverySender } from '../src/deliveries/send-deliveries.ts';
import { sweepDeliveries } from '../src/deliveries/sweep-deliveries.ts';
import { startWorkers } from '../src/worker.ts';
import { startDoomedWorker } from './deliveries/doomed-worker.ts';
import { startVoiceApi, type VoiceApi } from './service.ts';
import { commit, event, FAST_WAITS, forgetWebhooks, LOOPBACK, registered, settled } from './webhooks.ts';

/** A busy machine takes ten times as long as an idle one. */
jest.setTimeout(120_000);

let service: VoiceApi;
let outside: Receiver;
let secretsFolder: string;
beforeAll(async () => {
  secretsFolder = await mkdtemp(join(tmpdir(), 'parley-flow-secrets-'));
  const FLOW_SECRETS = `file://${secretsFolder}/{organization}/{name}`;
  service = await startVoiceApi({ env: { ...LOOPBACK, ...FAST_WAITS, FLOW_SECRETS } });
});
afterAll(async () => {
  await service.stop();
  await rm(secretsFolder, { recursive: true });
});
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

/** Runs the sweeper as of `ms` from now. */
const sweepIn = (ms: number) => sweepDeliveries({ ...service.deps, clock: () => service.deps.clock() + ms });

test('the sweeper enqueues batches without a job, but not those whose job is expected', async () => {
  const webhook = await registered(service, outside.url);
  await commit(service, [event(), event()], false);
  expect(await sweepIn(0)).toBe(0);
  expect(await sweepIn(11_000)).toBe(1); // one batch
  await withWorkers(async () => void (await settled(service, webhook.id, 'delivered')));
  expect(outside.requests).toHaveLength(2);
});

test('a flushed Redis loses no delivery, and a batch enqueued twice is sent once', async () => {
  const webhook = await registered(service, outside.url);
  await commit(service, [event()]);
  await service.deps.deliveryEnqueuer.close();
  const redis = new Redis(service.env['QUEUE_URL'] as string);
  const keys = await redis.keys(`${service.env['QUEUE_PREFIX']}:*`);
  expect(keys.length).toBeGreaterThan(0);
  await redis.unlink(keys);
  redis.disconnect();
  await sweepIn(11_000);
  await sweepIn(60_000);
  await withWorkers(async () => void (await settled(service, webhook.id, 'delivered')));
  expect(outside.requests).toHaveLength(1);
});

test('another worker repeats the attempt of a killed one under the same number', async () => {
  outside.script('hang');
  const webhook = await registered(service, outside.url);
  await commit(service, [event()]);
  const kill = startDoomedWorker(service.env);
  try {
    await outside.received(1, 30_000);
  } finally {
    await kill();
  }
  await withWorkers(async () => {
    await outside.received(2, 40_000);
    const [delivered] = await settled(service, webhook.id, 'delivered');
    expect(delivered).toMatchObject({ attempts: 1 });
  });
  const [first, second] = outside.requests;
  expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
  expect(second!.headers['x-delivery-attempt']).toBe('1');
}, 90_000);

test('a failure while claiming a batch loses none of those claimed with it', async () => {
  const webhook = await registered(service, outside.url);
  await commit(service, [event()], false);
  await commit(service, [event()], false);
  // All deliveries of one batch are finished: its worker was killed before it deleted the batch.
  await service.deps.sql(
    `UPDATE webhook_deliveries SET status = 'delivered' WHERE id = (SELECT min(id) FROM webhook_deliveries)`,
  );
  const batches = await service.deps.sql<{ id: string }>('SELECT id FROM webhook_delivery_batches');
  const { deps } = service;
  const pool = Object.assign(Object.create(deps.pool) as typeof deps.pool, {
    query: (statement: { text: string }) =>
      statement.text.startsWith('DELETE FROM webhook_delivery_batches')
        ? Promise.reject(new Error('Postgres has gone away'))
        : deps.pool.query(statement),
  });
  const sender = createDeliverySender({ ...deps, pool });
  const taken = sender.accept(
    batches.map(({ id }) => id),
    new AbortController().signal,
  );
  await expect(taken).rejects.toThrow('gone away');
  await settled(service, webhook.id, 'delivered');
  expect(outside.requests).toHaveLength(1);
  await sender.close();
});

test('a delivery may be deferred any number of times', async () => {
  outside.script(500);
  const webhook = await registered(service, outside.url);
  await commit(service, [event()], false);
  await service.deps.sql('UPDATE webhook_deliveries SET round = 40000');
  await service.deps.sql('UPDATE webhook_delivery_batches SET round = 40000');
  await sweepIn(11_000);
  await withWorkers(async () => void (await settled(service, webhook.id, 'delivered')));
  expect(outside.requests).toHaveLength(2);
});

test('a stopping process finishes deliveries in flight and releases the rest', async () => {
  const slow = await receiver({ fallback: { status: 200, afterMs: 300 } });
  const webhook = await registered(service, slow.url);
  await commit(
    service,
    Array.from({ length: 30 }, () => event()),
  );
  await withWorkers(async () => void (await slow.received(10)));
  const underWay = slow.requests.length;
  const after = await settled(service, webhook.id, 'delivered', 'pending');
  expect(after.filter(({ status }) => status === 'delivered')).toHaveLength(underWay);
  await withWorkers(async () => void (await settled(service, webhook.id, 'delivered')));
  expect(slow.requests).toHaveLength(30); // none twice
  await slow.close();
}, 30_000);

describe('a one-off delivery of the flow builder', () => {
  const request = (url: string, headers?: Record<string, string>) => ({
    url,
    event: 'flow.completed' as const,
    ...(headers ? { headers } : {}),
    body: {
      id: 'evt_of_the_flow',
      event: 'flow.completed' as const,
      timestamp: '2026-11-20T18:00:00.000Z',
      data: { name: 'Nemo' },
    },
  });
  const accept = (url: string, headers?: Record<string, string>) => acceptRequest(request(url, headers));
  const acceptRequest = async (asked: WebhookDelivery) => {
    const after: (() => unknown)[] = [];
    const context = {
      organizationId: 'acme',
      requestId: 'req_1',
      traceparent: undefined,
      afterCommit: (work: () => unknown) => void after.push(work),
    };
    await inTransaction(service.deps.pool, (sql) => acceptOneOff(service.deps, sql, asked, context));
    for (const work of after) work();
  };

  test('is sent with its own headers and follows the whole schedule', async () => {
    const failing = await receiver({ fallback: 500 });
    await accept(failing.url, {
      Authorization: 'Bearer of-the-customer',
      'Content-Type': 'application/vnd.acme+json',
    });
    const stored = JSON.stringify(await service.deps.sql('SELECT * FROM webhook_events'));
    expect(stored).not.toContain('of-the-customer');
    expect(stored).not.toContain(failing.url);
    await withWorkers(async () => {
      await failing.received(6);
      await eventually(async () => {
        const [row] = await service.deps.sql<{ status: string }>('SELECT status FROM webhook_deliveries');
        return row?.status === 'exhausted';
      });
    });
    expect(failing.requests).toHaveLength(6);
    const { headers, body } = failing.requests[0]!;
    expect(headers).toMatchObject({
      authorization: 'Bearer of-the-customer',
      'content-type': 'application/vnd.acme+json',
      'webhook-id': 'evt_of_the_flow',
      'x-request-id': 'req_1',
    });
    expect(JSON.parse(body.toString())).toEqual(request('').body);
    await failing.close();
  });

  test('reads a named secret of its organisation for each attempt and never stores it', async () => {
    const folder = join(secretsFolder, 'acme');
    await mkdir(folder, { recursive: true });
    outside.script({ status: 500, afterMs: 300 });
    await accept(outside.url, { 'x-token': 'secret://token' });
    await writeFile(join(folder, 'token'), 'canary-first\n');
    await withWorkers(async () => {
      await outside.received(1);
      await writeFile(join(folder, 'token'), 'canary-rotated');
      await outside.received(2);
    });
    expect(outside.requests.map(({ headers }) => headers['x-token'])).toEqual([
      'canary-first',
      'canary-rotated',
    ]);
    for (const table of ['webhook_events', 'webhook_delivery_attempts'])
      expect(JSON.stringify(await service.deps.sql(`SELECT * FROM ${table}`))).not.toContain('canary');
    expect(service.log.text()).not.toContain('canary');
  });

  test('arrives through the queue', async () => {
    // Sealed as by the outbox of the flow builder; built here because the producer is another
    // service.
    const { deps } = service;
    const payload = request(outside.url);
    const id = 'msg_one_off';
    const outbox = createOutbox({
      service: 'flow-builder',
      pool: deps.pool,
      queues: deps.queues,
      sealer: deps.queueSealer,
      messageKeys: await testMessageKeys('flow-builder'),
      ids: () => id,
      clock: deps.clock,
    });
    const rows = await outbox.prepare([{ contract: 'webhook.deliver', organizationId: 'acme', payload }]);
    await outbox.enqueueJobs({ ids: [id], rows });
    await withWorkers(async () => void (await outside.received(1)));
    expect(JSON.parse(outside.requests[0]!.body.toString())).toEqual(payload.body);
  });

  test('of a callback signs each attempt with its own secrets', async () => {
    const [old, fresh] = [1, 2].map((fill) => `whsec_${Buffer.alloc(32, fill).toString('base64')}`) as [
      string,
      string,
    ];
    const event = 'notification.settled' as const;
    const data = { notification_id: 'ntf_1', channels: [{ channel: 'in_app', status: 'delivered' }] };
    const callback = {
      url: outside.url,
      event,
      signing_secrets: [fresh, old],
      body: { id: 'evt_of_the_callback', event, timestamp: '2026-11-22T18:00:00.000Z', data },
    };
    outside.script({ status: 500 });
    await acceptRequest(callback);
    expect(JSON.stringify(await service.deps.sql('SELECT * FROM webhook_events'))).not.toContain(old);
    await withWorkers(async () => void (await outside.received(2)));
    const stamps = outside.requests.map(({ headers, body }) => {
      const signed = headers as Record<string, string>;
      for (const secret of [old, fresh])
        expect(new Webhook(secret).verify(body.toString(), signed)).toEqual(callback.body);
      return signed['webhook-id'];
    });
    expect(stamps).toEqual(['evt_of_the_callback', 'evt_of_the_callback']);
    expect(service.log.text()).not.toContain(fresh.slice(6));
  });

  test('to a private address or with a forbidden header is rejected', async () => {
    await expect(accept('https://10.0.0.1/')).rejects.toMatchObject({ code: 'unprocessable' });
    await expect(accept(outside.url, { Host: 'inside' })).rejects.toMatchObject({ code: 'unprocessable' });
    expect(await service.deps.sql('SELECT id FROM webhook_deliveries')).toEqual([]);
  });
});
