// From accepting to the last attempt: claims, lost jobs, killed workers, an unavailable queue,
// messages of other services.
import { describe, expect, test } from '@jest/globals';
import { testMessageKeys } from '@parley/testing-services';
import {
  createOutbox,
  openQueues,
  computeFailureWaitMs,
  REENQUEUE_WAIT_MS_MAX,
  type NotifyRequest,
} from '@parley/jobs';
import { createIds, Secret } from '@parley/server/runtime';
import { eventually } from '@parley/testing';
import { recordOutcome } from '../src/deliver/delivery-table.ts';
import { watchWaiting } from '../src/deliver/watch-waiting.ts';
import { deleteOldNotifications } from '../src/housekeeping.ts';
import { OWN_FAILURES_MAX } from '../src/deliver/send-deliveries.ts';
import { settleDelivery } from '../src/outcomes/settle-delivery.ts';
import { readBody, type NotificationsUnderTest } from './service.ts';
import { findDelivery, webhookSends } from './webhook-sends.ts';
import { claim, deliver, sweep } from './work.ts';

const sends = webhookSends();
const { start, sendWebhook } = sends;

describe('claims', () => {
  test('one of many concurrent workers makes the attempt', async () => {
    const service = await start();
    const { id } = await findDelivery(service, await sendWebhook(service));
    await Promise.all(Array.from({ length: 8 }, () => deliver(service.deps, id)));
    expect(sends.outside.requests).toHaveLength(1);
    expect(await findDelivery(service, await readNotification(service, id))).toMatchObject({
      status: 'delivered',
      attempts: 1,
      sealed: null,
      next_ring_at: null,
    });
  });

  test('a worker whose clock is slightly behind claims the row of its job', async () => {
    const service = await start();
    const { id } = await findDelivery(service, await sendWebhook(service));
    const behind = { ...service.deps, clock: () => service.deps.clock() - 1_500 };
    await deliver(behind, id);
    expect(sends.outside.requests).toHaveLength(1);
  });

  test('a killed worker’s delivery is attempted again after its lease, and a late outcome of that worker changes nothing', async () => {
    const service = await start();
    const { deps } = service;
    const notification = await sendWebhook(service);
    const { id } = await findDelivery(service, notification);
    const startedAtMs = deps.clock();
    const at = (ms: number) => ({ ...deps, clock: () => startedAtMs + ms });
    const lost = await claim(at(0), id);
    await deliver(at(deps.leaseMs - 1), id);
    expect(sends.outside.requests).toHaveLength(0);
    await deliver(at(deps.leaseMs), id);
    expect(sends.outside.requests).toHaveLength(1);
    const recorded = await recordOutcome(service.deps, lost, {
      outcome: { kind: 'final', status: 'failed', errorClass: 'late', message: 'Too late.' },
      next: { kind: 'settled', status: 'failed' },
      startedAtMs: service.deps.clock(),
      isAttempted: true,
    });
    expect(recorded).toBe(false);
    expect(await findDelivery(service, notification)).toMatchObject({ status: 'delivered', attempts: 2 });
  });

  test('a slow provider does not cost the claim', async () => {
    sends.outside.script({ status: 200, afterMs: 4_000 });
    const service = await start({
      worker: true,
      // A busy machine must be able to renew it, and the provider must take longer.
      leaseMs: 2_000,
      env: { DELIVERY_TIMEOUT_MS: '20000' },
    });
    const notification = await sendWebhook(service);
    const { id } = await findDelivery(service, notification);
    await eventually(async () => {
      await deliver(service.deps, id); // repeated jobs
      return (await findDelivery(service, notification)).status === 'delivered';
    });
    expect(await findDelivery(service, notification)).toMatchObject({ attempts: 1 });
    expect(sends.outside.requests).toHaveLength(1);
  });

  test('an attempt that is interrupted every time ends as failed, without one more', async () => {
    const service = await start({ env: { DELIVERY_RETRY_WAITS_MS: '20' } });
    const { deps } = service;
    const notification = await sendWebhook(service);
    const { id } = await findDelivery(service, notification);
    const afterLeases = (leases: number) => ({ ...deps, clock: () => deps.clock() + leases * deps.leaseMs });
    await claim(deps, id);
    await claim(afterLeases(1), id);
    await deliver(afterLeases(2), id);
    expect(await findDelivery(service, notification)).toMatchObject({
      status: 'failed',
      attempts: 2,
      last_error_class: 'interrupted',
    });
    expect(sends.outside.requests).toHaveLength(0);
  });

  test('a failure of ours does not count as an attempt: the row is free again and unchanged', async () => {
    const service = await start();
    const notification = await sendWebhook(service);
    const { id } = await findDelivery(service, notification);
    // sealed with a missing key
    await service.deps.sql("UPDATE deliveries SET sealed = 's1.other.AAAA' WHERE id = $1", [id]);
    await deliver(service.deps, id);
    expect(service.log.with('delivery.not_attempted')).toMatchObject([
      { err: { message: expect.stringMatching(/keyring/) } },
    ]);
    expect(await findDelivery(service, notification)).toMatchObject({ status: 'queued', attempts: 0 });
  });

  test('a failure of ours that lasts a day ends as failed', async () => {
    const service = await start();
    const { deps } = service;
    const notification = await sendWebhook(service);
    const { id } = await findDelivery(service, notification);
    await deps.sql("UPDATE deliveries SET sealed = 's1.other.AAAA', own_failures = $2 WHERE id = $1", [
      id,
      OWN_FAILURES_MAX - 1,
    ]);
    await deliver(deps, id);
    expect(await findDelivery(service, notification)).toMatchObject({ status: 'queued', attempts: 0 });
    await deliver({ ...deps, clock: () => deps.clock() + REENQUEUE_WAIT_MS_MAX }, id);
    expect(await findDelivery(service, notification)).toMatchObject({
      status: 'failed',
      attempts: 0,
      sealed: null,
      next_ring_at: null,
      last_error_class: 'internal_error',
    });
  });
});

