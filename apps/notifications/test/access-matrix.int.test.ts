// Calls every operation of /openapi.json as every kind of caller and from another organisation. New
// routes are included automatically.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  cursorProblems,
  otherTenantProblems,
  pathProblems,
  RIVAL,
  scopeProblems,
  unboundedParts,
} from '@parley/testing-services';
import { createMatrix, TEMPLATE } from './matrix.ts';
import { startPush, type PushUnderTest } from './push/push.ts';

/** Time for hundreds of sequential requests. */
const PATIENCE_MS = 120_000;

let notifications: PushUnderTest;
beforeAll(async () => {
  notifications = await startPush({ worker: false });
});
afterAll(() => notifications.stop());

/** POST operations that only need the read scope. */
const READING = {
  makeStreamTicket: 'read',
  previewTemplate: 'read',
  previewTemplateDraft: 'read',
} as const;

/** A user's own data: inbox, devices and history (docs/platform.md#tenants). */
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

test('every request member has a limit', async () => {
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
  'no two operations share a path',
  async () => {
    expect(
      await pathProblems(notifications, {
        putTopicMembers: { parameter: 'topic_id', body: { user_ids: [] } },
        changeTopicMembers: { parameter: 'topic_id', body: {} },
        putRecipient: { parameter: 'user_id', body: {} },
        saveTemplate: { parameter: 'template_id', body: TEMPLATE },
        saveWorkflow: { parameter: 'workflow_id', body: { template: { id: 'hello' } } },
        putCategory: { parameter: 'category_id', body: { name: 'News' } },
      }),
    ).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'a list refuses an invented cursor',
  async () => {
    expect(await cursorProblems(notifications, createMatrix(notifications))).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'another organisation cannot see or change anything',
  async () => {
    // A workflow names a template of its own organisation.
    const rival = notifications.as(await notifications.issueKey(RIVAL));
    await rival.put('/v1/templates/hello', TEMPLATE).expect(201);
    expect(await otherTenantProblems(notifications, createMatrix(notifications))).toEqual([]);
  },
  PATIENCE_MS,
);
