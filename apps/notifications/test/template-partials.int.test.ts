// Templates that render other stored templates inside of themselves.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { eventually } from '@parley/testing';
import { readBody, startNotifications, type NotificationsUnderTest } from './service.ts';

let service: NotificationsUnderTest;
let api: ReturnType<NotificationsUnderTest['as']>;
let counter = 0;

beforeAll(async () => {
  service = await startNotifications({ worker: true });
});
afterAll(() => service.stop());
beforeEach(async () => {
  counter += 1;
  api = service.as(await service.issueKey(`org-${counter}`));
});

type Locale = { locale: string; message: string; [more: string]: unknown };
const save = (id: string, ...locales: Locale[]) =>
  api.put(`/v1/templates/${id}`, { default_locale: locales[0]!.locale, locales });
const send = (more: object = {}) =>
  api.post('/v1/notify', {
    channels: ['in_app'],
    target: { in_app: { user_id: 'ann' } },
    template: { id: 'order', data: { number: 7, name: '<Ada>' } },
    ...more,
  });
const preview = async (more: object = {}) =>
  (
    (await readBody(
      api.post('/v1/templates/order/preview', { data: { name: '<Ada>' }, ...more }).expect(200),
    )) as {
      channels: Record<string, { message: string; html?: string }>;
    }
  ).channels;
const listBodies = async (user = 'ann') => {
  const page = await readBody(api.get(`/v1/notifications?user_id=${user}`).expect(200));
  return (page as { items: { body: string }[] }).items.map(({ body }) => body);
};

describe('a partial', () => {
  test('is rendered with its arguments and the data of the send, by channel and escaped in HTML', async () => {
    await save('footer', {
      locale: 'en',
      message: 'Bye {{ name }}, {{ sign }}',
      email: { html: '<hr>Bye {{ name }}, {{ sign }}' },
    }).expect(201);
    await save('order', {
      locale: 'en',
      message: 'Hi. {% render "footer", sign: "Acme" %}',
      email: { html: "<p>Hi.</p>{% render 'footer', sign: '<b>' %}" },
    }).expect(201);
    const channels = await preview();
    expect(channels['in_app']!.message).toBe('Hi. Bye <Ada>, Acme');
    expect(channels['email']).toMatchObject({
      message: expect.stringMatching(/^Hi\.\n[^]*Bye <Ada>, <b>$/),
      html: '<p>Hi.</p><hr>Bye &lt;Ada&gt;, &lt;b&gt;',
    });
    await send().expect(202);
    expect(await listBodies()).toEqual(['Hi. Bye <Ada>, Acme']);
  });

  test('has the language of the template, and its published version', async () => {
    const locales = [
      { locale: 'en', message: 'Bye' },
      { locale: 'de', message: 'Tschüss' },
    ];
    await save('footer', ...locales).expect(201);
    await save(
      'order',
      { locale: 'en', message: '{% render "footer" %}!' },
      { locale: 'de', message: '{% render "footer" %}.' },
    ).expect(201);
    await api
      .put('/v1/templates/footer', {
        default_locale: 'en',
        locales: [{ locale: 'en', message: 'draft' }],
        publish: false,
      })
      .expect(200);
    await send({ locale: 'de-AT' }).expect(202);
    await send().expect(202);
    expect((await listBodies()).sort()).toEqual(['Bye!', 'Tschüss.']);
  });

  test('may render others, which name the recipient, also for a topic', async () => {
    await save('name', { locale: 'en', message: '{{ recipient.attributes.name }}' }).expect(201);
    await save('greeting', { locale: 'en', message: 'Hi {% render "name" %}' }).expect(201);
    await save('order', { locale: 'en', message: '{% render "greeting" %}.' }).expect(201);
    await api.put('/v1/recipients/ann', { attributes: { name: 'Ann' } }).expect(201);
    await api.put('/v1/recipients/bob', { attributes: { name: 'Bob' } }).expect(201);
    await api.put('/v1/topics/all/members', { user_ids: ['ann', 'bob'] }).expect(200);
    await send({ target: { topic_id: 'all' } }).expect(202);
    await eventually(async () => (await listBodies('bob')).length === 1);
    await eventually(async () => (await listBodies('ann')).length === 1);
    expect([await listBodies('ann'), await listBodies('bob')]).toEqual([['Hi Ann.'], ['Hi Bob.']]);
  });

  test('can be inserted for each member of a list', async () => {
    await save('line', {
      locale: 'en',
      message: '{{ item }}{% unless forloop.last %}, {% endunless %}',
    }).expect(201);
    await save('order', { locale: 'en', message: '{% render "line" for items as item %}' }).expect(201);
    const template = { id: 'order', data: { items: ['tea', 'cake'] } };
    await send({ template }).expect(202);
    expect(await listBodies()).toEqual(['tea, cake']);
  });
});

