// A caller that the voice API erased: notifications erase the same person
// (docs/notifications.md#erasure-of-a-person).
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createOutbox } from '@parley/jobs';
import { eventually } from '@parley/testing';
import { testMessageKeys } from '@parley/testing-services';
import { startNotifications, type NotificationsUnderTest } from '../service.ts';

let service: NotificationsUnderTest;
beforeAll(async () => {
  service = await startNotifications({ worker: true });
});
afterAll(() => service.stop());

const JANE = 'jane@acme.example';

test('recipient, inbox and suppressed address go, those of others stay, and a repeat is harmless', async () => {
  const { api, deps } = service;
  for (const user of [JANE, 'bob']) {
    await api.put(`/v1/recipients/${user}`, { email: user === JANE ? JANE : 'bob@acme.example' }).expect(201);
    const send = { channels: ['in_app'], message: 'Hello', target: { in_app: { user_id: user } } };
    await api.post('/v1/notify', send).expect(202);
  }
  await api.post('/v1/suppressions', { email: JANE, reason: 'manual' });
  const rows = async () =>
    deps.sql<{ user_id: string; place: string }>(
      `SELECT user_id, 'recipients' AS place FROM recipients UNION ALL SELECT user_id, 'inbox' FROM in_app_items ORDER BY 1, 2`,
    );
  await eventually(async () => (await rows()).length === 4);

  const voice = createOutbox({
    ...deps,
    service: 'voice-api',
    sealer: deps.queueSealer,
    messageKeys: await testMessageKeys('voice-api'),
  });
  for (let time = 0; time < 2; time += 1) {
    const payload = { user_ids: [JANE], emails: [JANE] };
    const prepared = await voice.prepare([{ contract: 'person.erased', organizationId: 'acme', payload }]);
    expect(JSON.stringify(prepared)).not.toContain('jane');
    await voice.enqueueJobs({ ids: prepared.map(({ id }) => id), rows: prepared });
    const ids = prepared.map(({ id }) => id);
    await eventually(
      async () =>
        (await deps.sql('SELECT 1 FROM inbox WHERE message_id = ANY($1::text[])', [ids])).length === 1,
    );
    expect((await rows()).map(({ user_id }) => user_id)).toEqual(['bob', 'bob']);
  }
  await api.get(`/v1/recipients/${JANE}`).expect(404);
});
