// The send operation over HTTP: accepted, refused, omitted, previewed and canceled sends on both
// faces.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { identityToken } from '@parley/testing-services';
import { setSetting } from '@parley/server/organizations';
import { eventually, receiver, type Receiver } from '@parley/testing';
import { CHAT_FORMATS, chatBody } from '../src/channels/chat/chat-formats.rules.ts';
import { readBody, startNotifications, type NotificationsUnderTest } from './service.ts';

let service: NotificationsUnderTest;
let outside: Receiver;
beforeAll(async () => {
  outside = await receiver();
  service = await startNotifications({
    worker: true,
    env: { TEST_CHAT_URL: `${outside.url}/hooks/default` },
  });
});
afterAll(async () => {
  await service.stop();
  await outside.close();
});

interface Status {
  channels: { channel: string; status: string; attempts: number; last_error_class: string | null }[];
}

const DAY_S = 86_400;
const now = () => Date.now() / 1000;

/** A request for the webhook channel, which needs no configuration. */
const toWebhook = (path: string, more: object = {}) => ({
  channels: ['webhook'],
  message: 'The kettle boils.',
  target: { webhook: { url: `${outside.url}${path}` } },
  ...more,
});

async function readStatus(id: string): Promise<Status['channels']> {
  return ((await service.api.get(`/v1/notify/${id}`).expect(200)).body as Status).channels;
}

async function settled(id: string): Promise<Status['channels']> {
  await eventually(async () =>
    (await readStatus(id)).every(({ status }) => !['queued', 'sending'].includes(status)),
  );
  return readStatus(id);
}

const readId = (reply: { body: unknown }) => (reply.body as { notification_id: string }).notification_id;