describe('a template is refused', () => {
  const refusal = async () => ((await readBody(send().expect(400))) as { error: string }).error;

  test('when its partial is missing, unpublished, without HTML or of another organisation', async () => {
    await save('order', { locale: 'en', message: '{% render "footer" %}' }).expect(201);
    expect(await refusal()).toContain('there is no published template "footer"');
    await api
      .put('/v1/templates/footer', {
        default_locale: 'en',
        locales: [{ locale: 'en', message: 'x' }],
        publish: false,
      })
      .expect(201);
    expect(await refusal()).toContain('there is no published template "footer"');
    const mine = api;
    api = service.as(await service.issueKey(`other-${counter}`));
    await save('footer', { locale: 'en', message: 'theirs' }).expect(201);
    api = mine;
    expect(await refusal()).toContain('there is no published template "footer"');
    await api.post('/v1/templates/footer/publish', { version: 1 }).expect(200);
    await send().expect(202);
    const html = { html: '{% render "footer" %}' };
    await save('order', { locale: 'en', message: 'x', email: html }).expect(200);
    const refused = await api.post('/v1/templates/order/preview', { data: {} }).expect(422);
    expect(JSON.stringify(refused.body)).toContain('html of email');
  });

  test('when a partial contains itself, or partials are too deep or too many', async () => {
    await save('a', { locale: 'en', message: '{% render "b" %}' }).expect(201);
    await save('b', { locale: 'en', message: '{% render "a" %}' }).expect(201);
    await save('order', { locale: 'en', message: '{% render "a" %}' }).expect(201);
    expect(await refusal()).toContain('renders itself');
    for (const [id, inner] of ['bc', 'cd', 'de'].map((pair) => [...pair]))
      await save(id!, { locale: 'en', message: `{% render "${inner}" %}` });
    await save('e', { locale: 'en', message: 'x' }).expect(201);
    await save('order', { locale: 'en', message: '{% render "b" %}' }).expect(200);
    expect(await refusal()).toContain('inside of more than 3');
    const many = Array.from({ length: 21 }, (_, index) => `p${index}`);
    for (const id of many) await save(id, { locale: 'en', message: 'x' }).expect(201);
    await save('order', { locale: 'en', message: many.map((id) => `{% render "${id}" %}`).join('') }).expect(
      200,
    );
    expect(await refusal()).toContain('more than 20');
  });

  test.each([
    '{% render name %}',
    '{% render "x{{ name }}" %}',
    '{% render "" %}',
    '{% include "x" %}',
    '{% layout "x" %}',
  ])('when it is saved with %s', async (message) => {
    await save('order', { locale: 'en', message }).expect(400);
  });

  test('when its id is none, or its partials take too many steps', async () => {
    await save('order', { locale: 'en', message: '{% render "../etc/passwd" %}' }).expect(201);
    expect(await refusal()).toContain('there is no published template');
    await save('line', { locale: 'en', message: '{% for i in (1..9000) %}x{% endfor %}' }).expect(201);
    await save('order', { locale: 'en', message: '{% render "line" for (1..9000) as item %}' }).expect(200);
    expect(await refusal()).toMatch(/steps|too much|longer than/);
  });
});
