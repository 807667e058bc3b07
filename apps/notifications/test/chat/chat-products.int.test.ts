// Each chat product accepts any text that the channel sends, and its refusals end as
// docs/notifications.md#attempts says.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '@parley/testing';
import { startNotifications, type NotificationsUnderTest } from '../service.ts';
import {
  ACCOUNT_STATES,
  CHAT_PRODUCTS,
  chatServices,
  RATE_LIMITS,
  type ChatProduct,
  type ChatServices,
} from './chat-products.ts';

let service: NotificationsUnderTest;
let outside: ChatServices;
beforeAll(async () => {
  outside = await chatServices();
  service = await startNotifications({ worker: true });
});
afterAll(async () => {
  await service.stop();
  await outside.close();
});

async function send(webhook_url: string, format: ChatProduct, message: string) {
  const target = { chat: { webhook_url, format } };
  const reply = await service.api
    .post('/v1/notify', { channels: ['chat'], subject: 'Kitchen', message, target })
    .expect(202);
  const { notification_id: id } = reply.body as { notification_id: string };
  const read = async () =>
    (await service.api.get(`/v1/notify/${id}`).expect(200)).body as { channels: [{ status: string }] };
  await eventually(async () => !['queued', 'sending'].includes((await read()).channels[0].status));
  return (await read()).channels[0];
}

const LONGEST = 10_000;

describe.each(CHAT_PRODUCTS)('%s', (product) => {
  test.each(['x', '漢', '👩‍👩‍👧‍👦', '"', '\\', '&<>', '\n', '@here '])(
    'accepts the longest text of %j',
    async (unit) => {
      const message = `${unit.repeat(LONGEST).slice(0, LONGEST - 1)}.`;
      expect(await send(outside.addressOf(product), product, message)).toMatchObject({ status: 'sent' });
      expect(outside.takeRefusals()).toEqual([]);
    },
  );

  test('an address that it does not know ends the delivery', async () => {
    expect(await send(outside.addressOf(product, 'other'), product, 'x')).toMatchObject({
      status: 'failed',
      attempts: 1,
      last_error_class: 'http_status',
    });
    expect(outside.takeRefusals()).toHaveLength(1);
  });

  test('429 is retried', async () => {
    outside.script({ status: 429, headers: { 'retry-after': '0' } });
    expect(await send(outside.addressOf(product), product, 'x')).toMatchObject({
      status: 'sent',
      attempts: 2,
    });
  });
});

test.each(ACCOUNT_STATES)('$product: $state, which ends the delivery', async ({ product, answer }) => {
  outside.script(answer);
  expect(await send(outside.addressOf(product), product, 'x')).toMatchObject({
    status: 'failed',
    attempts: 1,
    last_error_class: 'http_status',
  });
});

test.each(Object.keys(RATE_LIMITS) as ChatProduct[])('%s limits the rate: sent later', async (product) => {
  outside.script(RATE_LIMITS[product]!);
  expect(await send(outside.addressOf(product), product, 'x')).toMatchObject({ status: 'sent', attempts: 2 });
});

test.each<[ChatProduct, object]>([
  ['slack', { text: 'x'.repeat(40_001) }],
  ['slack', { text: '' }],
  ['discord', { content: 'x'.repeat(2_001) }],
  ['google_chat', { text: 'x'.repeat(32_000) }],
  ['mattermost', { text: 'x'.repeat(16_384) }],
  ['teams', { attachments: [{ content: { type: 'AdaptiveCard', text: 'x'.repeat(24_453) } }] }],
])('the emulator of %s refuses what the product refuses', async (product, body) => {
  const reply = await fetch(outside.addressOf(product), { method: 'POST', body: JSON.stringify(body) });
  expect(reply.status).toBe(400);
  expect(outside.takeRefusals()).toHaveLength(1);
});
