// The dry run of an inbox message without a user says that it goes to every user of the
// organisation, and counts them.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { countEveryone } from '../src/accept/count-everyone.ts';
import { readBody, startNotifications, type NotificationsUnderTest } from './service.ts';

let service: NotificationsUnderTest;
let api: NotificationsUnderTest['api'];
const FACES = ['/v1/notify', '/product/v1/notifications/send'];
beforeAll(async () => {
  service = await startNotifications();
  api = service.as(await service.issueKey('crowd'));
});
afterAll(() => service.stop());

const toInbox = (more: object = {}) => ({ channels: ['in_app'], message: 'Closed on Friday.', ...more });
const dryRun = (more: object = {}, face = '/v1/notify') =>
  readBody(api.post(face, { ...toInbox(more), dry_run: true }).expect(200));

test.each(FACES)('without known users, %s says that it goes to every user', async (face) => {
  expect(await dryRun({}, face)).toMatchObject({
    everyone: { users: 0, exact: true, message: 'Goes to every user of the organisation: 0 people.' },
  });
});

test('counts a user of several tables once, and never for another organisation', async () => {
  await api.post('/v1/notify', toInbox({ target: { in_app: { user_id: 'ann' } } })).expect(202);
  await api.post('/v1/notify', toInbox({ target: { in_app: { user_id: 'ann' } } })).expect(202);
  expect(await dryRun()).toMatchObject({
    everyone: { users: 1, message: 'Goes to every user of the organisation: 1 person.' },
  });

  await api.put('/v1/topics/team/members', { user_ids: ['ann', 'ben'] }).expect(200);
  await api.put('/v1/recipients/cleo', {}).expect(201);
  await api.put('/v1/recipients/ben', {}).expect(201);
  const sent = (await readBody(api.post('/v1/notify', toInbox()).expect(202))) as { notification_id: string };
  await api.put(`/v1/notifications/iap_${sent.notification_id.slice(4)}/read?user_id=dan`, {}).expect(200);
  const others = service.as(await service.issueKey('elsewhere'));
  await others.put('/v1/recipients/eve', {}).expect(201);
  for (const face of FACES)
    expect(await dryRun({}, face)).toMatchObject({
      everyone: { users: 4, exact: true, message: 'Goes to every user of the organisation: 4 people.' },
    });
});

test('a later step counts too; a named user, a topic and other channels do not', async () => {
  const later = { steps: [{ channels: ['in_app'], after: 600 }] };
  const target = { webhook: { url: 'https://example.com/hook' } };
  expect(await dryRun({ channels: ['webhook'], target, ...later })).toHaveProperty('everyone.users', 4);
  expect(await dryRun({ channels: ['webhook'], target })).not.toHaveProperty('everyone');
  expect(await dryRun({ target: { in_app: { user_id: 'ann' } } })).not.toHaveProperty('everyone');
  expect(await dryRun({ target: { topic_id: 'team' } })).not.toHaveProperty('everyone');
});

test('writes large numbers with separators, and stops counting at a maximum', async () => {
  await service.deps.sql(
    `INSERT INTO topic_members (organization_id, topic_id, user_id, created_at)
     SELECT 'crowd', 'team', 'user ' || n, now() FROM generate_series(1, 1200) AS n`,
  );
  expect(await dryRun()).toMatchObject({
    everyone: { users: 1204, message: 'Goes to every user of the organisation: 1,204 people.' },
  });
  expect(await countEveryone(service.deps.sql, 'crowd', 1204)).toMatchObject({ users: 1204, exact: true });
  expect(await countEveryone(service.deps.sql, 'crowd', 1203)).toEqual({
    users: 1203,
    exact: false,
    message: 'Goes to every user of the organisation: more than 1,203 people.',
  });
});
