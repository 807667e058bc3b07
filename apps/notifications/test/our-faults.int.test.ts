// Every endpoint while Postgres or Redis is stopped, and with a full disk
// (docs/platform.md#whose-fault-it-is).
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import {
  fullDiskProblems,
  invalidRequests,
  OUR_FAULTS,
  stallProblems,
  startFrozenReplicas,
  type FrozenReplicas,
  type TenantMatrix,
  type ValidRequests,
} from '@parley/testing-services';
import { setSetting } from '@parley/server/organizations';
import { createTokens, type MakeToken } from '../src/engagements/tracking-token.ts';
import { writeInAppItem } from '../src/inbox-items/write-item.ts';
import { createReceipt } from '../src/channels/web-push/push-receipt.ts';
import { makeLink } from '../src/people/links.ts';
import { findRecipients } from '../src/people/recipient.ts';
import { createMatrix, TEMPLATE } from './matrix.ts';
import { fakeSns, SNS_TOPIC } from './email/fake-sns.ts';
import { startPush, type PushUnderTest } from './push/push.ts';
import { startNotifications } from './service.ts';

/** Half a minute of waiting, and as much work; ten times as long on a busy machine. */
const PATIENCE_MS = 900_000;

const MAIL_SECRET = `whsec_${Buffer.from('secret of mail providers, 24 b').toString('base64')}`;
const JSON_TYPE = { 'content-type': 'application/json' };
const sns = fakeSns();
const sendGridKeys = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
let frozen: FrozenReplicas;
let service: PushUnderTest;
let valid: ValidRequests;

beforeAll(async () => {
  const TEST_EVENT_KEY = sendGridKeys.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  const { fetchAmazon } = sns;
  service = await startPush({
    worker: false,
    fetchAmazon,
    env: { TEST_EVENT_KEY, TEST_MAIL_SECRET: MAIL_SECRET },
  });
  const { ca } = service.outside;
  frozen = await startFrozenReplicas(service, (env) => startNotifications({ ca, env, fetchAmazon }));
  const set = (key: string, setting: { reference: string } | { value: string }) =>
    setSetting(service.deps.sql, OUR_FAULTS, key, setting, Date.now());
  await set('sendgrid_event_key', { reference: 'env://TEST_EVENT_KEY' });
  for (const key of ['mailgun_signing_key', 'postmark_webhook_password', 'resend_signing_secret'])
    await set(key, { reference: 'env://TEST_MAIL_SECRET' });
  await set('ses_topic_arn', { value: SNS_TOPIC });
  valid = validFor(service);
});
afterAll(async () => {
  await frozen.stop();
  await service.stop();
});

let made = 0;

function validFor(notifications: PushUnderTest): ValidRequests {
  const next = (name: string) => `${name}-${(made += 1)}`;
  const send = () => ({
    channels: ['in_app'],
    message: next('Hello'),
    target: { in_app: { user_id: 'ann' } },
  });
  const matrix = createMatrix(notifications);
  const scheduled = async (organizationId: string) => {
    const api = notifications.as(await notifications.issueKey(organizationId));
    const request = { ...send(), send_at: Math.round(Date.now() / 1000) + 3_600 };
    const sent = await api.post('/v1/notify', request).expect(202);
    return (sent.body as { notification_id: string }).notification_id;
  };
  return {
    ...matrix,
    resources: { ...matrix.resources, notify: scheduled },
    more: {
      notify: send,
      sendNotification: send,
      addSuppressions: () => ({ emails: [`${next('user')}@customer.example`], reason: 'unsubscribe' }),
      notifyMany: () => ({ sends: [send(), send()] }),
      putPreferences: { categories: {} },
      previewTemplateDraft: TEMPLATE,
      registerPushSubscription: () => ({ subscription: notifications.outside.subscribe() }),
      createApiKey: () => ({ name: next('key'), scopes: ['read'] }),
      putApiKey: () => ({ name: next('key'), scopes: ['read'] }),
    },
    queries: Object.fromEntries(
      [
        ...[
          'listNotifications',
          'countNotifications',
          'readNotification',
          'unreadNotification',
          'archiveNotification',
        ],
        ...[
          'unarchiveNotification',
          'snoozeNotification',
          'deleteNotification',
          'readAllNotifications',
          'seeNotifications',
        ],
        ...['streamNotifications', 'makeStreamTicket', 'getPreferences', 'putPreferences', 'listPushHistory'],
      ]
        .map((operationId) => [operationId, '?user_id=ann'])
        .concat([['deleteAllNotifications', '?user_id=bob&all=true']]),
    ) as Record<string, string>,
    once: ['rotateApiKey'],
    prepared: signedRequests(notifications, matrix),
  };
}

