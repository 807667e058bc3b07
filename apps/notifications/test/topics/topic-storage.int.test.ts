// Storage of a send to a topic: the content once and at most 2 KB per member, while every reader,
// receiver and list gets the whole content.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@parley/testing';
import { retryDevices } from '../../src/channels/web-push/retry-devices.ts';
import { cleanContents } from '../../src/deliver/shared-content.ts';
import { readBody } from '../service.ts';
import { never } from '../work.ts';
import { startPush, type PushUnderTest } from '../push/push.ts';

const MEMBERS = 2_000;
const BYTES_PER_MEMBER = 2_048;
const DAY_MS = 24 * 60 * 60_000;

let push: PushUnderTest;
let home: string;
let api: PushUnderTest['api'];
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'parley-mail-'));
  push = await startPush({ worker: true, env: { EMAIL_CAPTURE_DIR: home } });
  api = push.api;
});
afterAll(async () => {
  await push.stop();
  await rm(home, { recursive: true });
});

const members = (count: number) =>
  api
    .put('/v1/topics/team/members', { user_ids: Array.from({ length: count }, (_, n) => `user-${n}`) })
    .expect(200);

interface Status {
  topic: { status: string; accepted: number };
}
async function sent(body: object): Promise<string> {
  const request = api.post('/v1/notify', { target: { topic_id: 'team' }, ...body });
  const { notification_id: id } = (await readBody(request.expect(202))) as { notification_id: string };
  await eventually(
    async () => ((await readBody(api.get(`/v1/notify/${id}`).expect(200))) as Status).topic.status === 'sent',
    { timeoutMs: 120_000 },
  );
  return id;
}

async function bytes(): Promise<number> {
  const [row] = await push.deps.sql<{ bytes: number }>(
    `SELECT sum(pg_total_relation_size(oid))::float8 AS bytes FROM pg_class
     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  );
  return row!.bytes;
}

const items = async (path: string) =>
  ((await readBody(api.get(path).expect(200))) as { items: object[] }).items;

// Random, so that Postgres cannot compress it.
const noise = (chars: number) =>
  Array.from({ length: chars }, () => String.fromCharCode(97 + Math.floor(Math.random() * 26))).join('');

test('a member of a large topic costs at most 2 KB, and reads the whole content', async () => {
  await members(MEMBERS);
  const message = noise(8_000);
  const content = {
    url: `/orders/${noise(200)}`,
    data: { blob: noise(30_000) },
    actions: [{ label: 'Open', url: `/go/${noise(100)}` }],
    icon: `/icons/${noise(50)}.png`,
  };
  const before = await bytes();
  const id = await sent({
    subject: 'A subject',
    message,
    channels: ['in_app'],
    target: { topic_id: 'team', in_app: content },
  });
  const perMember = ((await bytes()) - before) / MEMBERS;
  console.info(`${Math.round(perMember)} bytes for each member`);
  expect(perMember).toBeLessThan(BYTES_PER_MEMBER);
  const whole = { title: 'A subject', body: message, ...content };
  expect(await items('/v1/notifications?user_id=user-7')).toMatchObject([whole]);
  const [item] = (await items('/v1/notifications?user_id=user-1999')) as { id: string }[];
  const read = api.put(`/v1/notifications/${item!.id}/read?user_id=user-1999`);
  expect(await readBody(read.expect(200))).toMatchObject({ ...whole, status: 'read' });
  const query = `parent_id=${id}&limit=1&q=${message.slice(5_000, 5_020)}`;
  expect(await items(`/v1/notify?${query}`)).toMatchObject([{ subject: 'A subject' }]);
});

test('mail and push of a member have the whole content; its sealed part is deleted with the last attempt', async () => {
  for (const n of [0, 1, 2])
    await api.put(`/v1/recipients/user-${n}`, { email: `user-${n}@customer.example` }).expect(201);
  await members(3);
  const devices = await Promise.all([0, 1].map((n) => push.register({ user_id: `user-${n}` })));
  push.outside.always(503, devices[1]);
  const html = `<p>${noise(2_000)}</p>`;
  const id = await sent({
    subject: 'Both',
    message: noise(1_500),
    channels: ['email', 'web_push'],
    target: {
      topic_id: 'team',
      email: { html },
      web_push: { url: '/orders/7', data: { order: 7 } },
    },
  });
  const mails = async () =>
    Promise.all((await readdir(home)).map((name) => readFile(join(home, name), 'utf8')));
  await eventually(async () => (await mails()).length === 3);
  for (const mail of await mails()) expect(mail.replaceAll(/=?\r\n/g, '')).toContain(html.slice(3, 1_000));
  await eventually(() => Promise.resolve(push.outside.pushes.length >= 2));
  push.outside.always(undefined, devices[1]);
  await eventually(async () => {
    await retryDevices({ ...push.deps, push: push.deps.push! }, never);
    const reached = devices.map((device) =>
      push.outside.pushes.some((one) => one.device === push.outside.getDevice(device) && one.status === 201),
    );
    return reached.every(Boolean);
  });
  for (const { text } of push.outside.pushes)
    expect(JSON.parse(text)).toMatchObject({ title: 'Both', url: '/orders/7', data: { order: 7 } });
  await eventually(async () => (await items('/v1/push/history?user_id=user-1')).length === 1);
  expect(await items('/v1/push/history?user_id=user-1')).toMatchObject([
    { title: 'Both', url: '/orders/7', data: { order: 7 }, status: 'delivered' },
  ]);

  const { sql, clock } = push.deps;
  const content = () =>
    sql<{ sealed: string | null }>('SELECT sealed FROM shared_contents WHERE notification_id = $1', [id]);
  expect(await content()).toEqual([{ sealed: expect.any(String) }]);
  await eventually(async () => {
    await cleanContents(sql, clock(), 90);
    return (await content())[0]!.sealed === null;
  });
  await cleanContents(sql, clock() + 91 * DAY_MS, 90);
  expect(await content()).toHaveLength(1); // a step may still reference it
  await cleanContents(sql, clock() + 123 * DAY_MS, 90);
  expect(await content()).toEqual([]);
});
