// Workflows over HTTP: versions, checks at save, and sends that name one.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { eventually, receiver, type Receiver } from '@parley/testing';
import { readBody, startNotifications, type NotificationsUnderTest } from './service.ts';

let service: NotificationsUnderTest;
let outside: Receiver;
let api: NotificationsUnderTest['api'];
let counter = 0;

beforeAll(async () => {
  outside = await receiver();
  service = await startNotifications({ worker: true });
});
afterAll(async () => {
  await service.stop();
  await outside.close();
});
beforeEach(async () => {
  counter += 1;
  outside.requests.length = 0;
  api = service.as(await service.issueKey(`org-${counter}`));
  const content = { default_locale: 'en', locales: [{ locale: 'en', message: 'Order {{ number }} left.' }] };
  await api.put('/v1/templates/order', content).expect(201);
  await api.put('/v1/recipients/ann', { chat_webhook: `${outside.url}/ann` }).expect(201);
});

const save = (content: object, id = 'shipped') =>
  api.put(`/v1/workflows/${id}`, { template: { id: 'order' }, ...content });

const send = (more: object = {}, workflow: object = {}) =>
  api.post('/v1/notify', {
    workflow: { id: 'shipped', data: { number: 7 }, ...workflow },
    target: { user_id: 'ann' },
    ...more,
  });

interface Accepted {
  readonly notification_id: string;
  readonly accepted_channels: readonly string[];
  readonly rejected?: readonly { readonly reason: string }[];
  readonly items?: readonly Accepted[];
}

const getStatus = async ({ notification_id: id }: Accepted) =>
  (await readBody(api.get(`/v1/notify/${id}`).expect(200))) as {
    readonly workflow?: object;
    readonly channels: readonly { readonly channel: string; readonly status: string }[];
  };

const readError = async (request: ReturnType<typeof api.get>) =>
  ((await readBody(request.expect(400))) as { readonly error: string }).error;

const texts = () =>
  outside.requests.map(({ body }) => (JSON.parse(body.toString()) as { text: string }).text);

describe('versions', () => {
  test('publish, keep equal content, and leave a draft unpublished', async () => {
    expect((await save({ channels: ['in_app'] }).expect(201)).body).toMatchObject({
      workflow_id: 'shipped',
      version: 1,
      published_version: 1,
    });
    await save({ channels: ['in_app'] }).expect(200);
    const steps = [{ channels: ['chat'], after: 600, unless: 'read' }];
    expect((await save({ channels: ['in_app'], steps, publish: false }).expect(200)).body).toMatchObject({
      version: 2,
      published_version: 1,
    });
    expect(await readBody(api.get('/v1/workflows/shipped?version=2').expect(200))).toMatchObject({
      version: 2,
      channels: ['in_app'],
      template: { id: 'order' },
      steps,
    });
    await api.post('/v1/workflows/shipped/publish', { version: 3 }).expect(404);
    await api.post('/v1/workflows/shipped/publish', { version: 2 }).expect(200);
    expect(await readBody(api.get('/v1/workflows').expect(200))).toMatchObject({
      items: [{ workflow_id: 'shipped', latest_version: 2, published_version: 2 }],
      next_cursor: null,
    });
    // A template of the same id is something else.
    expect(await readBody(api.get('/v1/templates').expect(200))).toMatchObject({
      items: [{ template_id: 'order' }],
    });
    await api.get('/v1/templates/shipped').expect(404);
    await api.delete('/v1/workflows/shipped').expect(204);
    await api.get('/v1/workflows/shipped').expect(404);
    await api.get('/v1/templates/order').expect(200);
  });

  test('are in the audit log', async () => {
    await save({ channels: ['in_app'] }).expect(201);
    await save({ channels: ['chat'], publish: false }).expect(200);
    await api.post('/v1/workflows/shipped/publish', { version: 2 }).expect(200);
    await api.post('/v1/workflows/shipped/publish', { version: null }).expect(200);
    await api.delete('/v1/workflows/shipped').expect(204);
    const { items } = (await readBody(api.get('/v1/audit-log').expect(200))) as {
      readonly items: readonly {
        readonly action: string;
        readonly target: string;
        readonly details: object;
      }[];
    };
    expect(
      items.filter(({ target }) => target === 'shipped').map(({ action, details }) => [action, details]),
    ).toEqual([
      ['workflow.deleted', {}],
      ['workflow.unpublished', {}],
      ['workflow.published', { version: 2 }],
      ['workflow.published', { version: 1 }],
    ]);
  });
});

test.each<[string, object, string]>([
  ['a template without a version', { template: { id: 'nothing' } }, '/template/id: has no published version'],
  ['an unknown version', { template: { id: 'order', version: 9 } }, '/template/version: is not a version'],
  ['an unknown category', { category: 'news' }, '/category: is not a category'],
  ['an unknown channel', { channels: ['fax'] }, '/channels/0: is not a channel'],
  [
    'a channel twice',
    { channels: ['chat'], steps: [{ channels: ['chat'], after: 60 }] },
    '/steps/0/channels/0: is requested twice',
  ],
  ['a digest with a throttle', { digest: { window: 60 }, throttle: { per: 60 } }, '/digest: is not allowed'],
  ['a digest without an end', { digest: {} }, '/digest: must have exactly one of window and at'],
  ['a time zone that nothing needs', { timezone: 'UTC' }, '/timezone: needs quiet_hours'],
  [
    'hours that are never allowed',
    { quiet_hours: { from: '08:00', until: '20:00' }, send_window: { from: '09:00', until: '12:00' } },
    '/send_window: lies within quiet_hours',
  ],
  ['a text of its own', { message: 'Hello' }, 'message'],
])('%s is refused', async (_, content, problem) => {
  expect(await readError(save(content))).toContain(problem);
  await api.get('/v1/workflows/shipped').expect(404);
});

