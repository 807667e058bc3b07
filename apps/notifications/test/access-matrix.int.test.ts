// Every operation of /openapi.json, with every scope alone and from another organisation. A new route is in both by itself.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { otherTenantProblems, scopeProblems, unboundedParts } from '@parley/app-testkit';
import { writeInAppItem } from '../src/inbox/write-item.ts';
import { startNotifications, type NotificationsUnderTest } from './service.ts';

/** Hundreds of requests, one after the other. */
const PATIENCE_MS = 120_000;

let notifications: NotificationsUnderTest;
beforeAll(async () => {
  notifications = await startNotifications();
});
afterAll(() => notifications.stop());

/** A ticket opens what a GET opens. */
const READING = { makeStreamTicket: 'read' } as const;

test('nothing in a request may be without end', async () => {
  expect(await unboundedParts(notifications)).toEqual([]);
});

test(
  'each scope alone opens what it should, and nothing else',
  async () => {
    expect(await scopeProblems(notifications, READING)).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'nothing of another organisation can be seen or changed',
  async () => {
    const as = async (organizationId: string) =>
      notifications.as(await notifications.issueKey(organizationId));
    const problems = await otherTenantProblems(notifications, {
      resources: {
        notify: async (organizationId) => {
          const request = { channels: ['in_app'], message: 'Hello', target: { in_app: { user_id: 'ann' } } };
          const sent = await (await as(organizationId)).post('/v1/notify', request).expect(202);
          return (sent.body as { notification_id: string }).notification_id;
        },
        notifications: (organizationId) =>
          writeInAppItem(
            notifications.deps.sql,
            {
              organizationId,
              notificationId: notifications.deps.ids('ntf'),
              userId: 'ann',
              title: 'Hello',
              body: 'Hello',
              expiresAt: null,
            },
            notifications.deps.clock(),
          ),
        'api-keys': async (organizationId) => {
          const api = await as(organizationId);
          const created = await api.post('/v1/api-keys', { name: 'x', scopes: ['read'] }).expect(201);
          return (created.body as { id: string }).id;
        },
      },
    });
    expect(problems).toEqual([]);
  },
  PATIENCE_MS,
);
