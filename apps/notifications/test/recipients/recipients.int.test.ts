// Stored recipients, and sends that name one of them.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, receiver, type Receiver } from '@parley/testing';
import { findSecrets } from '../canary.ts';
import { readBody } from '../service.ts';
import { startPush, type PushUnderTest } from '../push/push.ts';

let service: PushUnderTest;
let outside: Receiver;
let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'parley-mail-'));
  outside = await receiver();
  service = await startPush({ env: { EMAIL_CAPTURE_DIR: home } });
});
afterAll(async () => {
  await service.stop();
  await outside.close();
  await rm(home, { recursive: true });
});

const put = (user: string, body: object) => service.api.put(`/v1/recipients/${user}`, body);
const mails = async () =>
  Promise.all((await readdir(home)).map((name) => readFile(join(home, name), 'utf8')));

describe('a recipient', () => {
  const ann = {
    email: 'ann@customer.example',
    language: 'pt-br',
    time_zone: 'America/Sao_Paulo',
    attributes: { plan: 'gold', teams: ['a'] },
  };

  test('is created, read, replaced, listed and deleted', async () => {
    const made = await put('ann', ann).expect(201);
    expect(made.body).toEqual({
      ...ann,
      user_id: 'ann',
      language: 'pt-BR',
      chat_webhook: null,
      created_at: expect.any(Number),
      updated_at: expect.any(Number),
    });
    expect((await service.api.get('/v1/recipients/ann').expect(200)).body).toEqual(made.body);
    const hook = `${outside.url}/hook?token=canary-chat-token`;
    const changed = await put('ann', { chat_webhook: hook }).expect(200);
    expect(changed.body).toMatchObject({
      email: null,
      language: null,
      time_zone: null,
      attributes: {},
      chat_webhook: { host: new URL(outside.url).host, hash: expect.any(String) },
    });
    await put('ben', {}).expect(201);
    const page = (await service.api.get('/v1/recipients?limit=1').expect(200)).body as {
      items: { user_id: string }[];
      next_cursor: string;
    };
    const rest = (await service.api.get(`/v1/recipients?cursor=${page.next_cursor}`).expect(200))
      .body as typeof page;
    expect([...page.items, ...rest.items].map(({ user_id }) => user_id)).toEqual(['ann', 'ben']);
    await service.api.delete('/v1/recipients/ben').expect(204);
    await service.api.get('/v1/recipients/ben').expect(404);
    await service.api.delete('/v1/recipients/ben').expect(404);
  });

  test.each<[string, object, RegExp]>([
    ['no address', { email: 'ann' }, /^\/email: /],
    ['an internal address', { chat_webhook: 'https://10.0.0.1/' }, /^\/chat_webhook: /],
    ['no language', { language: 'english please' }, /^\/language: must be a language tag/],
    ['no time zone', { time_zone: 'Mars/Olympus' }, /^\/time_zone: must be a time zone/],
    ['too much', { attributes: { text: 'x'.repeat(9_000) } }, /^\/attributes: must have at most/],
    ['an unknown member', { phone: '1' }, /^\/phone: /],
  ])('is refused with %s', async (_what, body, error) => {
    const refused = await put('wrong', body).expect(400);
    expect((refused.body as { error: string }).error).toMatch(error);
    await service.api.get('/v1/recipients/wrong').expect(404);
  });
});

describe('a send to a recipient', () => {
  beforeAll(async () => {
    const chat_webhook = `${outside.url}/cleo?token=canary-chat-token-cleo`;
    await put('cleo', { email: 'canary-cleo@customer.example', chat_webhook }).expect(201);
  });

  const readStatus = async (id: string) =>
    (
      (await service.api.get(`/v1/notify/${id}`).expect(200)).body as {
        channels: { channel: string; status: string }[];
      }
    ).channels;

  test('reaches all of their channels at the stored addresses, which are sealed', async () => {
    await service.register({ user_id: 'cleo' });
    const body = await readBody(
      service.api
        .post('/v1/notify', { message: 'To Cleo.', target: { user_id: 'cleo', in_app: { url: '/cleo' } } })
        .expect(202),
    );
    expect(body).toEqual({
      notification_id: expect.any(String),
      accepted_channels: ['chat', 'email', 'in_app', 'web_push'],
    });
    const { notification_id: id } = body as { notification_id: string };
    await eventually(async () =>
      (await readStatus(id)).every(({ status }) => ['sent', 'delivered'].includes(status)),
    );
    expect(outside.requests.map(({ path }) => path)).toEqual(['/cleo?token=canary-chat-token-cleo']);
    expect((await mails()).filter((mail) => mail.includes('canary-cleo@customer.example'))).toHaveLength(1);
    const inbox = (await service.api.get('/v1/notifications?user_id=cleo').expect(200)).body as {
      items: { url: string }[];
    };
    expect(inbox.items).toMatchObject([{ body: 'To Cleo.', url: '/cleo' }]);
    const canaries = ['canary-chat-token-cleo', 'canary-cleo@customer.example'];
    expect(await findSecrets(service, canaries)).toEqual([]);
  });

  test('names them for one channel next to others', async () => {
    const body = await readBody(
      service.api
        .post('/v1/notify', {
          channels: ['email', 'chat'],
          message: 'x',
          target: { email: { user_id: 'cleo' }, chat: { webhook_url: `${outside.url}/team` } },
        })
        .expect(202),
    );
    expect(body).toMatchObject({ accepted_channels: ['email', 'chat'] });
  });

  test('omits channels without an address and reports it; an unknown user has the inbox', async () => {
    await put('dan', {}).expect(201);
    const of = async (user: string) =>
      (await service.api.post('/v1/notify', { message: 'x', target: { user_id: user } }).expect(202))
        .body as object;
    expect(await of('dan')).toMatchObject({
      accepted_channels: ['in_app', 'web_push'],
      rejected: [
        { channel: 'chat', reason: 'the recipient "dan" has no chat_webhook' },
        { channel: 'email', reason: 'the recipient "dan" has no email' },
      ],
    });
    expect(await of('nobody')).toMatchObject({
      rejected: [
        { channel: 'chat', reason: 'there is no recipient "nobody"' },
        { channel: 'email', reason: 'there is no recipient "nobody"' },
      ],
    });
    const refused = await service.api
      .post('/v1/notify', { channels: ['email'], message: 'x', target: { user_id: 'nobody' } })
      .expect(422);
    expect((refused.body as { error: string }).error).toContain('there is no recipient "nobody"');
  });

  test.each<[string, object, RegExp]>([
    ['neither channels nor a user', { message: 'x' }, /^\/channels: is required/],
    [
      'a webhook without its target',
      { message: 'x', channels: ['webhook'], target: { user_id: 'cleo' } },
      /^\/target\/webhook: is required/,
    ],
    [
      'two addresses of a chat',
      {
        message: 'x',
        channels: ['chat'],
        target: { chat: { user_id: 'cleo', webhook_url: 'https://chat.example/x' } },
      },
      /^\/target\/chat: must have at most one of webhook_url and user_id/,
    ],
  ])('%s is refused', async (_what, body, error) => {
    const refused = await service.api.post('/v1/notify', body).expect(400);
    expect((refused.body as { error: string }).error).toMatch(error);
  });

  test('many of them in one call are loaded together', async () => {
    const sends = ['cleo', 'dan', 'nobody'].map((user) => ({
      channels: ['email'],
      message: 'x',
      target: { user_id: user },
    }));
    const body = await readBody(service.api.post('/v1/notify/bulk', { sends }).expect(202));
    expect(body).toMatchObject({ accepted: 1, refused: 2 });
  });
});
