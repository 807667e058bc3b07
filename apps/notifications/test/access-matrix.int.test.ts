// Every operation of /openapi.json, by every kind of caller and from another organisation. A new route is in both by itself.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  cursorProblems,
  otherTenantProblems,
  pathProblems,
  scopeProblems,
  unboundedParts,
} from '@parley/app-testkit';
import { matrixOf, TEMPLATE } from './matrix.ts';
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
  'a list refuses an invented cursor',
  async () => {
    expect(await cursorProblems(notifications, matrixOf(notifications))).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'nothing of another organisation can be seen or changed',
  async () => {
    expect(await otherTenantProblems(notifications, matrixOf(notifications))).toEqual([]);
  },
  PATIENCE_MS,
);
