// Texts and times of a send to a topic for each member: templates, hours, steps, throttles.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@parley/testing';
import { readBody, startNotifications, type NotificationsUnderTest } from '../service.ts';

let service: NotificationsUnderTest;
let home: string;
let organization = '';
let counter = 0;
let api: NotificationsUnderTest['api'];
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'parley-mail-'));
  service = await startNotifications({ worker: true, env: { EMAIL_CAPTURE_DIR: home } });
});
afterAll(async () => {
  await service.stop();
  await rm(home, { recursive: true });
});
beforeEach(async () => {
  counter += 1;
  organization = `org-${counter}`;
  api = service.as(await service.issueKey(organization));
});

const members = (user_ids: string[]) => api.put('/v1/topics/team/members', { user_ids }).expect(200);
const recipient = (id: string, more: object) =>
  api.put(`/v1/recipients/${id}`, { email: `${id}@customer.example`, ...more }).expect(201);
const post = (body: object) =>
  api.post('/v1/notify', { channels: ['in_app'], target: { topic_id: 'team' }, ...body });
interface Status {
  topic: { status: string; accepted: number; unreachable: number; last_reason: string | null };
}
async function sent(body: object): Promise<Status['topic'] & { id: string }> {
  const { notification_id: id } = (await readBody(post(body).expect(202))) as { notification_id: string };
  const read = async () => (await readBody(api.get(`/v1/notify/${id}`).expect(200))) as Status;
  await eventually(async () => !['queued', 'sending'].includes((await read()).topic.status));
  return { id, ...(await read()).topic };
}
const listInbox = async (user: string) =>
  ((await readBody(api.get(`/v1/notifications?user_id=${user}`).expect(200))) as { items: object[] }).items;
/** Deliveries of the member notifications by user. */
async function listDeliveries(parent: string, channel: string) {
  const rows = await service.deps.sql<{ user: string; status: string; due: Date | null }>(
    `SELECT plan::jsonb ->> 'user_id' AS user, status, next_attempt_at AS due FROM deliveries
     JOIN notifications AS part ON part.id = notification_id WHERE parent_id = $1 AND channel = $2`,
    [parent, channel],
  );
  return new Map(rows.map((row) => [row.user, row]));
}

describe('a template', () => {
  const greeting = {
    default_locale: 'en',
    locales: [
      { locale: 'en', subject: 'Hello', message: 'Hello {{ name }}' },
      { locale: 'de', subject: 'Hallo', message: 'Hallo {{ name }}', email: { html: '<b>{{ name }}</b>' } },
    ],
  };
  const template = (data: object) => ({ template: { id: 'greeting', data } });

  test('uses each member’s language, in the version at accept time', async () => {
    await api.put('/v1/templates/greeting', greeting).expect(201);
    await recipient('ann', { language: 'de-AT' });
    await members(['ann', 'ben']);
    const soon = Date.now() / 1000 + 1;
    const sending = sent({ ...template({ name: 'all' }), send_at: soon });
    await eventually(async () => {
      const rows = await service.deps.sql('SELECT 1 FROM topic_sends WHERE organization_id = $1', [
        organization,
      ]);
      return rows.length === 1;
    });
    const changed = { default_locale: 'en', locales: [{ locale: 'en', message: 'Changed' }] };
    await api.put('/v1/templates/greeting', changed).expect(200);
    expect(await sending).toMatchObject({ status: 'sent', accepted: 2, unreachable: 0 });
    expect(await listInbox('ann')).toMatchObject([{ title: 'Hallo', body: 'Hallo all' }]);
    expect(await listInbox('ben')).toMatchObject([{ title: 'Hello', body: 'Hello all' }]);
  });

  test('is valid in every language before anything is sent', async () => {
    const [en, de] = greeting.locales;
    const more = { ...de, message: 'Hallo {{ name }} {{ more }}' };
    await api.put('/v1/templates/greeting', { ...greeting, locales: [en, more] }).expect(201);
    await members(['ann']);
    const { error } = (await readBody(post(template({ name: 'all' })).expect(400))) as { error: string };
    expect(error).toMatch(/^\/template\/data: message.*more/);
    expect(await sent({ ...template({ name: 'all' }), locale: 'en' })).toMatchObject({ accepted: 1 });
  });
});

test('quiet hours follow each member’s time zone; a member without one is reported', async () => {
  const hour = (after: number) => new Date(Date.now() + after * 3_600_000).toISOString().slice(11, 16);
  await recipient('ann', { time_zone: 'UTC' });
  await recipient('ben', { time_zone: 'Etc/GMT-12' });
  await recipient('cleo', {});
  await members(['ann', 'ben', 'cleo']);
  const { id, ...topic } = await sent({
    channels: ['email'],
    message: 'x',
    quiet_hours: { from: hour(-1), until: hour(2) },
  });
  expect(topic).toMatchObject({ accepted: 2, unreachable: 1 });
  expect(topic.last_reason).toContain('the recipient has no time zone');
  await eventually(async () => (await listDeliveries(id, 'email')).get('ben')?.status !== 'queued');
  const ann = (await listDeliveries(id, 'email')).get('ann')!;
  expect(ann.status).toBe('queued');
  expect(ann.due!.getTime()).toBeGreaterThan(Date.now() + 3_600_000);
});

test('steps follow for each member, and delay no other member', async () => {
  const users = Array.from({ length: 1_100 }, (_, index) => `user-${index}`);
  await Promise.all(['user-0', 'user-1099'].map((id) => recipient(id, {})));
  await members(users);
  const all = await sent({
    message: 'x',
    steps: [{ channels: ['in_app'], after: 3_600 }],
    channels: ['email'],
  });
  expect(all).toMatchObject({ status: 'sent', accepted: 1_100, unreachable: 0 });
  const later = await listDeliveries(all.id, 'in_app');
  expect(later.size).toBe(1_100);
  expect(later.get('user-1099')).toMatchObject({ status: 'queued' });
  expect((await listDeliveries(all.id, 'email')).size).toBe(2);
  expect(await listInbox('user-0')).toEqual([]);
  await api.delete(`/v1/notify/${all.id}`).expect(200);
});

test('a throttle applies to the whole send', async () => {
  await members(['ann']);
  const throttle = { key: 'disk full', per: 3_600 };
  expect(await sent({ message: 'x', throttle })).toMatchObject({ accepted: 1 });
  const second = await readBody(post({ message: 'x', throttle }).expect(202));
  expect(second).toEqual({
    notification_id: expect.any(String),
    accepted_channels: [],
    rejected: [{ channel: 'in_app', reason: expect.stringMatching(/^throttled until /) }],
    members: 1,
  });
  const { notification_id: id } = second as { notification_id: string };
  const read = (await readBody(api.get(`/v1/notify/${id}`).expect(200))) as object;
  expect(read).toMatchObject({ channels: [], rejected: [{ channel: 'in_app' }] });
  expect(read).not.toHaveProperty('topic');
  expect(await listInbox('ann')).toHaveLength(1);
});
