// An instance of every resource, and valid bodies of all operations, for tests generated from
// /openapi.json.
import { newAlert, type TenantMatrix } from '@parley/testing-services';
import { addSuppressions } from '../src/people/suppression.ts';
import { writeInAppItem } from '../src/inbox-items/write-item.ts';
import type { PushUnderTest } from './push/push.ts';

export const TEMPLATE = { default_locale: 'en', locales: [{ locale: 'en', message: 'Hello' }] };

export function createMatrix(notifications: PushUnderTest): TenantMatrix {
  let templates = 0;
  const as = async (organizationId: string) => notifications.as(await notifications.issueKey(organizationId));
  return {
    resources: {
      alerts: (organizationId) => newAlert(notifications.deps, organizationId),
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
      workflows: async (organizationId) => {
        const api = await as(organizationId);
        await api.put('/v1/templates/hello', TEMPLATE);
        const id = notifications.deps.ids('wfl');
        await api.put(`/v1/workflows/${id}`, { template: { id: 'hello' } }).expect(201);
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
      suppressions: async (organizationId) => {
        const { deps } = notifications;
        const address = `${deps.ids('usr')}@customer.example`;
        const facts = {
          reason: 'hard_bounce',
          source: 'smtp',
          detail: '5.1.1',
          notificationId: null,
        } as const;
        await addSuppressions(deps, deps.sql, organizationId, [{ address, ...facts }]);
        const listed = await (await as(organizationId)).get(`/v1/suppressions?email=${address}`).expect(200);
        return (listed.body as { items: { id: string }[] }).items[0]!.id;
      },
      'api-keys': async (organizationId) => {
        const api = await as(organizationId);
        const created = await api.post('/v1/api-keys', { name: 'x', scopes: ['read'] }).expect(201);
        return (created.body as { id: string }).id;
      },
    },
    bodies: {
      putApiKey: { name: 'x', scopes: ['read'] },
      snoozeNotification: { until: null },
      putCategory: { name: 'News' },
      saveTemplate: { ...TEMPLATE, publish: false },
      saveWorkflow: { template: { id: 'hello' } },
      publishTemplate: { version: 1 },
      publishWorkflow: { version: 1 },
      putTopicMembers: { user_ids: [] },
    },
    makers: [
      'putRecipient',
      'putCategory',
      'saveTemplate',
      'saveWorkflow',
      'putTopicMembers',
      'changeTopicMembers',
    ],
  };
}
