// Runs the channel suite for chat, webhook and in-app against local receivers.
import { expect, test } from '@jest/globals';
import { setSetting } from '@parley/server/organizations';
import { receiver } from '@parley/testing';
import { channelGuarantees, receiverAsProvider } from './channel.suite.ts';
import { startNotifications } from './service.ts';

const CANARY = 'canary0123456789canary';

channelGuarantees('chat', async () => {
  const outside = await receiver();
  return {
    name: 'chat',
    env: {},
    target: { webhook_url: `${outside.url}/hooks/${CANARY}` },
    success: 'sent',
    provider: receiverAsProvider(outside),
    secrets: [CANARY],
    close: () => outside.close(),
  };
});

channelGuarantees('webhook', async () => {
  const outside = await receiver();
  const secret = Buffer.from(`${CANARY}-signing-secret`).toString('base64');
  return {
    name: 'webhook',
    env: { TEST_WEBHOOK_SECRET: `whsec_${secret}` },
    target: { url: `${outside.url}/in?token=${CANARY}`, payload: { a: 1 } },
    success: 'delivered',
    provider: receiverAsProvider(outside),
    secrets: [CANARY, secret],
    prepare: ({ deps }) =>
      setSetting(
        deps.sql,
        'acme',
        'webhook_secret',
        { reference: 'env://TEST_WEBHOOK_SECRET' },
        deps.clock(),
      ),
    close: () => outside.close(),
  };
});

channelGuarantees('in_app', async () => ({
  name: 'in_app',
  env: {},
  target: { user_id: 'ada' },
  success: 'delivered',
  secrets: [],
  close: async () => undefined,
}));

test.each([
  ['chat', (url: string) => ({ webhook_url: `${url}/hooks/x` })],
  ['webhook', (url: string) => ({ url: `${url}/in` })],
])(
  'every attempt of %s carries the id of its notification, so that receivers can recognise repetitions',
  async (channel, targetAt) => {
    const service = await startNotifications({ worker: true });
    const outside = await receiver();
    try {
      outside.script(503);
      const sent = await service.api
        .post('/v1/notify', {
          channels: [channel],
          message: 'Hello',
          target: { [channel]: targetAt(outside.url) },
        })
        .expect(202);
      const { notification_id } = sent.body as { notification_id: string };
      const attempts = await outside.received(2);
      expect(attempts.map(({ headers }) => headers['webhook-id'])).toEqual([
        notification_id,
        notification_id,
      ]);
    } finally {
      await outside.close();
      await service.stop();
    }
  },
);
