// Templates over HTTP: versions and the publish pointer, languages, previews, and sends with a
// template.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { setSetting } from '@parley/server/organizations';
import { eventually, fakeSendGrid, type FakeSendGrid } from '@parley/testing';
import { readBody } from './service.ts';
import { startPush, type PushUnderTest } from './push/push.ts';

let service: PushUnderTest;
let sendgrid: FakeSendGrid;
let api: ReturnType<PushUnderTest['as']>;
let organization = '';
let counter = 0;

beforeAll(async () => {
  sendgrid = await fakeSendGrid();
  service = await startPush({ env: { SENDGRID_BASE_URL: sendgrid.url, TEST_SENDGRID: 'SG.key' } });
});
afterAll(async () => {
  await service.stop();
  await sendgrid.close();
});
beforeEach(async () => {
  counter += 1;
  organization = `org-${counter}`;
  api = service.as(await service.issueKey(organization));
});
afterEach(() => {
  sendgrid.mails.length = 0;
});

const order = {
  default_locale: 'en',
  locales: [
    {
      locale: 'en',
      subject: 'Order {{ number }}',
      message: 'Your order {{ number }} is on its way, {{ name }}.',
      email: { text: 'Dear {{ name }},\norder {{ number }} left.', html: '<p>Dear {{ name }}</p>' },
      web_push: { title: 'On its way', body: 'Order {{ number }}' },
    },
    { locale: 'de', message: 'Bestellung {{ number }} ist unterwegs, {{ name }}.' },
  ],
};
const data = { number: 7, name: 'Ann & Bob' };

const save = (given: object = order, id = 'order') => api.put(`/v1/templates/${id}`, given);

describe('versions', () => {
  test('publishes the first version, keeps it for equal content, and leaves a draft unpublished', async () => {
    expect((await save().expect(201)).body).toMatchObject({
      template_id: 'order',
      version: 1,
      latest_version: 1,
      published_version: 1,
    });
    expect((await save().expect(200)).body).toMatchObject({ version: 1, latest_version: 1 });
    const changed = { ...order, locales: [{ locale: 'en', message: 'v2' }] };
    expect((await save({ ...changed, publish: false }).expect(200)).body).toMatchObject({
      version: 2,
      published_version: 1,
    });
    expect(await readBody(api.get('/v1/templates/order').expect(200))).toMatchObject({
      version: 1,
      locales: order.locales,
    });
    expect(await readBody(api.get('/v1/templates/order?version=2').expect(200))).toMatchObject({
      version: 2,
      locales: [{ locale: 'en', message: 'v2' }],
    });
    await api.post('/v1/templates/order/publish', { version: 3 }).expect(404);
    expect((await api.post('/v1/templates/order/publish', { version: 2 }).expect(200)).body).toMatchObject({
      published_version: 2,
    });
    expect(await readBody(api.get('/v1/templates').expect(200))).toMatchObject({
      items: [{ template_id: 'order', latest_version: 2, published_version: 2 }],
      next_cursor: null,
    });
  });

  test('concurrent saves create consecutive versions', async () => {
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        save({ default_locale: 'en', locales: [{ locale: 'en', message: `v${index}` }] }),
      ),
    );
    expect(await readBody(api.get('/v1/templates/order').expect(200))).toMatchObject({ latest_version: 8 });
  });

  test('a list pages by id; deleting removes all versions', async () => {
    for (const id of ['a', 'b', 'c']) await save(order, id).expect(201);
    const first = (await readBody(api.get('/v1/templates?limit=2'))) as {
      next_cursor: string;
      items: object[];
    };
    expect(first.items).toMatchObject([{ template_id: 'a' }, { template_id: 'b' }]);
    expect(await readBody(api.get(`/v1/templates?cursor=${first.next_cursor}`))).toMatchObject({
      items: [{ template_id: 'c' }],
    });
    await api.delete('/v1/templates/b').expect(204);
    await api.delete('/v1/templates/b').expect(404);
    await api.get('/v1/templates/b?version=1').expect(404);
  });

  test('reports every invalid part, and stores nothing', async () => {
    const reply = await save({
      default_locale: 'fr',
      locales: [{ locale: 'en', message: '{{ a', email: { html: '{% include "x" %}' } }],
    }).expect(400);
    expect((reply.body as { error: string }).error).toContain('/default_locale');
    const parts = await save({
      default_locale: 'en',
      locales: [
        { locale: 'en', message: '{{ a', email: { html: '{% include "x" %}' } },
        { locale: 'DE', message: 'x', chat: { text: '{{ a | nothing }}' } },
      ],
    }).expect(400);
    const { error } = parts.body as { error: string };
    for (const path of ['/locales/0/message', '/locales/0/email/html', '/locales/1/chat/text'])
      expect(error).toContain(path);
    const twice = { default_locale: 'en', locales: ['en', 'EN'].map((locale) => ({ locale, message: 'x' })) };
    expect((await save(twice).expect(400)).text).toContain('is a duplicate');
    await api.get('/v1/templates/order').expect(404);
  });
});