describe('accepting', () => {
  test.each(['/v1/notify', '/product/v1/notifications/send'])(
    'POST %s sends over each channel',
    async (path) => {
      const sent = await service.api
        .post(path, {
          organization_id: 'acme',
          channels: ['webhook', 'in_app', 'chat'],
          subject: 'Kitchen',
          message: 'The kettle boils.',
          target: {
            webhook: { url: `${outside.url}/generic${path}` },
            chat: { webhook_url: `${outside.url}/chat${path}` },
          },
        })
        .expect(202);
      expect(sent.body).toEqual({
        notification_id: expect.stringMatching(/^ntf_/),
        accepted_channels: ['webhook', 'in_app', 'chat'],
      });
      expect(
        (await settled(readId(sent))).map(({ channel, status, attempts }) => [channel, status, attempts]),
      ).toEqual([
        ['webhook', 'delivered', 1],
        ['in_app', 'delivered', 1],
        ['chat', 'sent', 1],
      ]);
      const log = await readBody(service.api.get(`/v1/notify/${readId(sent)}/attempts`).expect(200));
      expect((log as { items: unknown }).items).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ channel: 'webhook', outcome: 'delivered', http_status: 200 }),
          expect.objectContaining({ channel: 'chat', outcome: 'sent', http_status: 200 }),
        ]),
      );
      const requests = outside.requests.filter((request) => request.path.endsWith(path));
      const bodies = new Map(
        requests.map((request) => [request.path, JSON.parse(request.body.toString()) as object]),
      );
      expect(bodies.get(`/chat${path}`)).toEqual({ text: 'Kitchen\nThe kettle boils.' });
      expect(bodies.get(`/generic${path}`)).toEqual({
        notification_id: readId(sent),
        organization_id: 'acme',
        subject: 'Kitchen',
        message: 'The kettle boils.',
        created_at: expect.any(Number),
      });
    },
  );

  test('a missing subject is the beginning of the message, which chat does not repeat', async () => {
    const message = `${'word '.repeat(30)}end`;
    const sent = await service.api
      .post('/v1/notify', {
        channels: ['webhook', 'chat'],
        message,
        subject: '  ',
        target: { webhook: { url: `${outside.url}/s1` }, chat: { webhook_url: `${outside.url}/s2` } },
      })
      .expect(202);
    await settled(readId(sent));
    const body = (path: string) =>
      JSON.parse(outside.requests.find((request) => request.path === path)!.body.toString()) as Record<
        string,
        string
      >;
    expect(body('/s1')['subject']).toBe(message.slice(0, 80));
    expect(body('/s2')).toEqual({ text: message });
  });

  test('a webhook carries the identifiers of the request', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const sent = await service.api
      .post('/v1/notify', toWebhook('/traced'))
      .set({ 'x-request-id': 'req-7', traceparent })
      .expect(202);
    await settled(readId(sent));
    const { headers } = outside.requests.find((request) => request.path === '/traced')!;
    expect(headers).toMatchObject({ 'x-request-id': 'req-7', traceparent, 'webhook-id': readId(sent) });
    expect(headers['webhook-signature']).toBeUndefined();
  });

  test('the payload of the caller is the body, unchanged', async () => {
    for (const payload of [{ b: 1, a: [null, 'ü'] }, 'text', null, 0, []]) {
      const path = `/payload-${JSON.stringify(payload).length}`;
      const sent = await service.api
        .post(
          '/v1/notify',
          toWebhook(path, { target: { webhook: { url: `${outside.url}${path}`, payload } } }),
        )
        .expect(202);
      await settled(readId(sent));
      expect(outside.requests.find((request) => request.path === path)!.body.toString()).toBe(
        JSON.stringify(payload),
      );
    }
  });

  test.each(CHAT_FORMATS)('chat uses the format %s on request, and accepts any 2xx', async (format) => {
    outside.script(202);
    const message = 'x'.repeat(10_000);
    const sent = await service.api
      .post('/v1/notify', {
        channels: ['chat'],
        subject: 'Kitchen',
        message,
        target: { chat: { webhook_url: `${outside.url}/as-${format}`, format } },
      })
      .expect(202);
    expect(await settled(readId(sent))).toMatchObject([{ status: 'sent', attempts: 1 }]);
    const request = outside.requests.find(({ path }) => path === `/as-${format}`)!;
    expect(request.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(request.body.toString()).toBe(chatBody(format, { subject: 'Kitchen', message }));
  });

  test('an Idempotency-Key makes a repetition the same send', async () => {
    const body = toWebhook('/once');
    const send = () => service.api.post('/v1/notify', body).set('Idempotency-Key', 'kettle-1');
    const first = await send().expect(202);
    const again = await send().expect(202);
    expect(again.body).toEqual(first.body);
    expect(again.headers['idempotent-replayed']).toBe('true');
    const other = { ...body, message: 'Another one.' };
    await service.api.post('/v1/notify', other).set('Idempotency-Key', 'kettle-1').expect(422);
    await settled(readId(first));
    expect(outside.requests.filter((request) => request.path === '/once')).toHaveLength(1);
  });
});

test('openapi.json describes the send operation on both faces, with its channels', async () => {
  const body = await readBody(service.api.get('/openapi.json').expect(200));
  const { paths, components } = body as {
    paths: Record<string, object>;
    components: { schemas: Record<string, object> };
  };
  expect(Object.keys(paths)).toEqual(
    expect.arrayContaining([
      '/v1/notify',
      '/v1/notify/{id}',
      '/v1/notify/{id}/attempts',
      '/product/v1/notifications/send',
    ]),
  );
  for (const path of ['/v1/notify', '/product/v1/notifications/send'])
    expect(JSON.stringify(paths[path])).toContain('#/components/schemas/NotifyRequest');
  expect(JSON.stringify(components.schemas['NotifyRequest'])).toContain('webhook_url');
  expect(JSON.stringify(components.schemas['NotifyRequest'])).not.toContain('web_push');
});

