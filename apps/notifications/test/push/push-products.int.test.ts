// What each push service refuses (libs/testing, push-products.ts): none refuses a message of ours,
// and each refusal ends as docs/notifications.md#push-outcomes says.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '@parley/testing';
import { startPush, type PushUnderTest } from './push.ts';

const PRODUCTS = ['apple', 'fcm', 'autopush', 'firefox_android', 'wns'] as const;
type Product = (typeof PRODUCTS)[number];

let push: PushUnderTest;
beforeAll(async () => {
  push = await startPush();
});
afterAll(() => push.stop());

let users = 0;

async function sendTo(product: Product, target: object, more: object = {}) {
  const user_id = `user-${(users += 1)}`;
  const device = await push.register({ user_id }, { product });
  const body = {
    channels: ['web_push'],
    message: 'x',
    target: { web_push: { user_id, ...target } },
    ...more,
  };
  const reply = await push.api.post('/v1/notify', body).expect(202);
  const { notification_id: id } = reply.body as { notification_id: string };
  return { id, device };
}

async function readEnd(id: string) {
  const read = async () =>
    (await push.api.get(`/v1/notify/${id}`).expect(200)).body as { channels: [{ status: string }] };
  await eventually(async () => !['queued', 'sending'].includes((await read()).channels[0].status));
  return (await read()).channels[0];
}

const textOf = (device: { endpoint: string }) =>
  JSON.parse(push.outside.pushes.findLast((one) => one.device === push.outside.getDevice(device))!.text) as {
    title: string;
    body: string;
    url?: string;
    notification?: object;
  };

describe.each(PRODUCTS)('%s', (product) => {
  test.each<[string, object]>([
    ['a topic of 13 characters', { topic: 'collie-update' }],
    ['a topic with other characters than letters and digits', { topic: 'order_7-shipped' }],
    ['a ttl of 0', { ttl: 0 }],
    ['the longest ttl', { ttl: 28 * 24 * 60 * 60 }],
    ['a url', { url: '/orders/7', urgency: 'high' }],
  ])('accepts %s', async (_what, target) => {
    const { id } = await sendTo(product, target);
    expect(await readEnd(id)).toMatchObject({ status: 'sent' });
    expect(push.outside.problems).toEqual([]);
  });

  test('accepts the longest text; only where Firefox on Android may read it is it cut', async () => {
    const message = 'The kettle boils. '.repeat(200);
    const { id, device } = await sendTo(product, {}, { message, subject: 'Kitchen' });
    expect(await readEnd(id)).toMatchObject({ status: 'sent' });
    expect(push.outside.problems).toEqual([]);
    const { body } = textOf(device);
    if (product !== 'autopush' && product !== 'firefox_android') return expect(body).toBe(message);
    expect(body).toMatch(/…$/);
    expect(message.startsWith(body.slice(0, -1))).toBe(true);
    expect(body.length).toBeGreaterThan(2_700);
  });

  test('repeats title and body in the declarative form where a browser may read it', async () => {
    const { id, device } = await sendTo(product, { url: '/orders/7' });
    expect(await readEnd(id)).toMatchObject({ status: 'sent' });
    expect('notification' in textOf(device)).toBe(!['autopush', 'firefox_android'].includes(product));
  });
});

test('a subscription in the request and a broadcast get the same treatment', async () => {
  const subscription = push.outside.subscribe({ product: 'firefox_android' });
  const body = { channels: ['web_push'], message: 'The kettle boils. '.repeat(200), subject: 'Kitchen' };
  for (const target of [
    { subscription, topic: 'tea-5' },
    { broadcast: true, ttl: 0 },
  ]) {
    const reply = await push.api.post('/v1/notify', { ...body, target: { web_push: target } }).expect(202);
    const { notification_id: id } = reply.body as { notification_id: string };
    expect(await readEnd(id)).toMatchObject({ status: 'sent' });
  }
  expect(push.outside.problems).toEqual([]);
});

test('data that Firefox on Android does not accept fails there with its reason', async () => {
  const { id } = await sendTo('firefox_android', { data: { more: 'x'.repeat(3_300) } });
  expect(await readEnd(id)).toMatchObject({ status: 'failed', last_error_class: 'too_large' });
  expect(push.outside.problems.splice(0)).toEqual([expect.stringContaining('limited in size')]);
  const log = (await push.api.get(`/v1/notify/${id}/attempts`).expect(200)).body as { items: object[] };
  expect(log.items).toMatchObject([
    { http_status: 413, error: 'No device could be reached: 413 errno 104.' },
  ]);
});
