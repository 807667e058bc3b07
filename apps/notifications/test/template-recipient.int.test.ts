// Templates that know their recipient: single sends, bulk, topics and digests, and the unsubscribe
// link of each mail.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, receiver } from '@parley/testing';
import { openEventStream } from './event-stream.ts';
import { readBody } from './service.ts';
import { startPush, type PushUnderTest } from './push/push.ts';

const PUBLIC_URL = 'https://notify.acme.example';

let service: PushUnderTest;
let home: string;
let api: PushUnderTest['api'];
let organization = '';
let counter = 0;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'parley-mail-'));
  service = await startPush({ env: { EMAIL_CAPTURE_DIR: home, PUBLIC_URL } });
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

interface Texts {
  message: string;
  [more: string]: unknown;
}
const save = (texts: Texts, id = 'hello') =>
  api.put(`/v1/templates/${id}`, { default_locale: 'en', locales: [{ locale: 'en', ...texts }] }).expect(201);
const recipient = (id: string, name?: string, more: object = {}) =>
  api
    .put(`/v1/recipients/${id}`, {
      email: `${id}@org-${counter}.example`,
      ...(name === undefined ? {} : { attributes: { name } }),
      ...more,
    })
    .expect(201);
const hello = (user_id: string, data: object = {}) => ({
  channels: ['in_app'],
  target: { user_id },
  template: { id: 'hello', data },
});
const refusal = async (body: object) =>
  ((await readBody(api.post('/v1/notify', body).expect(400))) as { error: string }).error;
const listBodies = async (user: string) => {
  const path = `/v1/notifications?user_id=${user}`;
  const { items } = (await readBody(api.get(path).expect(200))) as { items: { body: string }[] };
  return items.map(({ body }) => body);
};

/** Captured mails of this test, by receiver, with quoted-printable undone. */
async function mails(): Promise<Map<string, string>> {
  const all = await Promise.all((await readdir(home)).map((name) => readFile(join(home, name), 'utf8')));
  return new Map(
    all
      .map((text) => text.replaceAll(/=\r\n/g, '').replaceAll('=3D', '='))
      .flatMap((text) => {
        const to = /^To: (\S+)@org-(\d+)\.example/m.exec(text);
        return to?.[2] === String(counter) ? [[to[1]!, text] as const] : [];
      }),
  );
}
const listLinks = (mail: string) =>
  [...mail.matchAll(/v1\/unsubscribe\?link=[\w.-]+/g)].map(([link]) => link);