test('the waits after failures of ours add up to a day', () => {
  const waits = Array.from({ length: OWN_FAILURES_MAX }, (_, failures) => computeFailureWaitMs(failures));
  const hours = waits.reduce((sum, ms) => sum + ms, 0) / 3_600_000;
  expect(Math.round(hours)).toBe(24);
});

async function readNotification({ deps }: NotificationsUnderTest, deliveryId: string): Promise<string> {
  const [row] = await deps.sql<{ notification_id: string }>(
    'SELECT notification_id FROM deliveries WHERE id = $1',
    [deliveryId],
  );
  return row!.notification_id;
}

test('canceled during an attempt, it is not retried', async () => {
  sends.outside.script({ status: 503, afterMs: 3_000 });
  const service = await start({ worker: true, env: { DELIVERY_TIMEOUT_MS: '20000' } });
  const notification = await sendWebhook(service);
  await sends.outside.received(1);
  await service.api.delete(`/v1/notify/${notification}`).expect(200);
  const channel = async () => {
    const body = await readBody(service.api.get(`/v1/notify/${notification}`));
    return (body as { channels: { status: string; attempts: number }[] }).channels[0];
  };
  // A worker may hold the retry for a moment and then find it canceled.
  await eventually(async () => {
    expect(await channel()).toMatchObject({ status: 'canceled', attempts: 1 });
    return true;
  });
  const { id } = await findDelivery(service, notification);
  await eventually(async () => {
    await deliver(service.deps, id); // for any number of jobs
    return (await findDelivery(service, notification)).status === 'canceled';
  });
  expect(await findDelivery(service, notification)).toMatchObject({ attempts: 1, sealed: null });
  expect(sends.outside.requests).toHaveLength(1);
});

