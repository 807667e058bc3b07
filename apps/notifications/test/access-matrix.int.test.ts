// Every operation of /openapi.json, by every kind of caller and from another organisation. A new route is in both by itself.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { otherTenantProblems, pathProblems, scopeProblems, unboundedParts } from '@parley/app-testkit';
import { writeInAppItem } from '../src/inbox/write-item.ts';
import { startPush, type PushUnderTest } from './push/push.ts';

/** Hundreds of requests, one after the other. */
const PATIENCE_MS = 120_000;

let notifications: PushUnderTest;
beforeAll(async () => {
  notifications = await startPush({ worker: false });
});
afterAll(() => notifications.stop());

/** A ticket opens what a GET opens, a preview shows it. */
const READING = {
  makeStreamTicket: 'read',
  previewTemplate: 'read',
  previewTemplateDraft: 'read',
} as const;

let templates = 0;
const TEMPLATE = { default_locale: 'en', locales: [{ locale: 'en', message: 'Hello' }] };

/** What is a person's own: inbox, devices and history (docs/platform.md#tenants). */
const OWN = [
  'listNotifications',
  'countNotifications',
  'readNotification',
  'unreadNotification',
  'archiveNotification',
  'unarchiveNotification',
  'snoozeNotification',
  'deleteAllNotifications',
  'deleteNotification',
  'readAllNotifications',
  'seeNotifications',
  'streamNotifications',
  'makeStreamTicket',
  'getVapidPublicKey',
  'registerPushSubscription',
  'listPushSubscriptions',
  'removePushSubscription',
  'listPushHistory',
  'getPreferences',
  'putPreferences',
];

test('nothing in a request may be without end', async () => {
  expect(await unboundedParts(notifications)).toEqual([]);
});

test(
  'each kind of caller may do what it should, and nothing else',
  async () => {
    expect(await scopeProblems(notifications, READING, OWN)).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'no path is another one',
  async () => {
    expect(
      await pathProblems(notifications, {
        putTopicMembers: { parameter: 'topic_id', body: { user_ids: [] } },
        changeTopicMembers: { parameter: 'topic_id', body: {} },
        putRecipient: { parameter: 'user_id', body: {} },
        saveTemplate: { parameter: 'template_id', body: TEMPLATE },
        putCategory: { parameter: 'category_id', body: { name: 'News' } },
      }),
    ).toEqual([]);
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
        registrations: async (organizationId) => {
          const request = { subscription: notifications.outside.subscribe() };
          const made = await (await as(organizationId)).post('/v1/push/registrations', request).expect(201);
          return (made.body as { sub_id: string }).sub_id;
        },
        templates: async (organizationId) => {
          const id = `t-${(templates += 1)}`;
          await (await as(organizationId)).put(`/v1/templates/${id}`, TEMPLATE).expect(201);
          return id;
        },
        recipients: async (organizationId) => {
          const id = notifications.deps.ids('usr');
          await (await as(organizationId)).put(`/v1/recipients/${id}`, {}).expect(201);
          return id;
        },
        topics: async (organizationId) => {
          const id = notifications.deps.ids('top');
          await (await as(organizationId)).put(`/v1/topics/${id}/members`, { user_ids: ['ann'] }).expect(200);
          return id;
        },
        categories: async (organizationId) => {
          const id = notifications.deps.ids('cat');
          await (await as(organizationId)).put(`/v1/categories/${id}`, { name: 'News' }).expect(201);
          return id;
        },
        'api-keys': async (organizationId) => {
          const api = await as(organizationId);
          const created = await api.post('/v1/api-keys', { name: 'x', scopes: ['read'] }).expect(201);
          return (created.body as { id: string }).id;
        },
      },
      bodies: {
        snoozeNotification: { until: null },
        putCategory: { name: 'News' },
        saveTemplate: { ...TEMPLATE, publish: false },
        publishTemplate: { version: 1 },
        putTopicMembers: { user_ids: [] },
      },
      makers: ['putRecipient', 'putCategory', 'saveTemplate', 'putTopicMembers', 'changeTopicMembers'],
    });
    expect(problems).toEqual([]);
  },
  PATIENCE_MS,
);