describe('refusing', () => {
  const chat = (webhook_url: unknown, more: object = {}) => ({
    channels: ['chat'],
    message: 'x',
    target: { chat: { webhook_url, ...more } },
  });
  test.each<[string, object, RegExp]>([
    ['no channels', { message: 'x' }, /^\/channels: /],
    ['an empty list of channels', { channels: [], message: 'x' }, /^\/channels: /],
    [
      'an unknown channel',
      { channels: ['pigeon'], message: 'x' },
      /^\/channels\/0: is not a channel: must be one of chat, webhook/,
    ],
    [
      'a channel twice',
      { channels: ['in_app', 'in_app'], message: 'x' },
      /^\/channels\/1: is requested twice$/,
    ],
    ['no message', { channels: ['in_app'] }, /^\/message: /],
    ['an empty message', { channels: ['in_app'], message: '' }, /^\/message: /],
    ['a message of blanks', { channels: ['in_app'], message: ' \n\t' }, /^\/message: must not be blank/],
    ['a message too long', { channels: ['in_app'], message: 'x'.repeat(10_001) }, /^\/message: /],
    ['a subject too long', { channels: ['in_app'], message: 'x', subject: 'x'.repeat(256) }, /^\/subject: /],
    [
      'an unknown member',
      { channels: ['in_app'], message: 'x', colour: 1 },
      /^\/colour: is not a known member$/,
    ],
    ['a missing target', { channels: ['webhook'], message: 'x' }, /^\/target\/webhook: is required/],
    [
      'a target for a channel not requested',
      { channels: ['in_app'], message: 'x', target: { webhook: { url: 'https://a.example' } } },
      /^\/target\/webhook: is a target for a channel that is not requested$/,
    ],
    [
      'a target of an unknown name',
      { channels: ['in_app'], message: 'x', target: { pigeon: {} } },
      /^\/target\/pigeon: is not a known member$/,
    ],
    ['a target that is no object', { channels: ['in_app'], message: 'x', target: [] }, /^\/target: /],
    [
      'an address that is neither form',
      { channels: ['email'], message: 'x', target: { email: 7 } },
      /^\/target\/email: must be \{email\} or \{user_id\}, or an e-mail address$/,
    ],
    [
      'an unknown member of a target',
      { channels: ['in_app'], message: 'x', target: { in_app: { user: 'u' } } },
      /^\/target\/in_app\/user: is not a known member$/,
    ],
    [
      'an address inside',
      { channels: ['webhook'], message: 'x', target: { webhook: { url: 'https://10.0.0.1/' } } },
      /^\/target\/webhook\/url: /,
    ],
    ['no https', chat('http://chat.example/hook'), /^\/target\/chat\/webhook_url: must start with https/],
    ['no URL', chat('over there'), /^\/target\/chat\/webhook_url: /],
    ['an unknown format', chat('https://chat.example/hook', { format: 'irc' }), /^\/target\/chat\/format: /],
    [
      'a time in the past',
      { channels: ['in_app'], message: 'x', expires_at: 1 },
      /^\/expires_at: must be in the future/,
    ],
    [
      'a time too far ahead',
      { channels: ['in_app'], message: 'x', send_at: now() + 31 * DAY_S },
      /^\/send_at: must be at most 30 days ahead$/,
    ],
    [
      'an end before the beginning',
      { channels: ['in_app'], message: 'x', send_at: now() + 100, expires_at: now() + 50 },
      /^\/expires_at: must be after send_at$/,
    ],
  ])('%s', async (_what, body, error) => {
    const reply = await service.api.post('/v1/notify', body).expect(400);
    expect((reply.body as { error: string }).error).toMatch(error);
  });

  test('reports an address that the policy refuses together with other problems', async () => {
    const refused = await service.api
      .post('/v1/notify', {
        channels: ['webhook', 'chat'],
        message: 'x',
        subject: 7,
        target: {
          webhook: { url: 'http://10.0.0.1/in', colour: 'red' },
          chat: { webhook_url: 'ftp://chat.example' },
        },
      })
      .expect(400);
    const { error } = refused.body as { error: string };
    for (const place of [
      '/subject',
      '/target/webhook/colour',
      '/target/webhook/url',
      '/target/chat/webhook_url',
    ])
      expect(error.split('; ').filter((one) => one.startsWith(`${place}: `))).toHaveLength(1);
  });

  test('reports all problems at once, and sends nothing', async () => {
    const body = await readBody(
      service.api
        .post('/v1/notify', {
          channels: ['webhook', 'chat', 'pigeon'],
          message: 'Half right.',
          target: { chat: { webhook_url: 7 }, in_app: {} },
          send_at: 'soon',
        })
        .expect(400),
    );
    const { error } = body as { error: string };
    for (const place of [
      '/channels/2',
      '/target/webhook',
      '/target/chat/webhook_url',
      '/target/in_app',
      '/send_at',
    ])
      expect(error).toContain(`${place}: `);
    const rows = await service.deps.sql("SELECT 1 FROM notifications WHERE message = 'Half right.'");
    expect(rows).toEqual([]);
  });

  test('web_push is an unknown name while it is off', async () => {
    const refusal = async (name: string) => {
      const reply = await service.api
        .post('/v1/notify', { channels: [name], message: 'x', target: { [name]: { broadcast: true } } })
        .expect(400);
      return (reply.body as { error: string }).error.replaceAll(name, '<name>');
    };
    expect(await refusal('web_push')).toBe(await refusal('pigeon'));
  });

  test('by credential', async () => {
    const body = { channels: ['in_app'], message: 'x' };
    await service.as('nt_test_nonsense').post('/v1/notify', body).expect(401);
    await service
      .as(await service.issueKey('acme', ['read']))
      .post('/v1/notify', body)
      .expect(403);
    await service.api.post('/v1/notify', { ...body, organization_id: 'globex' }).expect(403);
    const token = (claims: object) => identityToken({ organization_id: 'acme', ...claims });
    const endUser = service.as(await token({ sub: 'ada', scope: 'read write delete' }));
    const refused = await endUser.post('/v1/notify', body).expect(403);
    expect((refused.body as { error: string }).error).toMatch(/end user cannot call this/);
    const sent = await readBody(service.api.post('/v1/notify', body).expect(202));
    const id = (sent as { notification_id: string }).notification_id;
    await endUser.get(`/v1/notify/${id}`).expect(403);
    await endUser.get(`/v1/notify/${id}/attempts`).expect(403);
    await endUser.delete(`/v1/notify/${id}`).expect(403);
    await service
      .as(await token({ sub: 'ops', scope: 'admin' }))
      .post('/v1/notify', body)
      .expect(202);
    await service
      .as(await token({ sub: 'ops', scope: 'admin' }))
      .post('/product/v1/notifications/send', body)
      .expect(401);
  });

  test('another organisation sees nothing of it', async () => {
    const sent = await service.api.post('/v1/notify', toWebhook('/mine')).expect(202);
    const globex = service.as(await service.issueKey('globex'));
    for (const id of [readId(sent), 'ntf_none']) {
      await globex.get(`/v1/notify/${id}`).expect(404);
      await globex.get(`/v1/notify/${id}/attempts`).expect(404);
      await globex.delete(`/v1/notify/${id}`).expect(404);
    }
  });
});