describe('a send', () => {
  test('takes channels and texts of the published version, and records it', async () => {
    await save({ channels: ['in_app'], steps: [{ channels: ['chat'], after: 600, unless: 'read' }] });
    const sent = (await readBody(send().expect(202))) as Accepted;
    expect(sent.accepted_channels).toEqual(['in_app', 'chat']);
    expect(await getStatus(sent)).toMatchObject({
      workflow: { id: 'shipped', version: 1 },
      channels: [
        { channel: 'in_app', status: 'delivered' },
        { channel: 'chat', status: 'queued' },
      ],
    });
    // A change of the product needs no deployment.
    await save({ channels: ['chat'] }).expect(200);
    const changed = (await readBody(send().expect(202))) as Accepted;
    expect(changed.accepted_channels).toEqual(['chat']);
    expect(await getStatus(changed)).toMatchObject({ workflow: { id: 'shipped', version: 2 } });
    await eventually(() => Promise.resolve(texts().includes('Order 7 left.')));
    const pinned = (await readBody(send({}, { version: 1 }).expect(202))) as Accepted;
    expect(await getStatus(pinned)).toMatchObject({ workflow: { id: 'shipped', version: 1 } });
  });

  test('reaches people on every channel that no step has when the workflow names none', async () => {
    await save({ steps: [{ channels: ['chat'], after: 600 }] }).expect(201);
    expect(await readBody(send({ dry_run: true }).expect(200))).toMatchObject({
      accepted_channels: ['in_app', 'chat'],
    });
    const target = { in_app: { user_id: 'ann' } };
    expect(await readError(send({ target }))).toContain('target/email');
  });

  test('keeps members that the caller gave for a channel', async () => {
    await save({ channels: ['in_app'] }).expect(201);
    const given = { user_id: 'ann', in_app: { url: '/orders/7' } };
    await send({ target: given }).expect(202);
    expect(await readBody(api.get('/v1/notifications?user_id=ann').expect(200))).toMatchObject({
      items: [{ body: 'Order 7 left.', url: '/orders/7' }],
    });
    const wrong = send({ target: { user_id: 'ann', chat: { format: 'slack' } } });
    expect(await readError(wrong)).toContain('/target/chat: is a target for a channel');
  });

  test('to a topic reaches its members', async () => {
    await save({ channels: ['in_app'] }).expect(201);
    await api.put('/v1/topics/team/members', { user_ids: ['ann', 'bob'] }).expect(200);
    const sent = (await readBody(send({ target: { topic_id: 'team' } }).expect(202))) as Accepted;
    expect(await getStatus(sent)).toMatchObject({ workflow: { id: 'shipped', version: 1 } });
    await eventually(async () => {
      const { items } = (await readBody(api.get('/v1/notifications?user_id=bob'))) as { items: unknown[] };
      return items.length === 1;
    });
    await save({ channels: ['in_app'], digest: { window: 60 } }).expect(200);
    const refused = await readError(send({ target: { topic_id: 'team' } }));
    expect(refused).toContain('/workflow: digest is not allowed');
  });

  test('is throttled for its target and key only', async () => {
    await save({ channels: ['in_app'], throttle: { per: 600 } }).expect(201);
    const reasonOf = async (more: object = {}, workflow: object = {}) =>
      ((await readBody(send(more, workflow).expect(202))) as Accepted).rejected?.[0]?.reason;
    expect(await reasonOf()).toBeUndefined();
    expect(await reasonOf()).toContain('throttled until');
    expect(await reasonOf({}, { key: 'order 8' })).toBeUndefined();
    expect(await reasonOf({ target: { user_id: 'bob' } })).toBeUndefined();
  });

  test('must not say what the workflow provides', async () => {
    await save({ channels: ['in_app'] }).expect(201);
    const error = await readError(send({ channels: ['chat'], message: 'Hi', steps: [] }));
    expect(error).toContain('/channels: is not allowed with a workflow');
    expect(error).toContain('/message: is not allowed with a workflow');
  });

  test('is refused without a published version, in a bulk call on its own', async () => {
    await save({ channels: ['in_app'], publish: false }).expect(201);
    expect(await readError(send())).toBe('/workflow/id: has no published version');
    const one = { workflow: { id: 'shipped', version: 1, data: { number: 7 } }, target: { user_id: 'ann' } };
    const sends = [
      one,
      { ...one, workflow: { id: 'shipped', version: 2 } },
      { ...one, workflow: { id: 'x' } },
    ];
    const { items } = (await readBody(api.post('/v1/notify/bulk', { sends }).expect(202))) as Accepted;
    expect(items).toEqual([
      { notification_id: expect.stringMatching(/^ntf_/), accepted_channels: ['in_app'] },
      { error: '/workflow/id: is not a workflow with version 2' },
      { error: '/workflow/id: has no published version' },
    ]);
  });
});
