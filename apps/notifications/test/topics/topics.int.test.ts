// Topics over HTTP: their members, and sends to them.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@parley/testing';
import { readBody } from '../service.ts';
import { startPush, type PushUnderTest } from '../push/push.ts';

let service: PushUnderTest;
let home: string;
let organization = '';
let counter = 0;
let api: ReturnType<PushUnderTest['as']>;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'parley-mail-'));
  service = await startPush({
    env: { EMAIL_CAPTURE_DIR: home, PUBLIC_URL: 'https://notify.acme.example' },
  });
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

const members = (user_ids: string[]) => api.put('/v1/topics/team/members', { user_ids });
interface Topic {
  status: string;
  targeted: number;
  accepted: number;
  suppressed: number;
  unreachable: number;
  last_reason: string | null;
}
const readTopic = async (id: string) =>
  ((await readBody(api.get(`/v1/notify/${id}`).expect(200))) as { topic: Topic }).topic;
async function sendTo(body: object): Promise<{ id: string; topic: Topic }> {
  const accepted = await readBody(api.post('/v1/notify', { message: 'To all.', ...body }).expect(202));
  const { notification_id: id } = accepted as { notification_id: string };
  await eventually(async () => !['queued', 'sending'].includes((await readTopic(id)).status));
  return { id, topic: await readTopic(id) };
}
const listInbox = async (user: string) =>
  ((await readBody(api.get(`/v1/notifications?user_id=${user}`).expect(200))) as { items: object[] }).items;

describe('members', () => {
  test('are replaced as a whole, or added and removed; the topic counts them', async () => {
    expect(await readBody(members(['ann', 'ben', 'ann']).expect(200))).toMatchObject({
      topic_id: 'team',
      members: 2,
    });
    expect(await readBody(members(['ben', 'cleo']).expect(200))).toMatchObject({ members: 2 });
    const changed = api.post('/v1/topics/team/members', {
      add: ['dan', 'ben', 'eve'],
      remove: ['cleo', 'nobody', 'eve'],
    });
    expect(await readBody(changed.expect(200))).toMatchObject({ members: 2 });
    const page = async (query: string) =>
      (await readBody(api.get(`/v1/topics/team/members${query}`).expect(200))) as {
        items: { user_id: string }[];
        next_cursor: string | null;
      };
    const first = await page('?limit=1');
    const rest = await page(`?cursor=${first.next_cursor}`);
    expect([...first.items, ...rest.items].map(({ user_id }) => user_id)).toEqual(['ben', 'dan']);
    expect(await readBody(api.get('/v1/topics').expect(200))).toMatchObject({
      items: [{ topic_id: 'team', members: 2 }],
    });
    await api.put('/v1/recipients/dan', {}).expect(201);
    await api.delete('/v1/recipients/dan').expect(204);
    expect(await readBody(api.get('/v1/topics/team').expect(200))).toMatchObject({ members: 1 });
    await api.delete('/v1/topics/team').expect(204);
    await api.get('/v1/topics/team/members').expect(404);
    await api.delete('/v1/topics/team').expect(404);
  });

  test('more than one request can name are changed with POST', async () => {
    const ids = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => `user-${from + index}`);
    await members(ids(0, 10_001)).expect(400);
    await members(ids(0, 10_000)).expect(200);
    expect(
      await readBody(api.post('/v1/topics/team/members', { add: ids(10_000, 500) }).expect(200)),
    ).toMatchObject({
      members: 10_500,
    });
    await members(['ann']).expect(409);
    await api.delete('/v1/topics/team').expect(204);
  });

  test('are limited by the plan', async () => {
    await members(['ann']).expect(200);
    await service.deps.sql('UPDATE topics SET member_count = 100000 WHERE organization_id = $1', [
      organization,
    ]);
    await api.post('/v1/topics/team/members', { add: ['ben'] }).expect(422);
    expect(await readBody(api.get('/v1/topics/team/members').expect(200))).toMatchObject({
      items: [{ user_id: 'ann' }],
    });
  });
});