describe('the sweeper', () => {
  test('re-enqueues rows that lost their job, once for each row and any number of sweepers', async () => {
    const sender = await start();
    const notifications = await Promise.all(Array.from({ length: 20 }, () => sendWebhook(sender)));
    // After a wiped queue: the jobs are in a queue that nobody reads.
    const worker = await start({
      worker: true,
      env: { ...sender.env, QUEUE_PREFIX: `${sender.env['QUEUE_PREFIX']}x` },
    });
    await sender.deps.sql('UPDATE deliveries SET next_ring_at = now()');
    const rung = await Promise.all([sweep(worker.deps), sweep(worker.deps)]);
    // the service's own sweeper may have claimed some
    expect(rung[0] + rung[1]).toBeLessThanOrEqual(20);
    await sends.outside.received(20);
    await eventually(async () => {
      const open = await sender.deps.sql("SELECT 1 FROM deliveries WHERE status <> 'delivered'");
      return open.length === 0;
    });
    const ids = sends.outside.requests.map(({ headers }) => headers['webhook-id']);
    expect(ids.sort()).toEqual(notifications.sort());
  });

  test('does not touch rows whose job is still in the queue', async () => {
    const service = await start();
    await sendWebhook(service);
    // A second ago: Postgres rounds now() up to the next millisecond.
    const due = () => service.deps.sql("UPDATE deliveries SET next_ring_at = now() - interval '1 second'");
    await eventually(async () => {
      await due();
      return (await sweep(service.deps)) === 0; // the job of accepting has arrived
    });
    await due();
    expect(await sweep(service.deps)).toBe(0);
    expect(await service.deps.sql('SELECT 1 FROM deliveries WHERE next_ring_at > now()')).toHaveLength(1);
  });

  test('accepts a send while the queue is unavailable, and enqueues it afterwards', async () => {
    const away = await start({ env: { QUEUE_URL: 'redis://127.0.0.1:1' } });
    const notification = await sendWebhook(away);
    expect(await sweep(away.deps)).toBe(0);
    const { QUEUE_URL: _away, ...env } = away.env;
    const back = await start({ worker: true, env });
    await back.deps.sql('UPDATE deliveries SET next_ring_at = now()');
    await eventually(async () => (await findDelivery(back, notification)).status === 'delivered');
  });

  test('deliveries wait a month for a channel that the deployment has lost', async () => {
    const service = await start();
    const notification = await sendWebhook(service);
    await service.deps.sql("UPDATE deliveries SET channel = 'web_push', next_ring_at = now()");
    await sweep(service.deps);
    const waiting = { attempts: 0, last_error_class: 'unknown_channel' };
    expect(await findDelivery(service, notification)).toMatchObject({ ...waiting, status: 'queued' });
    watchWaiting(service.deps);
    expect(await service.deps.metrics.text()).toMatch(
      /^deliveries_without_channel\{.*channel="web_push".*\} 1$/m,
    );
    await service.deps.sql(`UPDATE deliveries SET next_attempt_at = now(), next_ring_at = now()`);
    await service.deps.sql(`UPDATE notifications SET created_at = created_at - interval '30 days'`);
    await sweep(service.deps);
    expect(await findDelivery(service, notification)).toMatchObject({ ...waiting, status: 'failed' });
  });
});

test('a replica without the channel leaves a push with a short TTL to one that has it', async () => {
  const service = await start();
  const notification = await sendWebhook(service);
  const { id } = await findDelivery(service, notification);
  const startMs = Date.now();
  const waits: number[] = [];
  const without = { ...service.deps, channels: new Map() };
  for (let nowMs = startMs; nowMs < startMs + 30_000; nowMs += waits.at(-1)!) {
    await service.deps.sql('UPDATE deliveries SET next_attempt_at = $1', [new Date(nowMs)]);
    await deliver({ ...without, clock: () => nowMs }, id);
    const [row] = await service.deps.sql<{ due: Date }>('SELECT next_attempt_at AS due FROM deliveries');
    waits.push(row!.due.getTime() - nowMs);
  }
  expect([Math.min(...waits) >= 1_000, Math.max(...waits) <= 3_000, waits.length > 15]).toEqual([
    true,
    true,
    true,
  ]);
  await service.deps.sql('UPDATE deliveries SET next_attempt_at = now()');
  await deliver(service.deps, id);
  expect(await findDelivery(service, notification)).toMatchObject({ status: 'delivered', attempts: 1 });
});

test('deletes old notifications with all their rows, except what still waits', async () => {
  const service = await start();
  const done = await sendWebhook(service);
  await deliver(service.deps, (await findDelivery(service, done)).id);
  const waiting = await sendWebhook(service, { send_at: service.deps.clock() / 1000 + 1_000 });
  const inAMonth = service.deps.clock() + 31 * 86_400_000;
  expect(await deleteOldNotifications(service.deps.sql, service.deps.clock(), 30)).toBe(0);
  expect(await deleteOldNotifications(service.deps.sql, inAMonth, 30)).toBe(1);
  expect(await service.deps.sql('SELECT id FROM notifications')).toEqual([{ id: waiting }]);
  expect(await service.deps.sql('SELECT 1 FROM delivery_attempts')).toEqual([]);
});