describe('recipient', () => {
  test('has id, attributes, language and time zone', async () => {
    const { id, attributes, language, time_zone } = {
      id: '{{ recipient.id }}',
      attributes: '{{ recipient.attributes.name }}',
      language: '{{ recipient.language }}',
      time_zone: '{{ recipient.time_zone }}',
    };
    await save({ message: [id, attributes, language, time_zone].join(' ') });
    await recipient('ada', 'Ada', { language: 'en', time_zone: 'Europe/London' });
    await api.post('/v1/notify', hello('ada')).expect(202);
    expect(await listBodies('ada')).toEqual(['ada Ada en Europe/London']);
  });

  test('of a user who is not stored has only the id', async () => {
    await save({ message: '{{ recipient.id }} {{ recipient.attributes.name | default: "you" }}' });
    await api.post('/v1/notify', hello('eve')).expect(202);
    expect(await listBodies('eve')).toEqual(['eve you']);
  });

  test.each([
    ['a missing attribute', 'Hi {{ recipient.attributes.name }}', {}],
    ['a missing language', 'Hi {{ recipient.language }}', {}],
    ['null in the data', 'Hi {{ name }}, your order', { name: null }],
    ['null inside the data', 'Hi {{ order.by }}', { order: { by: null } }],
  ])('%s is refused instead of sent as nothing', async (_what, message, data) => {
    await save({ message });
    await recipient('ada');
    expect(await refusal(hello('ada', data))).toMatch(/^\/template\/data: message.*undefined/);
    expect(await listBodies('ada')).toEqual([]);
  });

  test('null has a default', async () => {
    await save({ message: 'Hi {{ name | default: "you" }}{% if more %} more{% endif %}' });
    await api.post('/v1/notify', hello('ada', { name: null, more: null })).expect(202);
    expect(await listBodies('ada')).toEqual(['Hi you']);
  });

  test('is replaced by a recipient in the data', async () => {
    await save({ message: 'Hi {{ recipient.name }}' });
    await api.post('/v1/notify', hello('ada', { recipient: { name: 'Countess' } })).expect(202);
    expect(await listBodies('ada')).toEqual(['Hi Countess']);
  });

  test('is missing for an address', async () => {
    await save({ message: 'Hi {{ recipient.id }}' });
    const body = { channels: ['email'], target: { email: 'a@b.example' }, template: { id: 'hello' } };
    expect(await refusal(body)).toContain('undefined variable: recipient');
  });

  test('differs between the sends of a bulk call, also on a thread', async () => {
    await save({ message: '{% for n in (1..2) %}{{ recipient.attributes.name }}{{ n }} {% endfor %}' });
    await recipient('ada', 'Ada');
    await recipient('ben', 'Ben');
    await recipient('cleo');
    const sends = ['ada', 'ben', 'cleo'].map((user) => hello(user));
    const reply = await readBody(api.post('/v1/notify/bulk', { sends }).expect(202));
    expect(reply).toMatchObject({ accepted: 2, refused: 1 });
    expect((reply as { items: { error?: string }[] }).items[2]!.error).toContain('name');
    expect([await listBodies('ada'), await listBodies('ben')]).toEqual([['Ada1 Ada2 '], ['Ben1 Ben2 ']]);
  });

  test('of a digest is read when the digest is sent', async () => {
    await save({ message: 'Hi {{ recipient.attributes.name }}: {{ count }}' });
    await recipient('ada', 'Ada');
    await api
      .post('/v1/notify', { ...hello('ada'), channels: ['email'], digest: { key: 'd', window: 1 } })
      .expect(202);
    await eventually(async () => (await mails()).has('ada'));
    expect((await mails()).get('ada')).toContain('Hi Ada: 1');
  });
});

