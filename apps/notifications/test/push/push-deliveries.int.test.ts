// A push from the request to its last device: schedules, expiry, canceling, hand-overs, devices
// that change users. No worker runs: the test takes every step at the time it chooses.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sqlOf } from '@parley/server/postgres';
import { eventually } from '@parley/testing';
import { recordOutcome } from '../../src/deliver/delivery-table.ts';
import { retryDevices } from '../../src/channels/web-push/retry-devices.ts';
import type { Deps } from '../../src/deps.ts';
import type { PushDeps } from '../../src/channels/web-push/send-devices.ts';
import { claim, deliver, never, sendChunks } from '../work.ts';
import { startPush, type PushUnderTest } from './push.ts';

let push: PushUnderTest;
beforeAll(async () => {
  push = await startPush({ worker: false });
});
afterAll(() => push.stop());

const HOUR_MS = 3_600_000;

/** Dependencies of a worker whose clock is `aheadMs` later. */
function later(aheadMs: number): Deps & PushDeps {
  const { deps } = push;
  return { ...deps, push: deps.push!, clock: () => deps.clock() + aheadMs };
}

let users = 0;
const newUser = () => `user-${(users += 1)}`;

async function send(target: object, more: object = {}): Promise<{ id: string; deliveryId: string }> {
  const body = { channels: ['web_push'], message: 'x', target: { web_push: target }, ...more };
  const reply = await push.api.post('/v1/notify', body).expect(202);
  const id = (reply.body as { notification_id: string }).notification_id;
  const [row] = await push.deps.sql<{ id: string }>('SELECT id FROM deliveries WHERE notification_id = $1', [
    id,
  ]);
  return { id, deliveryId: row!.id };
}

async function readChannel(id: string): Promise<unknown> {
  const reply = await push.api.get(`/v1/notify/${id}`).expect(200);
  return (reply.body as { channels: unknown[] }).channels[0];
}

async function readHistory(user: string): Promise<unknown> {
  const reply = await push.api.get(`/v1/push/history?user_id=${user}`).expect(200);
  return (reply.body as { items: unknown }).items;
}

const received = (device: { endpoint: string }) =>
  push.outside.pushes.filter((one) => one.device === push.outside.getDevice(device));

test('TTL and audience of a scheduled send count from its time, not from the request', async () => {
  const user = newUser();
  const { id, deliveryId } = await send(
    { user_id: user, ttl: 600 },
    { send_at: (Date.now() + 29 * 24 * HOUR_MS) / 1000 },
  );
  const device = await push.register({ user_id: user }); // in the meantime
  await deliver(later(29 * 24 * HOUR_MS + 1_000), deliveryId);
  expect(await readChannel(id)).toMatchObject({ status: 'sent' });
  const [message] = received(device);
  expect(message!.ttl).toBeGreaterThan(500);
});

test('the TTL ends with the notification', async () => {
  const user = newUser();
  const device = await push.register({ user_id: user });
  const { deliveryId } = await send({ user_id: user }, { expires_at: Date.now() / 1000 + 600 });
  await deliver(later(0), deliveryId);
  const [message] = received(device);
  expect(message!.ttl).toBeGreaterThan(500);
  expect(message!.ttl).toBeLessThanOrEqual(600);
});

test('a send that expired before its first attempt has its row in the history', async () => {
  const user = newUser();
  const device = await push.register({ user_id: user });
  const { id, deliveryId } = await send({ user_id: user }, { expires_at: Date.now() / 1000 + 600 });
  await deliver(later(HOUR_MS), deliveryId);
  expect(await readChannel(id)).toMatchObject({ status: 'expired' });
  expect(await readHistory(user)).toMatchObject([
    { notification_id: id, status: 'expired', delivered_count: 0 },
  ]);
  expect(received(device)).toEqual([]);
});

test('a send that expires while its device is unreachable is expired', async () => {
  const user = newUser();
  const device = await push.register({ user_id: user });
  push.outside.always(500, device);
  const { id, deliveryId } = await send({ user_id: user }, { expires_at: Date.now() / 1000 + 600 });
  await deliver(later(0), deliveryId);
  expect(await readChannel(id)).toMatchObject({ status: 'sending' });
  push.outside.always(undefined, device);
  await retryDevices(later(HOUR_MS), never);
  expect(received(device)).toHaveLength(1);
  expect(await readChannel(id)).toMatchObject({ status: 'expired' });
  expect(await readHistory(user)).toMatchObject([{ status: 'expired', delivered_count: 0 }]);
});