describe('a later report', () => {
  test('a delivery only goes forward', async () => {
    const service = await start();
    const notification = await sendWebhook(service);
    const { id } = await findDelivery(service, notification);
    const settle = (outcome: Parameters<typeof settleDelivery>[3]) =>
      settleDelivery(service.deps, service.deps.sql, id, outcome);
    const bounced = {
      kind: 'final',
      status: 'bounced',
      errorClass: 'bounce',
      message: 'No such mailbox.',
    } as const;
    expect(await settle({ kind: 'sent' })).toBe(true);
    expect(await settle({ kind: 'sent' })).toBe(false);
    expect(await settle({ kind: 'delivered' })).toBe(true);
    expect(await settle({ kind: 'sent' })).toBe(false);
    expect(await settle(bounced)).toBe(true);
    expect(await settle({ kind: 'delivered' })).toBe(false);
    expect(await findDelivery(service, notification)).toMatchObject({
      status: 'bounced',
      last_error_class: 'bounce',
    });
  });
});

describe('a message of another service', () => {
  async function message(service: NotificationsUnderTest, payload: Omit<NotifyRequest, 'organization_id'>) {
    const { deps, env } = service;
    const queues = openQueues({
      url: new Secret(env['QUEUE_URL']!),
      prefix: env['QUEUE_PREFIX']!,
      clock: deps.clock,
      log: deps.log,
    });
    const outbox = createOutbox({
      service: 'voice-api',
      pool: deps.pool,
      queues,
      sealer: deps.queueSealer,
      messageKeys: await testMessageKeys('voice-api'),
      ids: createIds(),
      clock: deps.clock,
    });
    const given = { organization_id: 'acme', ...payload };
    const facts = {
      contract: 'notification.send',
      organizationId: 'acme',
      trace: { requestId: 'req-voice' },
    } as const;
    const prepared = await outbox.prepare([{ ...facts, payload: { ...given, channels: ['chat'] } }]);
    // As a service that checks less would write it.
    const enqueued = prepared.map((row) => ({ ...row, payload: JSON.stringify(given) }));
    const send = () => outbox.enqueueJobs({ ids: enqueued.map(({ id }) => id), rows: enqueued });
    return {
      send,
      again: () => outbox.enqueueJobs({ ids: [], rows: enqueued.map((row) => ({ ...row, rings: 1 })) }),
      close: () => queues.close(),
    };
  }
  const listRows = ({ deps }: NotificationsUnderTest) =>
    deps.sql<{ channel: string; status: string; last_error_class: string | null; source: string }>(
      `SELECT channel, status, last_error_class, source, request_id FROM deliveries
       JOIN notifications ON notifications.id = notification_id ORDER BY deliveries.id`,
    );

  test('is sent once for any number of jobs; what cannot be sent is recorded', async () => {
    const service = await start({ worker: true });
    const { send, again, close } = await message(service, {
      channels: ['webhook', 'in_app', 'chat', 'web_push'],
      message: 'The webhook was disabled.',
      target: { webhook: { url: sends.outside.url }, in_app: {}, web_push: { broadcast: true } },
    });
    await send();
    await sends.outside.received(1);
    await again();
    await eventually(async () =>
      (await listRows(service)).every(({ status }) => status !== 'queued' && status !== 'sending'),
    );
    await eventually(() => service.log.with('notification.sent').length === 1);
    const common = { source: 'voice-api', request_id: 'req-voice' };
    expect(await listRows(service)).toEqual([
      { ...common, channel: 'webhook', status: 'delivered', last_error_class: null },
      { ...common, channel: 'in_app', status: 'failed', last_error_class: 'invalid_target' },
      { ...common, channel: 'chat', status: 'failed', last_error_class: 'unconfigured' },
      { ...common, channel: 'web_push', status: 'failed', last_error_class: 'invalid_target' },
    ]);
    expect(sends.outside.requests).toHaveLength(1);
    await close();
  });

  test('with an invalid target is recorded too, without any part of the target', async () => {
    const service = await start({ worker: true });
    const { send, close } = await message(service, {
      channels: ['webhook'],
      message: 'x',
      target: { webhook: { url: 'http://10.0.0.1/?token=canary-in-a-url' } },
    });
    await send();
    await eventually(async () => (await listRows(service)).length === 1);
    expect(await listRows(service)).toMatchObject([{ status: 'failed', last_error_class: 'invalid_target' }]);
    const rows = JSON.stringify(await service.deps.sql('SELECT * FROM deliveries'));
    expect(rows).not.toContain('canary-in-a-url');
    await close();
  });
});