/** The credential is signed for one message: a link, a receipt, a token, SendGrid's signature. */
function signedRequests({ deps }: PushUnderTest, { resources }: TenantMatrix): ValidRequests['prepared'] {
  const recipient = async () => {
    const userId = await resources['recipients']!(OUR_FAULTS, {});
    return (await findRecipients(deps, deps.sql, OUR_FAULTS, [userId])).get(userId)!;
  };
  const link = async (path: string) => {
    const category = await resources['categories']!(OUR_FAULTS, {});
    const to = { kind: 'unsubscribe', category, channel: 'email' } as const;
    return `${path}?link=${makeLink(await recipient(), to)}`;
  };
  const preferences = async (path: string) =>
    `${path}?link=${makeLink(await recipient(), { kind: 'preferences' })}`;
  const token = async (...use: Parameters<MakeToken>) => {
    const notificationId = await resources['notify']!(OUR_FAULTS, {});
    const make = await createTokens(deps, { organizationId: OUR_FAULTS, notificationId, sentAt: new Date() });
    return `?token=${make(...use)}`;
  };
  return {
    showPreferencesPage: async (path) => ({ path: await preferences(path) }),
    changePreferencesPage: async (path) => ({ path: `${await preferences(path)}&on=false` }),
    askToUnsubscribe: async (path) => ({ path: await link(path) }),
    unsubscribe: async (path) => ({
      path: await link(path),
      body: 'List-Unsubscribe=One-Click',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
    trackOpen: async (path) => ({ path: path + (await token('open')) }),
    trackClick: async (path) => ({ path: path + (await token('link', 'https://example.com/')) }),
    takePushBeacon: async (path) => ({ path: `${path}${await token('push')}&event=clicked` }),
    readPushedNotification: async (path) => {
      const notificationId = deps.ids('ntf');
      const item = {
        notificationId,
        organizationId: OUR_FAULTS,
        userId: 'ann',
        title: 'Hello',
        body: 'Hello',
      };
      await writeInAppItem(deps.sql, { ...item, expiresAt: null }, deps.clock());
      const receipt = await createReceipt(deps, { organizationId: OUR_FAULTS, id: notificationId }, 'ann');
      return { path: `${path}?receipt=${notificationId}.${receipt}` };
    },
    takeSendGridEvents: (path) => {
      const timestamp = String(Math.floor(Date.now() / 1000));
      const body = JSON.stringify([{ event: 'delivered', sg_event_id: `sg-${(made += 1)}` }]);
      const signature = sign('sha256', Buffer.from(timestamp + body), sendGridKeys.privateKey);
      const headers = {
        'x-twilio-email-event-webhook-timestamp': timestamp,
        'x-twilio-email-event-webhook-signature': signature.toString('base64'),
      };
      return Promise.resolve({ path: path.replace('{organization_id}', OUR_FAULTS), body, headers });
    },
    takeMailgunEvents: (path) => {
      const [timestamp, token] = [String(Math.floor(Date.now() / 1000)), `token${(made += 1)}`];
      const signature = createHmac('sha256', MAIL_SECRET)
        .update(timestamp + token)
        .digest('hex');
      const event = { event: 'delivered', timestamp: Date.now() / 1000, recipient: 'ann@customer.example' };
      const body = JSON.stringify({ signature: { timestamp, token, signature }, 'event-data': event });
      return Promise.resolve({
        path: path.replace('{organization_id}', OUR_FAULTS),
        body,
        headers: JSON_TYPE,
      });
    },
    takePostmarkEvents: (path) => {
      const authorization = `Basic ${Buffer.from(`parley:${MAIL_SECRET}`).toString('base64')}`;
      const body = JSON.stringify({ RecordType: 'Delivery', MessageID: `postmark-${(made += 1)}` });
      const headers = { ...JSON_TYPE, authorization };
      return Promise.resolve({ path: path.replace('{organization_id}', OUR_FAULTS), body, headers });
    },
    takeResendEvents: (path) => {
      const [id, created_at] = [`msg_${(made += 1)}`, new Date().toISOString()];
      const body = JSON.stringify({ type: 'email.delivered', created_at, data: { email_id: id } });
      const seconds = String(Math.floor(Date.now() / 1000));
      const signature = new Webhook(MAIL_SECRET).sign(id, new Date(Number(seconds) * 1000), body);
      const svix = { 'svix-id': id, 'svix-timestamp': seconds, 'svix-signature': signature };
      const headers = { ...JSON_TYPE, ...svix };
      return Promise.resolve({ path: path.replace('{organization_id}', OUR_FAULTS), body, headers });
    },
    takeSesEvents: (path) => {
      const mail = { timestamp: new Date().toISOString(), messageId: `ses-${(made += 1)}` };
      const { body, headers } = sns.sign({
        Type: 'Notification',
        Message: JSON.stringify({ eventType: 'Send', mail }),
      });
      return Promise.resolve({ path: path.replace('{organization_id}', OUR_FAULTS), body, headers });
    },
  };
}

test(
  'every endpoint has a valid request, or a reason why not',
  async () => {
    expect(await invalidRequests(service, valid)).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'Postgres stopped for two seconds: 2xx, or 503 with Retry-After',
  async () => {
    expect(await stallProblems(service, valid, frozen, 'postgres')).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'Redis stopped for two seconds: 2xx, or 503 with Retry-After',
  async () => {
    expect(await stallProblems(service, valid, frozen, 'redis')).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'the disk of Postgres is full: 503 with Retry-After for writes',
  async () => {
    const { problems, refused } = await fullDiskProblems(service, valid);
    expect(problems).toEqual([]);
    expect(refused).toBeGreaterThan(5);
  },
  PATIENCE_MS,
);