describe('a preview', () => {
  test('shows each channel’s texts in the matching language', async () => {
    await save();
    expect((await api.post('/v1/templates/order/preview', { data }).expect(200)).body).toMatchObject({
      version: 1,
      locale: 'en',
      channels: {
        email: {
          subject: 'Order 7',
          message: 'Dear Ann & Bob,\norder 7 left.',
          html: '<p>Dear Ann &amp; Bob</p>',
        },
        web_push: { subject: 'On its way', message: 'Order 7' },
        chat: { subject: 'Order 7', message: 'Your order 7 is on its way, Ann & Bob.' },
      },
    });
    for (const [locale, expected] of [
      ['de-AT', 'de'],
      ['DE', 'de'],
      ['fr', 'en'],
    ])
      expect(
        (await api.post('/v1/templates/order/preview', { data, locale }).expect(200)).body,
      ).toMatchObject({
        locale: expected,
      });
  });

  test('422 names missing data; an unknown template is 404', async () => {
    await save();
    const reply = await api.post('/v1/templates/order/preview', { data: { number: 1 } }).expect(422);
    expect((reply.body as { error: string }).error).toContain('undefined variable: name');
    await api.post('/v1/templates/other/preview', {}).expect(404);
    await api.post('/v1/templates/order/preview', { version: 2 }).expect(404);
  });
});

describe('a preview of an unsaved template', () => {
  const preview = (body: object) => api.post('/v1/templates/preview', body);
  const draft = {
    default_locale: 'en',
    locales: [
      { locale: 'en', message: 'Hello {{ name }}', email: { html: '<p>{{ name }}</p>' } },
      { locale: 'de', subject: 'Post', message: 'Hallo {{ name }}' },
    ],
  };

  test('shows each channel’s texts, and stores nothing', async () => {
    const name = 'Ann & Bob';
    const response = await preview({ ...draft, data: { name } }).expect(200);
    expect(response.body).toMatchObject({
      locale: 'en',
      channels: {
        email: { subject: 'Hello Ann & Bob', message: 'Ann & Bob', html: '<p>Ann &amp; Bob</p>' },
        chat: { message: 'Hello Ann & Bob' },
      },
    });
    expect(response.body).not.toHaveProperty('version');
    expect((await preview({ ...draft, data: { name }, locale: 'de-AT' }).expect(200)).body).toMatchObject({
      locale: 'de',
      channels: { chat: { subject: 'Post', message: 'Hallo Ann & Bob' } },
    });
    expect((await api.get('/v1/templates').expect(200)).body).toMatchObject({ items: [] });
  });

  test('is refused like saving and rendering', async () => {
    const broken = { ...draft, default_locale: 'fr' };
    expect((await preview(broken).expect(400)).text).toContain('/default_locale');
    const locales = [{ locale: 'en', message: '{{ a', email: { html: '{% include "x" %}' } }];
    const { text } = await preview({ ...draft, locales }).expect(400);
    for (const path of ['/locales/0/message', '/locales/0/email/html']) expect(text).toContain(path);
    expect((await preview(draft).expect(422)).text).toContain('undefined variable: name');
    const much = { items: Array.from({ length: 1_000 }, (_, index) => index) };
    const loop = '{% for a in items %}{% for b in items %}{{ b }}{% endfor %}{% endfor %}';
    const long = { ...draft, locales: [{ locale: 'en', message: loop }], data: much };
    expect((await preview(long).expect(422)).text).toMatch(/steps|too much|longer/);
    const large = { ...draft, data: { name: 'x'.repeat(33_000) } };
    await preview(large).expect(400);
  });
});

