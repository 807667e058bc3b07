// Preferences over HTTP: by identity token, link and key; what they stop; and unsubscribing by RFC
// 8058.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identityToken } from '@parley/testing-services';
import { eventually } from '@parley/testing';
import { sweep } from '../work.ts';
import { readBody } from '../service.ts';
import { startPush, type PushUnderTest } from '../push/push.ts';

const PUBLIC_URL = 'https://notify.acme.example';

let service: PushUnderTest;
let home: string;
let organization = '';
let counter = 0;
let api: ReturnType<PushUnderTest['as']>;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'parley-mail-'));
  service = await startPush({ env: { EMAIL_CAPTURE_DIR: home, PUBLIC_URL: `${PUBLIC_URL}/` } });
});
afterAll(async () => {
  await service.stop();
  await rm(home, { recursive: true });
});
beforeEach(async () => {
  counter += 1;
  organization = `org-${counter}`;
  api = service.as(await service.issueKey(organization));
  await api.put('/v1/categories/news', { name: 'News & <more>', description: 'Once a week.' }).expect(201);
  await api.put('/v1/categories/alarm', { name: 'Alarms', required: true }).expect(201);
  await api.put('/v1/recipients/ann', { email: `ann-${counter}@customer.example` }).expect(201);
});

const asUser = async (sub: string) =>
  service.as(await identityToken({ organization_id: organization, sub, scope: 'read write' }));
const off = (category: string, ...channels: string[]) => ({
  categories: { [category]: Object.fromEntries(channels.map((channel) => [channel, false])) },
});
const toAnn = (category: string, more: object = {}) => ({
  message: 'Hello.',
  channels: ['email', 'in_app', 'web_push'],
  category,
  target: { user_id: 'ann' },
  ...more,
});
const send = async (body: object) =>
  (await api.post('/v1/notify', body).expect(202)).body as {
    notification_id: string;
    accepted_channels: string[];
    suppressed?: { channel: string; reason: string }[];
  };
const statuses = async (id: string) => {
  const body = await readBody(api.get(`/v1/notify/${id}`).expect(200));
  const { channels } = body as { channels: { channel: string; status: string }[] };
  return Object.fromEntries(channels.map(({ channel, status }) => [channel, status]));
};
const mailsTo = async (address: string) => {
  const all = await Promise.all((await readdir(home)).map((name) => readFile(join(home, name), 'utf8')));
  return all.filter((mail) => mail.includes(address));
};

describe('categories', () => {
  test('are listed, changed and deleted', async () => {
    await api.put('/v1/categories/alarm', { name: 'Alarm' }).expect(200);
    const body = await readBody(api.get('/v1/categories').expect(200));
    expect(body).toMatchObject({
      items: [
        { id: 'alarm', name: 'Alarm', description: null, required: false },
        { id: 'news', description: 'Once a week.' },
      ],
      next_cursor: null,
    });
    await api.delete('/v1/categories/news').expect(204);
    await api.delete('/v1/categories/news').expect(404);
    const refused = await api.post('/v1/notify', toAnn('news')).expect(400);
    expect((refused.body as { error: string }).error).toBe(
      '/category: is not a category of the organisation',
    );
  });

  test.each(['a b', '', 'x'.repeat(65)])('"%s" is not a valid name', async (id) => {
    await api.put(`/v1/categories/${encodeURIComponent(id)}`, { name: 'x' }).expect(id === '' ? 404 : 400);
  });
});