describe('a topic', () => {
  const members = (user_ids: string[]) => api.put('/v1/topics/team/members', { user_ids }).expect(200);
  const body = (more: object = {}) => ({
    channels: ['in_app'],
    target: { topic_id: 'team' },
    template: { id: 'hello', data: { order: 7 } },
    ...more,
  });
  interface Status {
    topic: { status: string; accepted: number; unreachable: number; last_reason: string | null };
  }
  async function sent(more: object = {}) {
    const { notification_id: id } = (await readBody(api.post('/v1/notify', body(more)).expect(202))) as {
      notification_id: string;
    };
    const read = async () => (await readBody(api.get(`/v1/notify/${id}`).expect(200))) as Status;
    await eventually(async () => !['queued', 'sending'].includes((await read()).topic.status));
    return { id, ...(await read()).topic };
  }

  test('names each member, on every channel; a member without the attribute is reported', async () => {
    await save({
      subject: 'For {{ recipient.attributes.name }}',
      message: 'Hi {{ recipient.attributes["name"] }}, order {{ order }}',
      email: { html: '<b>{{ recipient.attributes.name }}</b>' },
    });
    await recipient('ada', 'Ada');
    await recipient('ben', 'Ben');
    await recipient('cleo');
    await members(['ada', 'ben', 'cleo']);
    const device = service.outside.subscribe();
    await api.post('/v1/push/registrations', { subscription: device, user_id: 'ben' }).expect(201);
    const topic = await sent({ channels: ['in_app', 'email', 'web_push'] });
    expect(topic).toMatchObject({ status: 'sent', accepted: 2, unreachable: 1 });
    expect(topic.last_reason).toContain('name');
    expect(await listBodies('ada')).toEqual(['Hi Ada, order 7']);
    expect(await listBodies('ben')).toEqual(['Hi Ben, order 7']);
    await eventually(async () => (await mails()).size === 2);
    expect((await mails()).get('ben')).toContain('<b>Ben</b>');
    const name = service.outside.getDevice(device);
    const isMine = ({ device: one }: { device: string }) => one === name;
    await eventually(() => service.outside.pushes.some(isMine));
    const push = JSON.parse(service.outside.pushes.find(isMine)!.text) as object;
    expect(push).toMatchObject({ title: 'For Ben', body: 'Hi Ben, order 7' });
  });

  test('is checked and previewed with samples', async () => {
    await save({ message: 'Hi {{ recipient.attributes.name }} {{ order }}' });
    await members(['ada']);
    const preview = (await readBody(api.post('/v1/notify', body({ dry_run: true })).expect(200))) as {
      preview: { in_app: { body: string } };
    };
    expect(JSON.stringify(preview)).toContain('Hi [name] 7');
    expect(await refusal(body({ template: { id: 'hello' } }))).toContain('undefined variable: order');
  });

  test('stores a text that names nobody once', async () => {
    await save({ message: 'Order {{ order }}' });
    await members(['ada', 'ben']);
    const count = async (id: string) => {
      const sql = 'SELECT 1 FROM shared_contents WHERE notification_id = $1';
      return (await service.deps.sql(sql, [id])).length;
    };
    expect(await count((await sent()).id)).toBe(1);
    await save({ message: 'Hi {{ recipient.id }}' }, 'own');
    expect(await count((await sent({ template: { id: 'own' } })).id)).toBe(0);
    expect(await listBodies('ada')).toEqual(['Hi ada', 'Order 7']);
  });
});

describe('unsubscribe_url', () => {
  const news = { message: 'News. Enough? {{ unsubscribe_url }}' };
  const html = '<a href="{{ unsubscribe_url }}">Unsubscribe</a>';
  beforeEach(async () => {
    await api.put('/v1/categories/news', { name: 'News' }).expect(201);
  });
  const body = { channels: ['email'], category: 'news', template: { id: 'hello' } };

  test('is the recipient’s own link, in text and HTML, also for members of a topic', async () => {
    await save({ ...news, email: { html } });
    await recipient('ada');
    await recipient('ben');
    await api.put('/v1/topics/team/members', { user_ids: ['ada', 'ben'] }).expect(200);
    const sent = await readBody(
      api.post('/v1/notify', { ...body, target: { topic_id: 'team' } }).expect(202),
    );
    await eventually(async () => (await mails()).size === 2);
    const [ada, ben] = ['ada', 'ben'];
    const all = await mails();
    const links = [listLinks(all.get(ada)!), listLinks(all.get(ben)!)];
    for (const own of links) {
      expect(own.length).toBeGreaterThanOrEqual(3); // header, text, HTML
      expect(new Set(own).size).toBe(1);
    }
    expect(links[0]![0]).not.toBe(links[1]![0]);
    const page = await fetch(`${service.server.url}/${links[1]![0]}`);
    expect(await page.text()).toContain('News');
    // The link is a credential: no row has it in the clear, and the text is stored once.
    const { notification_id: id } = sent as { notification_id: string };
    const rows = await service.deps.sql<{ message: string }>(
      'SELECT message FROM shared_contents WHERE notification_id = $1',
      [id],
    );
    expect(rows).toEqual([{ message: 'News. Enough? [unsubscribe_url]' }]);
  });

  test.each<[string, object]>([
    ['an address', { target: { email: 'a@b.example' }, category: undefined }],
    ['a send without a category', { target: { user_id: 'ada' }, category: undefined }],
    ['a required category', { target: { user_id: 'ada' }, category: 'alarm' }],
  ])('is refused for %s', async (_what, more) => {
    await save(news);
    await recipient('ada');
    await api.put('/v1/categories/alarm', { name: 'Alarm', required: true }).expect(201);
    expect(await refusal({ ...body, ...more })).toMatch(/^\/template: uses unsubscribe_url, which needs/);
  });

  test('is refused where nobody is named, and in a subject', async () => {
    await save(news);
    await recipient('ada');
    const hook = { webhook: { url: 'https://example.com/hook' } };
    for (const more of [
      { channels: ['in_app'], target: {}, category: 'alarm' },
      { channels: ['webhook'], target: hook },
    ]) {
      await api.put('/v1/categories/alarm', { name: 'Alarm', required: true });
      expect(await refusal({ ...body, ...more })).toMatch(/^\/template: uses unsubscribe_url, which needs/);
    }
    await save({ message: 'x', subject: '{{ unsubscribe_url }}' }, 'subject');
    const given = { ...body, template: { id: 'subject' }, target: { user_id: 'ada' } };
    expect(await refusal(given)).toMatch(/subject.*unsubscribe_url/);
  });

  test('is shown as a placeholder where nobody receives it', async () => {
    await save({ ...news, email: { html } });
    await recipient('ada');
    const dry = { ...body, target: { user_id: 'ada' }, dry_run: true };
    expect(JSON.stringify(await readBody(api.post('/v1/notify', dry).expect(200)))).toContain(
      '[signed link]',
    );
    const preview = await readBody(api.post('/v1/templates/hello/preview', { data: {} }).expect(200));
    expect(preview).toMatchObject({
      channels: { email: { html: '<a href="[unsubscribe_url]">Unsubscribe</a>' } },
    });
  });
});