describe('a missing configuration', () => {
  const chatAndInbox = { channels: ['chat', 'in_app'], message: 'Soup.' };

  test('omits a channel with the reason', async () => {
    const body = await readBody(service.api.post('/v1/notify', chatAndInbox).expect(202));
    const rejected = [{ channel: 'chat', reason: expect.stringContaining('chat_webhook_url') }];
    expect(body).toMatchObject({ accepted_channels: ['in_app'], rejected });
    const status = await service.api.get(`/v1/notify/${readId({ body })}`).expect(200);
    expect(status.body).toMatchObject({ rejected, channels: [{ channel: 'in_app', status: 'delivered' }] });
  });

  test('is 422 when no channel is left', async () => {
    const body = await readBody(
      service.api.post('/v1/notify', { channels: ['chat'], message: 'Soup.' }).expect(422),
    );
    expect((body as { error: string }).error).toMatch(/^chat: no webhook_url was given/);
  });

  test('is resolved as soon as the operator sets it', async () => {
    await setSetting(
      service.deps.sql,
      'set-up',
      'chat_webhook_url',
      { reference: 'env://TEST_CHAT_URL' },
      service.deps.clock(),
    );
    const api = service.as(await service.issueKey('set-up'));
    const sent = await api.post('/v1/notify', chatAndInbox).expect(202);
    expect(sent.body).toMatchObject({ accepted_channels: ['chat', 'in_app'] });
    await eventually(() => outside.requests.some((request) => request.path === '/hooks/default'));
  });
});