test('a fan-out that ends during the hand-over settles its delivery', async () => {
  const { id, deliveryId } = await send({ broadcast: true, site_id: 'nobody', site_only: true });
  const deps = later(0);
  const claimed = await claim(deps, deliveryId);
  const notice = { ...claimed, id: claimed.notificationId };
  const outcome = await deps.channels
    .get('web_push')!
    .send(
      deps,
      notice,
      { id: deliveryId, channel: 'web_push', attempt: 1, plain: JSON.parse(claimed.plan) },
      { signal: never },
    );
  expect(outcome).toEqual({ kind: 'handed_over' });
  await sendChunks(deps, deliveryId);
  const startedAtMs = deps.clock();
  await recordOutcome(deps, claimed, { outcome, next: { kind: 'open' }, startedAtMs, isAttempted: true });
  expect(await readChannel(id)).toMatchObject({ status: 'no_devices' });
});

test('a device of a new user gets no retry for the previous one', async () => {
  const [ada, bob] = [newUser(), newUser()];
  const device = await push.register({ user_id: ada });
  push.outside.always(500, device);
  const { id, deliveryId } = await send({ user_id: ada });
  await deliver(later(0), deliveryId);
  expect(await readChannel(id)).toMatchObject({ status: 'sending' });
  push.outside.always(undefined, device);
  const { endpoint, keys } = device;
  await push.api
    .post('/v1/push/registrations', { subscription: { endpoint, keys }, user_id: bob })
    .expect(200);
  await retryDevices(later(HOUR_MS), never);
  expect(await readChannel(id)).toMatchObject({ status: 'no_devices', counts: { gone: 1, sent: 0 } });
  expect(received(device)).toHaveLength(1);
  // Gone for that send only.
  const next = await send({ user_id: bob });
  await deliver(later(0), next.deliveryId);
  expect(await readChannel(next.id)).toMatchObject({ status: 'sent' });
});

test('a device with an unreadable row delays no other, and is reached once it is readable', async () => {
  const user = newUser();
  const broken = await push.register({ user_id: user });
  const fine = await push.register({ user_id: user });
  const find = 'SELECT sealed FROM push_subscriptions WHERE id = $1';
  const [{ sealed } = { sealed: '' }] = await push.deps.sql<{ sealed: string }>(find, [broken.subId]);
  const set = (text: string) =>
    push.deps.sql('UPDATE push_subscriptions SET sealed = $2 WHERE id = $1', [broken.subId, text]);
  await set('s1.other.AAAA'); // sealed with a missing key
  const { id, deliveryId } = await send({ user_id: user });
  await deliver(later(0), deliveryId);
  expect([received(broken).length, received(fine).length]).toEqual([0, 1]);
  expect(push.log.with('push.subscriptions_unreadable')).toMatchObject([{ first: broken.subId }]);
  await set(sealed);
  await retryDevices(later(HOUR_MS), never);
  expect([received(broken).length, received(fine).length]).toEqual([1, 1]);
  expect(await readChannel(id)).toMatchObject({ status: 'sent', counts: { targeted: 2, sent: 2 } });
});

test('canceling ends the rest of a fan-out', async () => {
  const user = newUser();
  const device = await push.register({ user_id: user });
  push.outside.always(500, device);
  const { id, deliveryId } = await send({ user_id: user });
  await deliver(later(0), deliveryId);
  const sent = received(device).length;
  push.outside.always(undefined, device);
  expect((await push.api.delete(`/v1/notify/${id}`).expect(200)).body).toMatchObject({
    canceled_at: expect.any(Number),
  });
  await retryDevices(later(1), never);
  expect(await readChannel(id)).toMatchObject({
    status: 'canceled',
    counts: { targeted: 1, sent: 0, gone: 0, failed: 1 },
  });
  expect(received(device)).toHaveLength(sent);
  expect(await readHistory(user)).toMatchObject([{ status: 'expired' }]);

  const broadcast = await send({ broadcast: true });
  await deliver(later(0), broadcast.deliveryId);
  await push.api.delete(`/v1/notify/${broadcast.id}`).expect(200);
  const before = push.outside.pushes.length;
  await sendChunks(later(1), broadcast.deliveryId);
  expect(await readChannel(broadcast.id)).toMatchObject({ status: 'canceled' });
  expect(push.outside.pushes).toHaveLength(before);
});