describe('links outside of mail', () => {
  const texts = { message: 'News. {{ unsubscribe_url }} or {{ preferences_url }}' };
  const stored = 'News. [unsubscribe_url] or [preferences_url]';
  const PATHS = /^News\. \S+(\/v1\/unsubscribe\?link=[\w.-]+) or \S+\/v1\/preferences\/page\?link=[\w.-]+$/;
  const body = { category: 'news', template: { id: 'hello' } };
  const isOn = async (user: string, channel: string) => {
    const path = `/v1/preferences?user_id=${user}`;
    const { categories } = (await readBody(api.get(path).expect(200))) as {
      categories: { channels: Record<string, boolean> }[];
    };
    return categories[0]!.channels[channel];
  };
  beforeEach(async () => {
    await api.put('/v1/categories/news', { name: 'News' }).expect(201);
    await save(texts);
  });

  test('of the inbox: each member of a topic has their own, and they switch the inbox off', async () => {
    await recipient('ada');
    await recipient('ben');
    await api.put('/v1/topics/team/members', { user_ids: ['ada', 'ben'] }).expect(200);
    await api.post('/v1/notify', { ...body, channels: ['in_app'], target: { topic_id: 'team' } }).expect(202);
    await eventually(async () => (await listBodies('ben')).length === 1);
    const [ada, ben] = [(await listBodies('ada'))[0]!, (await listBodies('ben'))[0]!];
    expect(ada).toMatch(PATHS);
    expect(ben).toMatch(PATHS);
    expect(ada).not.toBe(ben);
    const [, path = ''] = PATHS.exec(ada)!;
    const page = await fetch(service.server.url + path);
    expect(await page.text()).toContain('No more messages in the app of “News”?');
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    await fetch(service.server.url + path, {
      method: 'POST',
      headers: form,
      body: 'List-Unsubscribe=One-Click',
    });
    expect([await isOn('ada', 'in_app'), await isOn('ada', 'email'), await isOn('ben', 'in_app')]).toEqual([
      false,
      true,
      true,
    ]);
  });

  test('of the inbox: not for keys that only read; read, listed and streamed alike', async () => {
    await recipient('ada');
    const keys = [await service.issueKey(organization), await service.issueKey(organization, ['read'])];
    const url = `${service.server.url}/v1/notifications/stream?user_id=ada`;
    const streams = await Promise.all(
      keys.map((key) => openEventStream(url, { authorization: `Bearer ${key}` })),
    );
    await api.post('/v1/notify', { ...body, channels: ['in_app'], target: { user_id: 'ada' } }).expect(202);
    await eventually(() => streams.every((stream) => stream.of('created').length === 1));
    const [own, other] = streams.map((stream) => stream.of('created')[0]!['body']);
    expect(own).toMatch(PATHS);
    expect(other).toBe(stored);
    for (const stream of streams) stream.close();
    const list = '/v1/notifications?user_id=ada';
    const reader = service.as(keys[1]!);
    const { items } = (await readBody(reader.get(list).expect(200))) as {
      items: [{ id: string; body: string }];
    };
    expect(items[0].body).toBe(stored);
    const read = await readBody(api.put(`/v1/notifications/${items[0].id}/read?user_id=ada`, {}).expect(200));
    expect((read as { body: string; title: string }).body).toMatch(PATHS);
    expect((read as { title: string }).title).toBe('News.  or ');
    expect(await listBodies('ada')).toEqual([own]);
  });

  test('of a push and of a chat, which no row has in the clear', async () => {
    const hook = await receiver();
    await recipient('ada', undefined, { chat_webhook: `${hook.url}/hook` });
    const subscription = service.outside.subscribe();
    await api.post('/v1/push/registrations', { subscription, user_id: 'ada' }).expect(201);
    const sent = await readBody(
      api
        .post('/v1/notify', { ...body, channels: ['chat', 'web_push'], target: { user_id: 'ada' } })
        .expect(202),
    );
    const device = service.outside.getDevice(subscription);
    const arrived = () => service.outside.pushes.find((one) => one.device === device);
    await eventually(() => hook.requests.length === 1 && arrived() !== undefined);
    const chat = JSON.parse(hook.requests[0]!.body.toString()) as { text: string };
    const push = JSON.parse(arrived()!.text) as { body: string };
    expect(chat.text).toMatch(PATHS);
    expect(push.body).toMatch(PATHS);
    expect(chat.text).not.toBe(push.body);
    const { notification_id: id } = sent as { notification_id: string };
    const listRows = () =>
      service.deps.sql<{ text: string }>(
        `SELECT payload AS text FROM push_fanouts WHERE notification_id = $1
         UNION ALL SELECT plan FROM deliveries WHERE notification_id = $1`,
        [id],
      );
    await eventually(async () => (await listRows()).length === 3);
    for (const { text } of await listRows()) expect(text).not.toContain('link=');
    const history = (await readBody(api.get('/v1/push/history?user_id=ada').expect(200))) as {
      items: [{ body: string }];
    };
    expect(history.items[0].body).toBe(push.body);
    await hook.close();
  });
});

describe('preferences_url', () => {
  test('opens the recipient’s own page, and needs no category', async () => {
    await save({ message: 'Choose: {{ preferences_url }}' });
    await recipient('ada');
    await recipient('ben');
    await api.put('/v1/topics/team/members', { user_ids: ['ada', 'ben'] }).expect(200);
    const body = { channels: ['email'], template: { id: 'hello' }, target: { topic_id: 'team' } };
    await api.post('/v1/notify', body).expect(202);
    await eventually(async () => (await mails()).size === 2);
    for (const user of ['ada', 'ben']) {
      const text = (await mails()).get(user)!.replaceAll('=\r\n', '').replaceAll('=3D', '=');
      const [path] = /v1\/preferences\/page\?link=[\w.-]+/.exec(text)!;
      const page = await fetch(`${service.server.url}/${path}`);
      expect(page.status).toBe(200);
      expect(await page.text()).toContain('Notification preferences');
    }
  });

  test('is refused for an address', async () => {
    await save({ message: 'Choose: {{ preferences_url }}' });
    const body = { channels: ['email'], template: { id: 'hello' }, target: { email: 'a@b.example' } };
    expect(await refusal(body)).toMatch(/^\/template: uses preferences_url, which needs a stored recipient/);
  });
});