describe('a dry run', () => {
  test('shows exactly what would be sent, and sends nothing', async () => {
    const before = outside.requests.length;
    const reply = await service
      .as(await service.issueKey('set-up'))
      .post('/v1/notify', {
        channels: ['chat', 'webhook', 'in_app'],
        subject: 'Kitchen',
        message: 'The kettle boils.',
        target: {
          chat: { webhook_url: 'https://discord.com/api/webhooks/123/canary-token' },
          webhook: { url: 'https://receiver.example/?token=canary-token', payload: { a: 1 } },
          in_app: { user_id: 'ada' },
        },
        dry_run: true,
      })
      .expect(200);
    expect(reply.body).toEqual({
      dry_run: true,
      accepted_channels: ['chat', 'webhook', 'in_app'],
      preview: {
        chat: {
          webhook_url: { host: 'discord.com', hash: expect.stringMatching(/^[0-9a-f]{16}$/) },
          format: 'discord',
          body: { content: '**Kitchen**\nThe kettle boils.', allowed_mentions: { parse: [] } },
        },
        webhook: {
          url: { host: 'receiver.example', hash: expect.stringMatching(/^[0-9a-f]{16}$/) },
          body: { a: 1 },
          signed: false,
        },
        in_app: { user_id: 'ada', title: 'Kitchen', body: 'The kettle boils.' },
      },
    });
    expect(reply.text).not.toContain('canary-token');
    expect(outside.requests).toHaveLength(before);
    expect(
      await service.deps.sql(
        "SELECT 1 FROM notifications WHERE organization_id = 'set-up' AND subject = 'Kitchen'",
      ),
    ).toEqual([]);
  });

  test('shows the reference of the default address, not the address', async () => {
    const reply = await service
      .as(await service.issueKey('set-up'))
      .post('/product/v1/notifications/send', { channels: ['chat'], message: 'x', dry_run: true })
      .expect(200);
    expect(reply.body).toMatchObject({
      preview: {
        chat: { secret_reference: 'env://TEST_CHAT_URL', webhook_url: { host: `127.0.0.1:${outside.port}` } },
      },
    });
    expect(reply.text).not.toContain('/hooks/default');
  });
});

describe('time', () => {
  test('a scheduled send waits for its time, in-app included, and can be canceled until then', async () => {
    const inAnHour = now() + 3_600;
    const body = {
      channels: ['webhook', 'in_app'],
      message: 'Later.',
      target: { webhook: { url: `${outside.url}/later` } },
    };
    const soon = await service.api.post('/v1/notify', { ...body, send_at: inAnHour }).expect(202);
    const never = await service.api
      .post('/v1/notify', { ...body, message: 'Never.', send_at: inAnHour })
      .expect(202);
    expect((await readStatus(readId(soon))).map(({ status }) => status)).toEqual(['queued', 'queued']);
    // No job exists before its time.
    const rings = await service.deps.sql<{ early: boolean }>(
      `SELECT next_ring_at <> send_at OR next_attempt_at <> send_at AS early FROM deliveries JOIN notifications ON notifications.id = notification_id
       WHERE notification_id = ANY($1)`,
      [[readId(soon), readId(never)]],
    );
    expect(rings).toEqual(Array(4).fill({ early: false }));
    expect(
      await service.deps.sql('SELECT 1 FROM in_app_items WHERE notification_id = $1', [readId(soon)]),
    ).toEqual([]);

    const canceled = await service.api.delete(`/v1/notify/${readId(never)}`).expect(200);
    expect(canceled.body).toMatchObject({
      canceled_at: expect.any(Number),
      channels: [{ status: 'canceled' }, { status: 'canceled' }],
    });
    expect((await service.api.delete(`/v1/notify/${readId(never)}`).expect(200)).body).toEqual(canceled.body);

    // An hour passes.
    await service.deps.sql(
      'UPDATE deliveries SET next_attempt_at = now(), next_ring_at = now() WHERE notification_id = $1',
      [readId(soon)],
    );
    const ended = await settled(readId(soon));
    expect(ended.map(({ channel, status }) => [channel, status])).toEqual([
      ['webhook', 'delivered'],
      ['in_app', 'delivered'],
    ]);
    expect(
      await service.deps.sql('SELECT body FROM in_app_items WHERE notification_id = $1', [readId(soon)]),
    ).toEqual([{ body: 'Later.' }]);
    const bodies = outside.requests
      .filter(({ path }) => path === '/later')
      .map((request) => request.body.toString());
    expect(bodies).toHaveLength(1);
    await service.api.delete(`/v1/notify/${readId(soon)}`).expect(409);
  });

  test('canceling keeps what is sent and ends what is still being retried', async () => {
    const failing = await receiver({ fallback: { status: 503, headers: { 'retry-after': '600' } } });
    const sent = await service.api
      .post('/v1/notify', {
        channels: ['in_app', 'webhook'],
        message: 'Half.',
        target: { webhook: { url: failing.url } },
      })
      .expect(202);
    await failing.received(1);
    await eventually(async () => (await readStatus(readId(sent)))[1]?.last_error_class === 'http_status');
    const body = await readBody(service.api.delete(`/v1/notify/${readId(sent)}`).expect(200));
    expect(body).toMatchObject({ channels: [{ status: 'delivered' }, { status: 'canceled', attempts: 1 }] });
    await failing.close();
  });

  test('a send that expires before its retry is expired', async () => {
    const failing = await receiver({ fallback: { status: 429, headers: { 'retry-after': '60' } } });
    const sent = await service.api
      .post('/v1/notify', {
        ...toWebhook(''),
        target: { webhook: { url: failing.url } },
        expires_at: now() + 20,
      })
      .expect(202);
    expect(await settled(readId(sent))).toMatchObject([
      { status: 'expired', attempts: 1, last_error_class: 'http_status' },
    ]);
    await failing.close();
  });
});

