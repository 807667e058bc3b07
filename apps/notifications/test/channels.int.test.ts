// The guarantees of chat, the generic webhook and in-app, against receivers on this machine.
import { setSetting } from '@parley/settings';
import { receiver } from '@parley/testkit';
import { channelGuarantees, receiverAsProvider } from './channel.suite.ts';

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
