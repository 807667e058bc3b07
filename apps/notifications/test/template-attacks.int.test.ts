// Templates that once blocked the process for seconds end on threads, and the process continues.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { inTransaction } from '@parley/server/postgres';
import { createTemplateRenderer } from '../src/rendering/template-renderer.ts';
import { startNotifications, type NotificationsUnderTest } from './service.ts';

const list = Array.from({ length: 4_000 }, (_, place) => place % 10);
const attacks: readonly (readonly [name: string, source: string])[] = [
  ['a skipped range', '{% for i in (1..19000000) offset:18999999 %}{% endfor %}x'],
  ['a joined range', '{{ (1..9000000) | join: "" | size }}'],
  ['a sorted range', '{{ (1..9000000) | sort | size }}'],
  ['a reversed range', '{{ (1..9000000) | reverse | size }}'],
  ['sorts in a loop', '{% for i in (1..9999) %}{% assign s = (1..9999) | sort | reverse %}{% endfor %}x'],
  ['two compared lists', '{% for i in (1..9999) %}{% if l == m %}{% endif %}{% endfor %}x'],
  ['two lists as cases', `{% for i in (1..9999) %}{% case l %}{% when m %}{% endcase %}{% endfor %}x`],
  [
    'repeatedly encoded texts',
    `{% for i in (1..9999) %}{% assign t = l | join: "%" ${'| url_encode '.repeat(20)} %}{% endfor %}x`,
  ],
  [
    'doubling texts',
    `{% assign t = "<>" %}${'{% assign t = t | append: t %}'.repeat(18)}{{ t | escape | size }}`,
  ],
  ['nested replacements', '{% assign t = l | join: "" %}{{ t | replace: "1", t | replace: "1", t }}'],
  ['endless outputs', '{{ l }}'.repeat(2_000)],
];
const data = { l: list, m: [...list] };
/** Processor time of the main thread, including the test's own. */
const mainCpuMs = () =>
  Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
const HELD_UP_MS = 750;
/** Each of them costs its whole budget of processor time. */
const BULK = 2;

let service: NotificationsUnderTest;
let api: ReturnType<NotificationsUnderTest['as']>;
let counter = 0;

beforeAll(async () => {
  service = await startNotifications();
}, 60_000);
afterAll(() => service.stop());
beforeEach(async () => {
  counter += 1;
  api = service.as(await service.issueKey(`attacks-${counter}`));
});

const toInbox = (id: string) => ({
  channels: ['in_app'],
  target: { in_app: { user_id: 'u' } },
  template: { id, data },
});
const save = (message: string, id = 'attack') =>
  api.put(`/v1/templates/${id}`, { default_locale: 'en', locales: [{ locale: 'en', message }] });

describe.each(attacks)('%s', (_name, source) => {
  test('previewed, sent and sent in bulk, costs the process nothing and is reported as the template’s fault', async () => {
    const beforeMs = mainCpuMs();
    const saved = await save(source);
    expect([201, 400]).toContain(saved.status);
    if (saved.status === 201) {
      const preview = await api.post('/v1/templates/attack/preview', { data });
      const single = await api.post('/v1/notify', toInbox('attack'));
      const sends = Array.from({ length: BULK }, () => toInbox('attack'));
      const bulk = await api.post('/v1/notify/bulk', { sends });
      // A machine without free CPU cannot tell that the template is at fault.
      const isLate = ({ status }: { status: number }) => status === 503;
      if (!isLate(preview)) expect(preview.status).toBe(422);
      if (!isLate(single))
        expect(single).toMatchObject({ status: 400, text: expect.stringContaining('/template') });
      if (!isLate(bulk)) expect(bulk).toMatchObject({ status: 202, body: { accepted: 0, refused: BULK } });
    }
    expect(mainCpuMs() - beforeMs).toBeLessThan(HELD_UP_MS);
  }, 300_000);
});