describe('a send to a topic', () => {
  test('gives each member a notification on every channel that reaches them', async () => {
    await api.put('/v1/categories/news', { name: 'News' }).expect(201);
    await api.put('/v1/recipients/ann', { email: `ann-${counter}@customer.example` }).expect(201);
    await api.put('/v1/recipients/ben', { email: `ben-${counter}@customer.example` }).expect(201);
    await api.put('/v1/preferences?user_id=ben', { categories: { news: { email: false } } }).expect(200);
    await api
      .put('/v1/preferences?user_id=cleo', { categories: { news: { email: false, in_app: false } } })
      .expect(200);
    await members(['ann', 'ben', 'cleo', 'dan']).expect(200);
    const { id, topic } = await sendTo({
      subject: 'Tea',
      category: 'news',
      channels: ['email', 'in_app'],
      target: { topic_id: 'team', in_app: { url: '/tea' } },
    });
    expect(topic).toEqual({
      topic_id: 'team',
      status: 'sent',
      targeted: 4,
      accepted: 4,
      suppressed: 1,
      unreachable: 0,
      last_reason: null,
    });
    for (const user of ['ann', 'ben', 'dan'])
      expect(await listInbox(user)).toMatchObject([
        { title: 'Tea', body: 'To all.', url: '/tea', category: 'news' },
      ]);
    expect(await listInbox('cleo')).toEqual([]);
    const mails = async () => {
      const all = await Promise.all((await readdir(home)).map((name) => readFile(join(home, name), 'utf8')));
      return all.filter((mail) => mail.includes(`-${counter}@customer.example`));
    };
    await eventually(async () => (await mails()).length === 1);
    expect((await mails())[0]).toMatch(/^List-Unsubscribe:\s+</m);
    const listed = async (query: string) =>
      (
        (await readBody(api.get(`/v1/notify${query}`).expect(200))) as {
          items: { notification_id: string }[];
        }
      ).items;
    expect(await listed('')).toMatchObject([{ notification_id: id, channels: [] }]);
    expect(await listed(`?parent_id=${id}`)).toHaveLength(4);
    expect(await listed('?parent_id=')).toEqual([]);
    expect(await listed('?user_id=ben')).toMatchObject([
      { channels: [{ channel: 'email', status: 'suppressed' }, { channel: 'in_app' }] },
    ]);
  });

  test('reports members whom no channel reaches, with the reason', async () => {
    await api.put('/v1/recipients/ann', { email: 'ann@customer.example' }).expect(201);
    await members(['ann', 'nobody']).expect(200);
    const { topic } = await sendTo({ channels: ['email'], target: { topic_id: 'team' } });
    expect(topic).toMatchObject({ targeted: 2, accepted: 1, unreachable: 1 });
    expect(topic.last_reason).toContain('there is no recipient "nobody"');
  });

  test('goes to the members of that time; an empty topic sends nothing', async () => {
    await members([]).expect(200);
    expect((await sendTo({ channels: ['in_app'], target: { topic_id: 'team' } })).topic).toMatchObject({
      status: 'sent',
      targeted: 0,
    });
    await members(['ann']).expect(200);
    const soon = Date.now() / 1000 + 1;
    const sent = sendTo({ channels: ['in_app'], send_at: soon, target: { topic_id: 'team' } });
    await eventually(async () => {
      const rows = await service.deps.sql(
        'SELECT 1 FROM topic_sends WHERE organization_id = $1 AND outcome IS NULL',
        [organization],
      );
      return rows.length === 1;
    });
    await service.deps.sql(
      `INSERT INTO topic_members (organization_id, topic_id, user_id, created_at) VALUES ($1, 'team', 'late', $2)`,
      [organization, new Date(Date.now() + 60_000)],
    );
    expect((await sent).topic).toMatchObject({ status: 'sent', targeted: 1 });
    expect(await listInbox('late')).toEqual([]);
  });

  test('an Idempotency-Key makes a repetition the same send; a dry run shows a member’s notification', async () => {
    await members(['ann']).expect(200);
    const body = { channels: ['in_app', 'email'], message: 'x', target: { topic_id: 'team' } };
    const send = () =>
      readBody(api.post('/v1/notify', body).set('Idempotency-Key', `all-${counter}`).expect(202));
    const first = await send();
    expect(await send()).toEqual(first);
    expect(first).toMatchObject({ accepted_channels: ['in_app', 'email'], members: 1 });
    const preview = await readBody(api.post('/v1/notify', { ...body, dry_run: true }).expect(200));
    expect(preview).toMatchObject({ dry_run: true, members: 1, preview: { in_app: { body: 'x' } } });
    await eventually(async () => (await listInbox('ann')).length === 1);
  });

  test('canceled, it reaches nobody else, including waiting deliveries of members', async () => {
    await members(['ann']).expect(200);
    const later = Date.now() / 1000 + 3_600;
    const accepted = await readBody(
      api.post('/v1/notify', {
        message: 'x',
        channels: ['in_app'],
        send_at: later,
        target: { topic_id: 'team' },
      }),
    );
    const { notification_id: id } = accepted as { notification_id: string };
    await api.delete(`/v1/notify/${id}`).expect(200);
    expect(await readTopic(id)).toMatchObject({ status: 'canceled', targeted: 0 });
    const { id: sent } = await sendTo({ channels: ['in_app'], target: { topic_id: 'team' } });
    await api.delete(`/v1/notify/${sent}`).expect(409);
  });

  test.each<[string, object, RegExp]>([
    ['an unknown topic', { target: { topic_id: 'none' } }, /^\/target\/topic_id: is not a topic/],
    [
      'a user next to the topic',
      { target: { topic_id: 'team', user_id: 'ann' } },
      /^\/target\/topic_id: is not allowed with user_id/,
    ],
    [
      'an address for all members',
      { channels: ['email'], target: { topic_id: 'team', email: 'a@b.example' } },
      /^\/target\/email: goes to the members of the topic/,
    ],
    [
      'a webhook',
      { channels: ['webhook'], target: { topic_id: 'team', webhook: { url: 'https://a.example/' } } },
      /^\/target\/webhook: goes to the members/,
    ],
    [
      'everybody',
      { channels: ['web_push'], target: { topic_id: 'team', web_push: { broadcast: true } } },
      /^\/target\/web_push: must have exactly one/,
    ],
    [
      'a push that is too long for any member',
      { channels: ['web_push'], message: 'x'.repeat(5_000), target: { topic_id: 'team' } },
      /^\/target\/web_push: the push payload/,
    ],
    ['an unknown category', { category: 'none', target: { topic_id: 'team' } }, /^\/category: /],
    [
      'a digest',
      { digest: { key: 'x', window: 60 }, target: { topic_id: 'team' } },
      /\/digest: is not allowed in a send to a topic/,
    ],
    [
      'a callback',
      { callback_url: 'https://a.example/', target: { topic_id: 'team' } },
      /^\/callback_url: is not allowed in a send to a topic/,
    ],
    [
      'copies, and attachments by content',
      {
        channels: ['email'],
        target: {
          topic_id: 'team',
          email: { bcc: ['a@b.example'], attachments: [{ filename: 'a.txt', content: 'eA==' }] },
        },
      },
      /^\/target\/email\/bcc: is not allowed in a send to a topic.*\/target\/email\/attachments\/0\/content: must be given by its `url`/s,
    ],
    [
      'a user in a step',
      {
        steps: [{ channels: ['email'], after: 60 }],
        target: { topic_id: 'team', email: { email: 'a@b.example' } },
      },
      /^\/target\/email: /,
    ],
  ])('is refused with %s', async (_what, body, error) => {
    await members(['ann']).expect(200);
    const refused = await api.post('/v1/notify', { channels: ['in_app'], message: 'x', ...body }).expect(400);
    expect((refused.body as { error: string }).error).toMatch(error);
  });

  test('is not allowed in a bulk send', async () => {
    await members(['ann']).expect(200);
    const sends = [{ message: 'x', channels: ['in_app'], target: { topic_id: 'team' } }];
    expect(await readBody(api.post('/v1/notify/bulk', { sends }).expect(202))).toMatchObject({
      refused: 1,
      items: [{ error: '/target/topic_id: is not allowed in a bulk send' }],
    });
  });
});