describe('preferences', () => {
  test('belong to the recipient: an identity token reads and changes only its own', async () => {
    const ann = await asUser('ann');
    expect((await ann.get('/v1/preferences').expect(200)).body).toEqual({
      user_id: 'ann',
      all: true,
      channels: { chat: true, email: true, in_app: true, web_push: true },
      categories: [
        {
          id: 'alarm',
          name: 'Alarms',
          description: null,
          required: true,
          opt_in: false,
          channels: { chat: true, email: true, in_app: true, web_push: true },
        },
        {
          id: 'news',
          name: 'News & <more>',
          description: 'Once a week.',
          required: false,
          opt_in: false,
          channels: { chat: true, email: true, in_app: true, web_push: true },
        },
      ],
    });
    const body = await readBody(ann.put('/v1/preferences', off('news', 'email', 'web_push')).expect(200));
    const channels = { chat: true, email: false, in_app: true, web_push: false };
    expect(body).toMatchObject({ categories: [{ id: 'alarm' }, { id: 'news', channels }] });
    expect((await api.get('/v1/preferences?user_id=ann').expect(200)).body).toEqual(body);
    await ann.get('/v1/preferences?user_id=ben').expect(403);
    await ann.put('/v1/preferences?user_id=ben', off('news', 'email')).expect(403);
    await api.get('/v1/preferences').expect(400);
  });

  test('are stored for users without a recipient too', async () => {
    const ben = await asUser('ben');
    await ben.put('/v1/preferences', off('news', 'in_app')).expect(200);
    const { suppressed } = await send({ ...toAnn('news'), channels: ['in_app'], target: { user_id: 'ben' } });
    expect(suppressed).toHaveLength(1);
  });

  test('refuse to switch off required and unknown categories', async () => {
    const ann = await asUser('ann');
    const refused = await ann.put('/v1/preferences', off('alarm', 'email')).expect(422);
    expect((refused.body as { error: string }).error).toBe(
      '/categories/alarm: is required and cannot be switched off',
    );
    await ann.put('/v1/preferences', { categories: { alarm: { email: true } } }).expect(200);
    await ann.put('/v1/preferences', off('other', 'email')).expect(400);
    await ann.put('/v1/preferences', off('news', 'webhook')).expect(400);
  });

  test('a link opens them without signing in until the recipient is deleted; a changed link does not', async () => {
    const body = await readBody(api.post('/v1/recipients/ann/link', {}).expect(200));
    const { link, url, page_url: page } = body as { link: string; url: string; page_url: string };
    expect(url).toBe(`${PUBLIC_URL}/v1/preferences?link=${link}`);
    expect(page).toBe(`${PUBLIC_URL}/v1/preferences/page?link=${link}`);
    const path = `${service.server.url}/v1/preferences?link=`;
    const read = await fetch(`${path}${link}`);
    expect(await read.json()).toMatchObject({ user_id: 'ann' });
    const written = await fetch(`${path}${link}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(off('news', 'chat')),
    });
    expect(written.status).toBe(200);
    const [last, replaced] = [link.at(-1)!, link.endsWith('w') ? 'A' : 'w'];
    // The next character of the alphabet decodes to the same bytes.
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const same = `${link.slice(0, -1)}${alphabet[alphabet.indexOf(last) + 1]}`;
    const other = `${link.slice(0, -1)}${replaced}`;
    for (const wrong of [same, other, link.slice(0, -10), 'x.y', '', `${link}&user_id=ben`]) {
      const refused = await fetch(`${path}${wrong}`);
      expect([wrong, [401, 403].includes(refused.status)]).toEqual([wrong, true]);
    }
    expect((await fetch(`${service.server.url}/v1/unsubscribe?link=${link}`)).status).toBe(401);
    await api.delete('/v1/recipients/ann').expect(204);
    expect((await fetch(`${path}${link}`)).status).toBe(401);
  });
});

describe('everything, a channel, and opt-in', () => {
  const stopped = async (category: string) => {
    const { suppressed = [] } = await send(toAnn(category));
    return suppressed.map(({ channel }) => channel);
  };
  const put = (body: object) => api.put('/v1/preferences?user_id=ann', body);

  test('off for everything stops all but what is required, and on again restores the choices', async () => {
    await put(off('news', 'in_app')).expect(200);
    await put({ all: false }).expect(200);
    expect(await stopped('news')).toEqual(['email', 'in_app', 'web_push']);
    expect(await stopped('alarm')).toEqual([]);
    const body = await readBody(put({ all: true }).expect(200));
    expect(body).toMatchObject({ all: true, categories: [{}, { channels: { email: true, in_app: false } }] });
    expect(await stopped('news')).toEqual(['in_app']);
  });

  test('off for a channel stops every category on it', async () => {
    const body = await readBody(put({ channels: { email: false } }).expect(200));
    expect(body).toMatchObject({ all: true, channels: { email: false, in_app: true } });
    expect(await stopped('news')).toEqual(['email']);
    expect(await stopped('alarm')).toEqual([]);
  });

  test('an opt-in category reaches nobody who has not switched it on', async () => {
    await api.put('/v1/categories/tips', { name: 'Tips', opt_in: true }).expect(201);
    expect(await stopped('tips')).toEqual(['email', 'in_app', 'web_push']);
    const stranger = { ...toAnn('tips'), channels: ['in_app'], target: { user_id: 'zoe' } };
    expect((await send(stranger)).suppressed).toEqual([
      { channel: 'in_app', reason: 'the recipient has not switched on "tips" on this channel' },
    ]);
    await put({ categories: { tips: { in_app: true, email: true } } }).expect(200);
    expect(await stopped('tips')).toEqual(['web_push']);
    await put({ categories: { tips: { email: false } } }).expect(200);
    expect(await stopped('tips')).toEqual(['email', 'web_push']);
  });

  test.each<[string, string, object]>([
    ['everything off', 'news', { all: false }],
    ['the channel off', 'news', { channels: { in_app: false } }],
    ['the opt-in taken back', 'tips', { categories: { tips: { in_app: false } } }],
  ])('a waiting delivery stops: %s', async (_what, category, change) => {
    await api.put('/v1/categories/tips', { name: 'Tips', opt_in: true }).expect(201);
    await put({ categories: { tips: { in_app: true } } }).expect(200);
    const later = { channels: ['in_app'], send_at: Date.now() / 1000 + 3_600 };
    const { notification_id: id } = await send(toAnn(category, later));
    await put(change).expect(200);
    await service.deps.sql(
      'UPDATE deliveries SET next_attempt_at = $2, next_ring_at = $2 WHERE notification_id = $1',
      [id, new Date(Date.now() - 1_000)],
    );
    await sweep(service.deps);
    await eventually(async () => (await statuses(id))['in_app'] === 'suppressed');
  });

  test.each<[string, object, RegExp]>([
    ['no change', {}, /at least one of all, channels and categories/],
    ['a webhook', { channels: { webhook: false } }, /webhook/],
    ['a text', { all: 'no' }, /\/all/],
  ])('%s is refused', async (_what, body, message) => {
    expect(JSON.stringify((await put(body).expect(400)).body)).toMatch(message);
  });

  test('a category cannot be required and opt-in', async () => {
    const refused = await api
      .put('/v1/categories/x', { name: 'X', required: true, opt_in: true })
      .expect(400);
    expect(JSON.stringify(refused.body)).toContain('/opt_in: must be false for a required category');
  });
});

describe('the hosted page', () => {
  const openPage = async () => {
    const body = await readBody(api.post('/v1/recipients/ann/link', {}).expect(200));
    return (body as { page_url: string }).page_url.replace(PUBLIC_URL, service.server.url);
  };
  /** Submits the form of the button with this name, as a browser does. */
  async function press(address: string, html: string, name: string): Promise<string> {
    const forms = html.split('<form ').slice(1);
    const form = forms.find((one) => one.includes(`aria-label="${name}"`));
    const action = /action="([^"]+)"/.exec(form ?? '')?.[1]?.replaceAll('&amp;', '&');
    const done = await fetch(new URL(action!, address), { method: 'POST' });
    expect(done.status).toBe(200);
    return done.text();
  }
  const now = async () => readBody(api.get('/v1/preferences?user_id=ann').expect(200));

  test('switches a category, a channel and everything, without a script', async () => {
    const address = await openPage();
    const shown = await fetch(address);
    expect(shown.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(shown.headers.get('referrer-policy')).toBe('no-referrer');
    let html = await shown.text();
    expect(html).toContain('<h2 dir="auto">News &amp; &lt;more&gt;</h2>');
    expect(html).toContain('<h2 dir="auto">Alarms</h2><p>Always on.</p>');
    html = await press(address, html, 'News &amp; &lt;more&gt;, E-mail: switch off');
    expect(await now()).toMatchObject({ categories: [{}, { channels: { email: false, chat: true } }] });
    html = await press(address, html, 'Chat: switch off');
    expect(await now()).toMatchObject({ channels: { chat: false, email: true } });
    html = await press(address, html, 'All notifications that are not required: switch off');
    expect(await now()).toMatchObject({ all: false });
    html = await press(address, html, 'All notifications that are not required: switch on');
    await press(address, html, 'News &amp; &lt;more&gt;, E-mail: switch on');
    expect(await now()).toMatchObject({ all: true, categories: [{}, { channels: { email: true } }] });
  });

  test('a link to unsubscribe does not open it, nor does a forged one; a required category stays on', async () => {
    const address = await openPage();
    const post = async (query: string) => (await fetch(`${address}${query}`, { method: 'POST' })).status;
    expect(await post('&category=alarm&channel=email&on=false')).toBe(422);
    expect(await post('&category=gone&channel=email&on=false')).toBe(400);
    expect(await post('&on=maybe')).toBe(400);
    expect((await fetch(address.slice(0, -1))).status).toBe(401);
    expect(await now()).toMatchObject({ all: true });
  });
});

describe('a send', () => {
  test.each<[string, string, string[], string[]]>([
    ['a switched-off channel is suppressed', 'news', ['email', 'web_push'], ['email', 'web_push']],
    [
      'all channels may be switched off',
      'news',
      ['email', 'in_app', 'web_push'],
      ['email', 'in_app', 'web_push'],
    ],
    ['another channel is not affected', 'news', ['chat'], []],
    ['another category is not affected', 'tips', ['email'], []],
  ])('%s', async (_what, category, channels, stopped) => {
    await api.put('/v1/categories/tips', { name: 'Tips' }).expect(201);
    await api.put('/v1/preferences?user_id=ann', off(category, ...channels)).expect(200);
    const { notification_id: id, accepted_channels: accepted, suppressed = [] } = await send(toAnn('news'));
    expect(suppressed.map(({ channel }) => channel)).toEqual(stopped);
    for (const { reason } of suppressed)
      expect(reason).toBe('the recipient has switched off "news" on this channel');
    expect([...accepted, ...stopped].sort()).toEqual(['email', 'in_app', 'web_push']);
    const now = await statuses(id);
    for (const channel of stopped) expect(now[channel]).toBe('suppressed');
    const listed = (await api.get('/v1/notify?status=suppressed').expect(200)).body as { items: unknown[] };
    expect(listed.items).toHaveLength(stopped.length > 0 ? 1 : 0);
    const inbox = (await api.get('/v1/notifications?user_id=ann').expect(200)).body as { items: object[] };
    expect(inbox.items).toHaveLength(stopped.includes('in_app') ? 0 : 1);
    for (const item of inbox.items) expect(item).toMatchObject({ category: 'news' });
  });

  test('a category that became required is sent in spite of earlier switches', async () => {
    await api.put('/v1/preferences?user_id=ann', off('news', 'in_app')).expect(200);
    await api.put('/v1/categories/news', { name: 'News', required: true }).expect(200);
    expect(await send({ ...toAnn('news'), channels: ['in_app'] })).not.toHaveProperty('suppressed');
  });

  test('a waiting delivery stops when its recipient switches it off', async () => {
    const later = { channels: ['in_app'], send_at: Date.now() / 1000 + 3_600 };
    const { notification_id: id } = await send(toAnn('news', later));
    await api.put('/v1/preferences?user_id=ann', off('news', 'in_app')).expect(200);
    await service.deps.sql(
      'UPDATE deliveries SET next_attempt_at = $2, next_ring_at = $2 WHERE notification_id = $1',
      [id, new Date(Date.now() - 1_000)],
    );
    await sweep(service.deps);
    await eventually(async () => (await statuses(id))['in_app'] === 'suppressed');
    expect((await api.get('/v1/notifications?user_id=ann').expect(200)).body).toMatchObject({ items: [] });
  });

  test('a send of such a category names a user on every channel that reaches people', async () => {
    const refused = await api
      .post('/v1/notify', {
        message: 'x',
        category: 'news',
        channels: ['email', 'in_app', 'web_push', 'webhook'],
        target: {
          email: 'a@b.example',
          web_push: { broadcast: true },
          webhook: { url: 'https://a.example/' },
        },
      })
      .expect(400);
    const { error } = refused.body as { error: string };
    const message = 'must name a user_id, since recipients can switch the category "news" off';
    for (const place of ['email', 'in_app', 'web_push'])
      expect(error).toContain(`/target/${place}: ${message}`);
    expect(error).not.toContain('webhook');
    const critical = { ...toAnn('alarm'), channels: ['email'], target: { email: 'a@b.example' } };
    expect(await send(critical)).toMatchObject({ accepted_channels: ['email'] });
  });
});

describe('unsubscribing (RFC 8058)', () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const ONE_CLICK = 'List-Unsubscribe=One-Click';

  /** The unfolded headers of the one mail to Ann. */
  async function headersOfMail(category: string): Promise<Record<string, string>> {
    await send({ ...toAnn(category), channels: ['email'] });
    const address = `ann-${counter}@customer.example`;
    await eventually(async () => (await mailsTo(address)).length === 1);
    const [mail] = await mailsTo(address);
    const head = mail!.split('\r\n\r\n')[0]!.replaceAll(/\r\n[ \t]+/g, ' ');
    return Object.fromEntries(head.split('\r\n').map((line) => line.split(/: (.*)/s) as [string, string]));
  }

  /** The path of the mail's link at this test's address. */
  async function linkOfMail(): Promise<string> {
    const { 'List-Unsubscribe': header } = await headersOfMail('news');
    return header!.slice(1, -1).replace(PUBLIC_URL, service.server.url);
  }
  const isOff = async () =>
    (await statuses((await send(toAnn('news'))).notification_id))['email'] === 'suppressed';

  test('§3.1: the mail has one https address, and announces one click', async () => {
    const headers = await headersOfMail('news');
    expect(headers['List-Unsubscribe']).toMatch(
      /^<https:\/\/notify\.acme\.example\/v1\/unsubscribe\?link=[\w-]+\.[\w-]{43}>$/,
    );
    expect(headers['List-Unsubscribe-Post']).toBe(ONE_CLICK);
  });

  test('mail of a required category, and mail without one, has neither', async () => {
    const headers = await headersOfMail('alarm');
    expect(Object.keys(headers).filter((name) => name.startsWith('List-'))).toEqual([]);
  });

  test('§3.2: a POST with the form, without cookie or credential, unsubscribes at once and idempotently', async () => {
    const link = await linkOfMail();
    for (let time = 0; time < 2; time += 1) {
      const done = await fetch(link, { method: 'POST', headers: form, body: ONE_CLICK, redirect: 'manual' });
      expect({ status: done.status, cookies: done.headers.getSetCookie() }).toEqual({
        status: 200,
        cookies: [],
      });
      expect(await done.text()).toContain('Unsubscribed');
    }
    expect(await isOff()).toBe(true);
    const body = await readBody(api.get('/v1/preferences?user_id=ann').expect(200));
    expect(body).toMatchObject({ categories: [{}, { channels: { email: false, in_app: true } }] });
  });

  test('§3.2: as multipart too', async () => {
    const body = new FormData();
    body.set('List-Unsubscribe', 'One-Click');
    expect((await fetch(await linkOfMail(), { method: 'POST', body })).status).toBe(200);
    expect(await isOff()).toBe(true);
  });

  test('a GET, which any program may send, shows a page that asks, and changes nothing', async () => {
    const link = await linkOfMail();
    const response = await fetch(link);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    const page = await response.text();
    expect(page).toContain('News &amp; &lt;more&gt;');
    expect(page).toContain(
      '<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click">',
    );
    expect((await fetch(link, { method: 'HEAD' })).status).toBe(200);
    expect(await isOff()).toBe(false);
  });

  test('a POST of anything else changes nothing', async () => {
    const link = await linkOfMail();
    const forged = link.replace(/.{5}$/, 'AAAAA');
    const post = async (to: string, body?: string, headers: Record<string, string> = form) =>
      (await fetch(to, { method: 'POST', headers, ...(body === undefined ? {} : { body }) })).status;
    expect(await post(link)).toBe(400);
    expect(await post(link, 'List-Unsubscribe=No')).toBe(400);
    expect(await post(link, ONE_CLICK, { 'content-type': 'text/plain' })).toBe(400);
    expect(await post(link, 'x'.repeat(5_000))).toBe(413);
    expect(await post(forged, ONE_CLICK)).toBe(401);
    expect(await post(link.split('?')[0]!, ONE_CLICK)).toBe(401);
    expect(await isOff()).toBe(false);
  });

  test('a required or deleted category leaves nothing to unsubscribe from', async () => {
    const link = await linkOfMail();
    const text = async () => (await fetch(link, { method: 'POST', headers: form, body: ONE_CLICK })).text();
    await api.put('/v1/categories/news', { name: 'News', required: true }).expect(200);
    expect(await text()).toContain('cannot be switched off');
    expect(await (await fetch(link)).text()).toContain('cannot be switched off');
    await api.delete('/v1/categories/news').expect(204);
    expect(await text()).toContain('no more messages');
  });

  test('without a public address there is no link, and the mail is not sent', async () => {
    const { config } = service.deps;
    const given = config.PUBLIC_URL;
    Object.assign(config, { PUBLIC_URL: undefined });
    const refused = await api.post('/v1/notify', { ...toAnn('news'), channels: ['email'] }).expect(422);
    Object.assign(config, { PUBLIC_URL: given });
    expect((refused.body as { error: string }).error).toContain('PUBLIC_URL');
  });
});