describe('a template that needs a thread', () => {
  const items = '{% for i in items %}{{ i.name | append: "!" }} {% endfor %}';

  test('renders the same as one that does not, wherever templates are rendered', async () => {
    await save(items, 'items').expect(201);
    const given = { items: [{ name: 'a' }, { name: 'b' }] };
    const preview = await api.post('/v1/templates/items/preview', { data: given }).expect(200);
    expect(preview.body).toMatchObject({ channels: { in_app: { message: 'a! b! ' } } });
    const send = { ...toInbox('items'), template: { id: 'items', data: given } };
    await api.post('/v1/notify', send).expect(202);
    await api.post('/v1/notify', { ...send, dry_run: true }).expect(200);
    const sends = Array.from({ length: 50 }, () => send);
    expect((await api.post('/v1/notify/bulk', { sends }).expect(202)).body).toMatchObject({ accepted: 50 });
    const missing = { ...send, template: { id: 'items', data: {} } };
    const refused = await api.post('/v1/notify', missing).expect(400);
    expect((refused.body as { error: string }).error).toContain('/template/data');
  }, 60_000);

  test('each send of a bulk call has the full budget', async () => {
    const message = '{% for i in (1..9000) %}{% endfor %}x';
    await save(message, 'long').expect(201);
    const sends = Array.from({ length: 40 }, () => toInbox('long'));
    expect((await api.post('/v1/notify/bulk', { sends }).expect(202)).body).toMatchObject({ accepted: 40 });
  }, 400_000);
});

test('a stopped Postgres causes no template error', async () => {
  await save('Hello {{ name }}', 'plain').expect(201);
  await save('{% for i in l limit:3 %}{{ i }}{% endfor %}', 'loop').expect(201);
  const requests = await inTransaction(service.deps.pool, async (sql) => {
    await sql('LOCK TABLE templates IN ACCESS EXCLUSIVE MODE');
    const sends = Array.from({ length: 12 }, (_, place) => {
      const template = { id: place % 2 === 0 ? 'plain' : 'loop', data: { ...data, name: 'Ann' } };
      return api.post('/v1/notify', { ...toInbox('plain'), template }).then(({ status }) => status);
    });
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    return sends;
  });
  for (const status of await Promise.all(requests)) expect([202, 503]).toContain(status);
}, 60_000);

describe('work that the meter does not see', () => {
  /** LiquidJS's own step: it compares the value with each of these. */
  const unseen = { message: `{% case l %}{% when ${'m,'.repeat(6_000)} m %}{% endcase %}x` };
  const nearly = { l: [...list, 1], m: [...list, 2] };

  test('ends with its thread, and the next template gets a thread', async () => {
    const renderer = createTemplateRenderer({ cpuMs: 300, withinMs: 300_000 });
    try {
      await expect(renderer.render('a', unseen, ['in_app'], nearly)).rejects.toThrow('processor time');
      const items = { message: '{% for i in l limit:2 %}{{ i }}{% endfor %}' };
      const { common } = await renderer.render('a', items, ['in_app'], nearly);
      expect(common.message).toBe('01');
    } finally {
      await renderer.close();
    }
  }, 400_000);
});

describe('HTML of deeply nested elements', () => {
  const nested = { message: 'Hello', email: { html: '<div>'.repeat(50_000) } };

  test('ends with its thread', async () => {
    const renderer = createTemplateRenderer({ cpuMs: 50, withinMs: 300_000 });
    try {
      await expect(renderer.render('a', nested, ['email'], {})).rejects.toThrow('processor time');
    } finally {
      await renderer.close();
    }
  }, 400_000);

  test('holds up nothing else', async () => {
    const beforeMs = mainCpuMs();
    const locales = [{ locale: 'en', ...nested }];
    await api.put('/v1/templates/nested', { default_locale: 'en', locales }).expect(201);
    const { status } = await api.post('/v1/templates/nested/preview', {});
    // A fast machine is done within the budget; one without free CPU cannot tell whose fault it is.
    expect([200, 422, 503]).toContain(status);
    expect(mainCpuMs() - beforeMs).toBeLessThan(HELD_UP_MS);
  }, 60_000);
});