test('a push to the devices of a user takes at most six statements from claim to outcome', async () => {
  const user = newUser();
  const devices = [await push.register({ user_id: user }), await push.register({ user_id: user })];
  push.outside.always(410, devices[1]);
  const { id, deliveryId } = await send({ user_id: user });
  const { deps } = push;
  const statements: string[] = [];
  const counted = (text: string | { text: string }) =>
    void statements.push(typeof text === 'string' ? text : text.text);
  const pool = Object.assign(Object.create(deps.pool) as typeof deps.pool, {
    query: (...args: Parameters<typeof deps.pool.query>) => {
      counted(args[0]);
      return deps.pool.query(...args);
    },
    connect: async () => {
      const client = await deps.pool.connect();
      return Object.assign(Object.create(client) as typeof client, {
        query: (...args: Parameters<typeof client.query>) => {
          counted(args[0]);
          return client.query(...args);
        },
      });
    },
  });
  await deliver({ ...deps, pool, sql: sqlOf(pool) }, deliveryId);
  expect(await readChannel(id)).toMatchObject({
    status: 'sent',
    counts: { targeted: 2, sent: 1, gone: 1, failed: 0 },
  });
  expect(statements.length).toBeGreaterThan(1);
  expect(statements.length).toBeLessThanOrEqual(6);
});

test('a worker killed after it recorded a user’s devices repeats no message', async () => {
  const user = newUser();
  const [fine, slow] = [await push.register({ user_id: user }), await push.register({ user_id: user })];
  const killed = async () => {
    const { id, deliveryId } = await send({ user_id: user });
    const claimed = await claim(later(0), deliveryId);
    const delivery = {
      id: deliveryId,
      channel: 'web_push',
      attempt: 1,
      plain: JSON.parse(claimed.plan) as unknown,
    };
    const notice = { ...claimed, id: claimed.notificationId };
    const outcome = await push.deps.channels
      .get('web_push')!
      .send(later(0), notice, delivery as never, { signal: never });
    return { id, deliveryId, outcome };
  };
  const { leaseMs } = push.deps;
  const settled = await killed();
  expect(settled.outcome).toMatchObject({ kind: 'sent' });
  await deliver(later(leaseMs), settled.deliveryId);
  expect(await readChannel(settled.id)).toMatchObject({ status: 'sent', counts: { targeted: 2, sent: 2 } });
  expect([received(fine).length, received(slow).length]).toEqual([1, 1]);

  // Handed over with the record: the worker that records the last device settles it.
  push.outside.always(500, slow);
  const open = await killed();
  expect(open.outcome).toEqual({ kind: 'handed_over' });
  await deliver(later(leaseMs), open.deliveryId);
  push.outside.always(undefined, slow);
  await retryDevices(later(HOUR_MS), never);
  expect(await readChannel(open.id)).toMatchObject({ status: 'sent', counts: { targeted: 2, sent: 2 } });
  expect([received(fine).length, received(slow).length]).toEqual([2, 3]);
  expect(await readHistory(user)).toMatchObject([
    { notification_id: open.id, status: 'delivered', delivered_count: 2 },
    { notification_id: settled.id, status: 'delivered', delivered_count: 2 },
  ]);
});

test('canceled while its devices are in flight, no device is retried', async () => {
  const user = newUser();
  const device = await push.register({ user_id: user });
  push.outside.always({ status: 500, afterMs: 500 }, device);
  const { id, deliveryId } = await send({ user_id: user });
  const delivering = deliver(later(0), deliveryId);
  await eventually(() => received(device).length === 1);
  await push.api.delete(`/v1/notify/${id}`).expect(200);
  await delivering;
  await retryDevices(later(0), never);
  await retryDevices(later(HOUR_MS), never);
  expect(received(device)).toHaveLength(1);
  expect(await readChannel(id)).toMatchObject({ status: 'canceled' });
  push.outside.always(undefined, device);
});