describe('a send', () => {
  const request = {
    channels: ['email', 'in_app'],
    template: { id: 'order', data },
    target: { email: { email: 'ann@customer.example' }, in_app: { user_id: 'ann' } },
  };
  beforeEach(async () => {
    const now = Date.now();
    await setSetting(service.deps.sql, organization, 'email_from', { value: 'a@acme.example' }, now);
    await setSetting(
      service.deps.sql,
      organization,
      'sendgrid_api_key',
      { reference: 'env://TEST_SENDGRID' },
      now,
    );
  });

  test('sends the published version’s texts on each channel', async () => {
    await save();
    await save({ default_locale: 'en', locales: [{ locale: 'en', message: 'draft' }], publish: false });
    await api.post('/v1/notify', request).expect(202);
    await eventually(() => sendgrid.mails.length === 1);
    expect(sendgrid.mails[0]).toMatchObject({
      subject: 'Order 7',
      content: [
        { type: 'text/plain', value: 'Dear Ann & Bob,\norder 7 left.' },
        { type: 'text/html', value: '<p>Dear Ann &amp; Bob</p>' },
      ],
    });
    expect(await readBody(api.get('/v1/notifications?user_id=ann'))).toMatchObject({
      items: [{ title: 'Order 7', body: 'Your order 7 is on its way, Ann & Bob.' }],
    });
    expect(await readBody(api.get('/v1/notify'))).toMatchObject({ items: [{ subject: 'Order 7' }] });
  });

  test('in its language, with its version, and later', async () => {
    await save();
    await save({ ...order, locales: [{ locale: 'en', message: 'Version two for {{ name }}.' }] });
    const later = { send_at: Date.now() / 1000 + 1 };
    await api
      .post('/v1/notify', {
        ...request,
        template: { ...request.template, version: 1 },
        locale: 'de-CH',
        ...later,
      })
      .expect(202);
    await eventually(() => sendgrid.mails.length === 1);
    expect(sendgrid.mails[0]).toMatchObject({
      subject: 'Bestellung 7 ist unterwegs, Ann & Bob.',
      content: [{ type: 'text/plain', value: 'Bestellung 7 ist unterwegs, Ann & Bob.' }],
    });
    await eventually(async () => {
      const { items } = (await readBody(api.get('/v1/notifications?user_id=ann'))) as {
        items: { body: string }[];
      };
      return items[0]?.body === 'Bestellung 7 ist unterwegs, Ann & Bob.';
    });
  });

  test('in the recipient’s language, unless it names another', async () => {
    await save();
    await api.put('/v1/recipients/ann', { email: 'ann@customer.example', language: 'de' }).expect(201);
    const toAnn = { ...request, target: { email: { user_id: 'ann' }, in_app: { user_id: 'ann' } } };
    await api.post('/v1/notify', toAnn).expect(202);
    await api.post('/v1/notify', { ...toAnn, locale: 'en' }).expect(202);
    await eventually(() => sendgrid.mails.length === 2);
    expect(sendgrid.mails.map(({ subject }) => subject).sort()).toEqual([
      'Bestellung 7 ist unterwegs, Ann & Bob.',
      'Order 7',
    ]);
  });

  test('a dry run shows what the provider would get', async () => {
    await save();
    const reply = await api.post('/v1/notify', { ...request, dry_run: true }).expect(200);
    expect(reply.body).toMatchObject({
      preview: {
        email: {
          providers: [
            { body: { subject: 'Order 7', content: [{}, { value: '<p>Dear Ann &amp; Bob</p>' }] } },
          ],
        },
        in_app: { body: 'Your order 7 is on its way, Ann & Bob.' },
      },
    });
  });

  test.each([
    ['/template/id', { template: { id: 'nobody' } }, 'has no published version'],
    ['/template/id', { template: { id: 'order', version: 9, data } }, 'is not a template with version 9'],
    ['/template/data', { template: { id: 'order', data: { number: 1 } } }, 'undefined variable: name'],
    [
      '/template',
      { template: { id: 'order', data: { number: 'x'.repeat(300), name: 'y' } } },
      'longer than 255',
    ],
    ['/message', { message: 'x' }, 'is not allowed with a template, which provides it'],
    ['/message', { template: undefined }, 'is required without a template'],
    ['/locale', { template: undefined, message: 'x', locale: 'de' }, 'needs a template'],
  ])('%s: %j is refused, and nothing is sent', async (path, more, problem) => {
    await save();
    const { error } = (await api.post('/v1/notify', { ...request, ...more }).expect(400)).body as {
      error: string;
    };
    expect(error).toContain(`${path}: `);
    expect(error).toContain(problem);
    expect(await readBody(api.get('/v1/notify'))).toMatchObject({ items: [] });
  });

  test('a template without a published version is refused', async () => {
    await save({ ...order, publish: false });
    await api.post('/v1/notify', request).expect(400);
    await api.post('/v1/templates/order/publish', { version: 1 }).expect(200);
    await api.post('/v1/notify', request).expect(202);
    await api.post('/v1/templates/order/publish', { version: null }).expect(200);
    await api.post('/v1/notify', request).expect(400);
  });

  test('a push that becomes too long is refused by the request', async () => {
    await save({ default_locale: 'en', locales: [{ locale: 'en', message: '{{ text }}' }] }, 'long');
    const push = (text: string) =>
      api.post('/v1/notify', {
        channels: ['web_push'],
        template: { id: 'long', data: { text } },
        target: { web_push: { user_id: 'ann' } },
      });
    await push('short').expect(202);
    expect((await push('x'.repeat(4_000)).expect(400)).text).toContain('3993');
  });

  test('many in one call, each with its own data', async () => {
    await save();
    const sends = ['a', 'b'].map((name) => ({
      ...request,
      template: { id: 'order', data: { ...data, name } },
    }));
    const wrong = { ...request, template: { id: 'order', data: {} } };
    const reply = await api.post('/v1/notify/bulk', { sends: [...sends, wrong] }).expect(202);
    expect(reply.body).toMatchObject({
      accepted: 2,
      refused: 1,
      items: [{}, {}, { error: expect.any(String) }],
    });
    await eventually(() => sendgrid.mails.length === 2);
    expect(sendgrid.mails.map(({ content }) => content[1]!.value).sort()).toEqual([
      '<p>Dear a</p>',
      '<p>Dear b</p>',
    ]);
  });
});