describe('the list of notifications', () => {
  const list = async (query: string, api = service.api) =>
    (await api.get(`/v1/notify?${query}`).expect(200)).body as {
      items: { notification_id: string; subject: string; channels: { channel: string; status: string }[] }[];
      next_cursor: string | null;
    };
  const ids = ({ items }: Awaited<ReturnType<typeof list>>) => items.map((item) => item.notification_id);
  let sent: string;
  let inApp: string;
  beforeAll(async () => {
    sent = readId(
      await service.api.post('/v1/notify', toWebhook('/listed', { subject: 'Zebra 100%_' })).expect(202),
    );
    await settled(sent);
    inApp = readId(
      await service.api
        .post('/v1/notify', {
          channels: ['in_app'],
          subject: 'Zebra at home',
          message: 'x',
          target: { in_app: { user_id: 'zoe' } },
        })
        .expect(202),
    );
  });

  test('newest first, each with its channels', async () => {
    const { items } = await list('q=zebra');
    expect(items).toMatchObject([
      { notification_id: inApp, subject: 'Zebra at home', source: 'api', channels: [{ channel: 'in_app' }] },
      { notification_id: sent, channels: [{ channel: 'webhook', status: 'delivered' }] },
    ]);
  });

  test('a page continues after the previous one', async () => {
    const first = await list('q=zebra&limit=1');
    expect(ids(first)).toEqual([inApp]);
    expect(ids(await list(`q=zebra&limit=1&cursor=${first.next_cursor}`))).toEqual([sent]);
  });

  test.each([
    ['channel=webhook', () => [sent]],
    ['user_id=zoe', () => [inApp]],
    ['status=delivered&channel=webhook', () => [sent]],
    ['status=failed', () => []],
    [`q=${encodeURIComponent('100%_')}`, () => [sent]],
    ['since=4000000000', () => []],
    ['since=1000000000', () => [inApp, sent]],
  ])('%s', async (query, expected) => {
    const q = query.startsWith('q=') ? '' : '&q=zebra';
    expect(ids(await list(`${query}${q}`))).toEqual(expected());
  });

  test('another organisation sees nothing; invalid parameters are 400', async () => {
    const other = service.as(await service.issueKey('globex'));
    expect((await list('', other)).items).toEqual([]);
    for (const query of ['status=odd', 'limit=0', 'cursor=x', 'since=x', 'nonsense=1'])
      await service.api.get(`/v1/notify?${query}`).expect(400);
  });
});
