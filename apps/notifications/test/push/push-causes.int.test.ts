// The reasons why devices were not reached, in the log of attempts, the delivery and the metric,
// for a user and a broadcast. No worker runs: the test takes every step.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { toPushOutcome } from '../../src/push-engine/push-outcome.rules.ts';
import { retryDevices } from '../../src/channels/web-push/retry-devices.ts';
import type { Deps } from '../../src/deps.ts';
import type { PushDeps } from '../../src/channels/web-push/send-devices.ts';
import { deliver, never, sendChunks } from '../work.ts';
import { startPush, type PushUnderTest } from './push.ts';

let push: PushUnderTest;
beforeAll(async () => {
  push = await startPush({ worker: false });
});
afterAll(() => push.stop());

const BAD_TOKEN = { status: 403, body: '{"reason":"BadJwtToken"}' };

function later(aheadMs: number): Deps & PushDeps {
  const { deps } = push;
  return { ...deps, push: deps.push!, clock: () => deps.clock() + aheadMs };
}

async function send(target: object): Promise<{ id: string; deliveryId: string }> {
  const body = { channels: ['web_push'], message: 'x', target: { web_push: target } };
  const reply = await push.api.post('/v1/notify', body).expect(202);
  const id = (reply.body as { notification_id: string }).notification_id;
  const [row] = await push.deps.sql<{ id: string }>('SELECT id FROM deliveries WHERE notification_id = $1', [
    id,
  ]);
  return { id, deliveryId: row!.id };
}

async function readReasons(id: string) {
  const status = (await push.api.get(`/v1/notify/${id}`).expect(200)).body as { channels: unknown[] };
  const log = (await push.api.get(`/v1/notify/${id}/attempts`).expect(200)).body as { items: unknown[] };
  const [delivery] = await push.deps.sql('SELECT last_error FROM deliveries WHERE notification_id = $1', [
    id,
  ]);
  return { channel: status.channels[0], attempt: log.items.at(-1), delivery };
}

test.each([
  ['{"reason":"BadJwtToken"}', 'BadJwtToken'],
  ['{"code": 401, "errno": 109, "message": "no"}', 'errno 109'],
  ['UnauthorizedRegistration\n', 'UnauthorizedRegistration'],
  ['the token eyJhbGciOi is not valid', undefined],
  ['{"reason":"token eyJhbGciOi"}', undefined],
  ['', undefined],
])('of an answer %j the reason is %s', (body, reason) => {
  expect(toPushOutcome({ status: 403, body, retryAfterMs: undefined }, false)).toEqual({
    kind: 'rejected',
    errorClass: 'http_status',
    answered: { httpStatus: 403, reason },
  });
});

test('a user’s devices: the status and the reason of the push service', async () => {
  const device = await push.register({ user_id: 'ann' });
  push.outside.always(BAD_TOKEN, device);
  const { id, deliveryId } = await send({ user_id: 'ann' });
  await deliver(later(0), deliveryId);
  const last_error = 'No device could be reached: 403 BadJwtToken.';
  expect(await readReasons(id)).toMatchObject({
    channel: { status: 'failed', last_error_class: 'http_status' },
    attempt: { outcome: 'failed', http_status: 403, error_class: 'http_status', error: last_error },
    delivery: { last_error },
  });
  expect(await push.deps.metrics.text()).toMatch(
    /push_attempts_total\{outcome="rejected",http_status="403"[^}]*\} 1/,
  );
});

test('a device of WNS, whose reason is in a header', async () => {
  const device = await push.register({ user_id: 'wim' });
  const headers = { 'x-wns-notificationstatus': 'dropped', 'x-wns-error-description': 'A sentence.' };
  push.outside.always({ status: 400, headers, body: '' }, device);
  const { id, deliveryId } = await send({ user_id: 'wim' });
  await deliver(later(0), deliveryId);
  expect(await readReasons(id)).toMatchObject({
    attempt: { http_status: 400, error: 'No device could be reached: 400 dropped.' },
  });
});

test('a device of WNS that has blocked the sender stays registered', async () => {
  const device = await push.register({ user_id: 'wes' });
  const headers = { 'x-wns-status': 'dropped', 'x-wns-error-description': 'The domain is blocked.' };
  push.outside.always({ status: 410, headers, body: '' }, device);
  const { id, deliveryId } = await send({ user_id: 'wes' });
  await deliver(later(0), deliveryId);
  expect(await readReasons(id)).toMatchObject({
    attempt: { http_status: 410, error: 'No device could be reached: 410 DomainBlocked.' },
  });
  const registered = await push.api.get('/v1/push/registrations?user_id=wes').expect(200);
  expect((registered.body as { items: object[] }).items).toHaveLength(1);
});

test('a device that is retried until it fails: the reason of the last attempt', async () => {
  const device = await push.register({ user_id: 'eve' });
  push.outside.always(500, device);
  const { id, deliveryId } = await send({ user_id: 'eve' });
  await deliver(later(0), deliveryId);
  expect(await readReasons(id)).toMatchObject({ attempt: { outcome: 'handed_over', error_class: null } });
  push.outside.always(413, device);
  await retryDevices(later(3_600_000), never);
  expect(await readReasons(id)).toMatchObject({
    channel: { status: 'failed', last_error_class: 'too_large' },
    attempt: { outcome: 'handed_over', http_status: 413, error_class: 'too_large' },
  });
});

test('a subscription in the request', async () => {
  const subscription = push.outside.subscribe();
  push.outside.always(BAD_TOKEN, subscription);
  const { id, deliveryId } = await send({ subscription });
  await deliver(later(0), deliveryId);
  const error = 'The push service refused the message: 403 BadJwtToken.';
  expect(await readReasons(id)).toMatchObject({
    attempt: { http_status: 403, error_class: 'http_status', error },
  });
});

test('a broadcast', async () => {
  const other = { ...push, api: push.as(await push.issueKey('globex')) };
  const subscriptions = [push.outside.subscribe(), push.outside.subscribe(), push.outside.subscribe()];
  for (const subscription of subscriptions)
    await other.api.post('/v1/push/registrations', { subscription }).expect(201);
  push.outside.always(BAD_TOKEN, subscriptions[1]);
  push.outside.always(500, subscriptions[2]);
  const mine = push.api;
  push = other;
  const { id, deliveryId } = await send({ broadcast: true });
  await deliver(later(0), deliveryId);
  await sendChunks(later(0), deliveryId);
  push.outside.always(undefined, subscriptions[2]);
  await retryDevices(later(3_600_000), never);
  expect(await readReasons(id)).toMatchObject({
    channel: { status: 'partial', counts: { targeted: 3, sent: 2, gone: 0, failed: 1 } },
    attempt: { http_status: 403, error: 'Some devices could not be reached: 403 BadJwtToken.' },
  });
  push = { ...push, api: mine };
});

test('a canceled broadcast counts untried devices as not failed', async () => {
  const other = { ...push, api: push.as(await push.issueKey('initech')) };
  for (let device = 0; device < 3; device += 1)
    await other.api.post('/v1/push/registrations', { subscription: push.outside.subscribe() }).expect(201);
  const mine = push.api;
  push = other;
  const { id, deliveryId } = await send({ broadcast: true });
  await deliver(later(0), deliveryId);
  await push.api.delete(`/v1/notify/${id}`).expect(200);
  await sendChunks(later(1), deliveryId);
  expect((await readReasons(id)).channel).toMatchObject({
    status: 'canceled',
    counts: { targeted: 3, sent: 0, gone: 0, failed: 0 },
  });
  push = { ...push, api: mine };
});
