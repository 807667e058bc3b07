// Every endpoint while Postgres or Redis stands still, and while the disk is full
// (docs/platform.md#whose-fault-it-is).
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { fullDiskProblems, invalidRequests, stallProblems, type ValidRequests } from '@parley/app-testkit';
import { createTestDatabase, tcpProxy, testQueue, type TcpProxy } from '@parley/testkit';
import { matrixOf, TEMPLATE } from './matrix.ts';
import { startPush, type PushUnderTest } from './push/push.ts';

/** Each endpoint, twelve times, two seconds at most: on a busy machine ten times as long. */
const PATIENCE_MS = 900_000;

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let postgres: TcpProxy;
let redis: TcpProxy;
let service: PushUnderTest;
let valid: ValidRequests;

beforeAll(async () => {
  database = await createTestDatabase('notifications');
  postgres = await tcpProxy(database.url);
  redis = await tcpProxy(testQueue().url);
  const env = { DATABASE_URL: postgres.url, QUEUE_URL: redis.url };
  service = await startPush({ worker: false, env });
  valid = validFor(service);
});
afterAll(async () => {
  await service.stop();
  await Promise.all([postgres.close(), redis.close()]);
  await database.drop();
});

let made = 0;

function validFor(notifications: PushUnderTest): ValidRequests {
  const next = (name: string) => `${name}-${(made += 1)}`;
  const send = () => ({
    channels: ['in_app'],
    message: next('Hello'),
    target: { in_app: { user_id: 'ann' } },
  });
  const signed = 'its credential is signed for one message: the tests of its feature call it';
  const matrix = matrixOf(notifications);
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
      notifyMany: () => ({ sends: [send(), send()] }),
      putPreferences: { categories: {} },
      previewTemplateDraft: TEMPLATE,
      registerPushSubscription: () => ({ subscription: notifications.outside.subscribe() }),
      createApiKey: () => ({ name: next('key'), scopes: ['read'] }),
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
    without: {
      askToUnsubscribe: signed,
      unsubscribe: signed,
      takeSendGridEvents: signed,
      readPushedNotification: signed,
      trackOpen: signed,
      trackClick: signed,
      takePushBeacon: signed,
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
  'Postgres stands still for two seconds: 2xx, or 503 with Retry-After',
  async () => {
    expect(await stallProblems(service, valid, postgres)).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'Redis stands still for two seconds: 2xx, or 503 with Retry-After',
  async () => {
    expect(await stallProblems(service, valid, redis)).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'the disk of Postgres is full: 503 with Retry-After where something is written',
  async () => {
    const { problems, refused } = await fullDiskProblems(service, valid);
    expect(problems).toEqual([]);
    expect(refused).toBeGreaterThan(5);
  },
  PATIENCE_MS,
);
