// When sends go out: hours of the receiver, throttles, digests and steps. The clock is the test's.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Caller } from '@parley/http';
import { eventually, receiver, type Receiver } from '@parley/testkit';
import type { Deps } from '../src/deps.ts';
import { acceptNotification } from '../src/notify/accept-notification.ts';
import { bulkAcceptor } from '../src/notify/accept-bulk.ts';
import { cancelNotification } from '../src/notify/cancel-notification.ts';
import { deleteOldThrottles } from '../src/notify/delete-old.ts';
import { getNotification } from '../src/notify/read-status.ts';
import { notifyRequest } from '../src/notify/schemas.ts';
import { DIGEST_ITEMS_MAX } from '../src/timing/admit.ts';
import { startNotifications, type NotificationsUnderTest } from './service.ts';
import { deliver } from './work.ts';

let service: NotificationsUnderTest;
let outside: Receiver;
let caller: Caller;
let counter = 0;

beforeAll(async () => {
  outside = await receiver();
  service = await startNotifications();
});
afterAll(async () => {
  await service.stop();
  await outside.close();
});
beforeEach(() => {
  counter += 1;
  caller = {
    organizationId: `org-${counter}`,
    principal: 'key_1',
    scopes: new Set(['admin']),
  } as unknown as Caller;
});
afterEach(() => {
  outside.requests.length = 0;
});

const at = (iso: string): Deps => ({ ...service.deps, clock: () => Date.parse(iso) });
const context = { requestId: 'r', traceparent: null } as unknown as Parameters<typeof acceptNotification>[3];
const chatTo = (path = '/') => ({ chat: { webhook_url: `${outside.url}${path}`, format: 'generic' } });

interface Answer {
  notification_id: string;
  accepted_channels: string[];
  rejected?: { channel: string; reason: string }[];
  digest?: { closes_at: number; count: number };
}

async function send(deps: Deps, body: object): Promise<Answer> {
  const request = notifyRequest(deps).parse({
    channels: ['chat'],
    message: 'Hello',
    target: chatTo(),
    ...body,
  });
  return (await acceptNotification(deps, caller, request, context, undefined)) as unknown as Answer;
}

async function deliveries(id: string) {
  return service.deps.sql<{ id: string; channel: string; next_attempt_at: Date | null; status: string }>(
    'SELECT id, channel, status, next_attempt_at FROM deliveries WHERE notification_id = $1 ORDER BY id',
    [id],
  );
}

async function dueOf(id: string, channel = 'chat'): Promise<string | undefined> {
  const row = (await deliveries(id)).find((one) => one.channel === channel);
  return row?.next_attempt_at?.toISOString();
}

async function attempt(deps: Deps, id: string, channel = 'chat'): Promise<void> {
  await deliver(deps, (await deliveries(id)).find((one) => one.channel === channel)!.id);
}

async function status(id: string, channel = 'chat') {
  const { channels } = await getNotification(service.deps, caller, id);
  return channels.find((one) => one.channel === channel)!;
}

const texts = () =>
  outside.requests.map(({ body }) => (JSON.parse(body.toString()) as { text: string }).text);

describe('quiet hours', () => {
  const night = { timezone: 'Europe/Berlin', quiet_hours: { from: '22:00', until: '07:00' } };

  test('chat waits for their end, the inbox does not', async () => {
    const { notification_id: id } = await send(at('2026-07-01T21:00:00Z'), {
      ...night,
      channels: ['chat', 'in_app'],
      target: { ...chatTo(), in_app: { user_id: 'ann' } },
    });
    expect(await dueOf(id)).toBe('2026-07-02T05:00:00.000Z');
    expect((await status(id, 'in_app')).status).toBe('delivered');
    await attempt(at('2026-07-02T04:59:00Z'), id);
    expect(outside.requests).toHaveLength(0);
    await attempt(at('2026-07-02T05:00:00Z'), id);
    expect((await status(id)).status).toBe('sent');
  });

  test.each([
    ['an hour is missing', '2026-03-28T23:00:00Z', '2026-03-29T05:00:00.000Z'],
    ['an hour is there twice', '2026-10-24T22:00:00Z', '2026-10-25T06:00:00.000Z'],
  ])('in the night in which %s they end at seven', async (_what, now, due) => {
    const { notification_id: id } = await send(at(now), night);
    expect(await dueOf(id)).toBe(due);
    await attempt(at(due), id);
    expect((await status(id)).status).toBe('sent');
  });

  test('what is tried again waits for them, and costs no attempt', async () => {
    const { notification_id: id } = await send(at('2026-07-01T19:59:00Z'), night);
    outside.script(503);
    await attempt(at('2026-07-01T19:59:00Z'), id);
    await attempt(at('2026-07-01T21:00:00Z'), id);
    expect(outside.requests).toHaveLength(1);
    expect(await status(id)).toMatchObject({ status: 'queued', attempts: 1 });
    expect(await dueOf(id)).toBe('2026-07-02T05:00:00.000Z');
    await attempt(at('2026-07-02T05:00:00Z'), id);
    expect(await status(id)).toMatchObject({ status: 'sent', attempts: 2 });
  });

  test('a window opens on its days; a scheduled send waits for it', async () => {
    const { notification_id: id } = await send(at('2026-07-01T08:00:00Z'), {
      timezone: 'America/New_York',
      send_window: { from: '09:00', until: '17:00', days: ['mon', 'tue', 'wed', 'thu', 'fri'] },
      send_at: Date.parse('2026-07-04T15:00:00Z') / 1000,
    });
    expect(await dueOf(id)).toBe('2026-07-06T13:00:00.000Z');
  });

  test('are by the clock of the recipient, where the send names none', async () => {
    const api = service.as(await service.issueKey(caller.organizationId));
    await api
      .put('/v1/recipients/ann', { chat_webhook: `${outside.url}/ann`, time_zone: 'Asia/Tokyo' })
      .expect(201);
    const { quiet_hours } = night;
    const toAnn = { quiet_hours, target: { chat: { user_id: 'ann' } } };
    const { notification_id: id } = await send(at('2026-07-01T14:00:00Z'), toAnn);
    expect(await dueOf(id)).toBe('2026-07-01T22:00:00.000Z');
    await expect(send(at('2026-07-01T14:00:00Z'), { quiet_hours })).rejects.toMatchObject({
      fields: [{ path: '/timezone', message: expect.stringContaining('is required') }],
    });
  });
});

describe('a throttle', () => {
  const throttle = { key: 'disk full', per: 3_600 };

  test('lets one through, and says of the others that it did not', async () => {
    const first = await send(at('2026-07-01T10:00:00Z'), { throttle });
    const second = await send(at('2026-07-01T10:59:59Z'), { throttle });
    const third = await send(at('2026-07-01T11:00:00Z'), { throttle });
    expect([first, second, third].map(({ accepted_channels: accepted }) => accepted)).toEqual([
      ['chat'],
      [],
      ['chat'],
    ]);
    const reason = 'throttled until 2026-07-01T11:00:00.000Z';
    expect(second.rejected).toEqual([{ channel: 'chat', reason }]);
    expect(await getNotification(service.deps, caller, second.notification_id)).toMatchObject({
      channels: [],
      rejected: [{ channel: 'chat', reason }],
    });
  });

  test('of those who come at once exactly one gets through; another organisation has its own', async () => {
    const now = at('2026-07-01T10:00:00Z');
    const all = await Promise.all(Array.from({ length: 10 }, () => send(now, { throttle })));
    expect(all.filter(({ accepted_channels: accepted }) => accepted.length > 0)).toHaveLength(1);
    caller = { ...caller, organizationId: `${caller.organizationId}-other` };
    expect((await send(now, { throttle })).accepted_channels).toEqual(['chat']);
    expect(await deleteOldThrottles(service.deps.sql, Date.parse('2026-07-02T00:00:00Z'))).toBeGreaterThan(0);
  });
});

describe('a digest', () => {
  const digest = { key: 'comments', window: 600 };
  const items = '{{ count }}:{% for item in items %} {{ item.text }}{% endfor %}';
  beforeEach(async () => {
    const api = service.as(await service.issueKey(caller.organizationId));
    const content = { default_locale: 'en', locales: [{ locale: 'en', message: items }] };
    await api.put('/v1/templates/comments', content).expect(201);
  });
  const comment = (text: string, more: object = {}) => ({
    message: undefined,
    digest,
    template: { id: 'comments', data: { text } },
    ...more,
  });

  test('collects what comes in its window, and sends one', async () => {
    const first = await send(at('2026-07-01T10:00:00Z'), comment('a'));
    const closes = Date.parse('2026-07-01T10:10:00Z') / 1000;
    expect(first).toMatchObject({ accepted_channels: ['chat'], digest: { closes_at: closes, count: 1 } });
    const second = await send(at('2026-07-01T10:09:59Z'), comment('b'));
    expect(second).toMatchObject({
      notification_id: first.notification_id,
      digest: { closes_at: closes, count: 2 },
    });
    expect(await dueOf(first.notification_id)).toBe('2026-07-01T10:10:00.000Z');
    outside.script(503);
    await attempt(at('2026-07-01T10:10:00Z'), first.notification_id);
    const next = await send(at('2026-07-01T10:10:00Z'), comment('c'));
    expect(next.notification_id).not.toBe(first.notification_id);
    await attempt(at('2026-07-01T10:20:00Z'), first.notification_id);
    expect(texts()).toEqual(['2: a b', '2: a b']);
    await attempt(at('2026-07-01T10:20:00Z'), next.notification_id);
    expect(texts()[2]).toBe('1: c');
  });

  test('closed before its window ends, as by a clock that is ahead, it takes nothing more', async () => {
    const first = await send(at('2026-07-01T10:00:00Z'), comment('a'));
    await attempt(at('2026-07-01T10:10:01Z'), first.notification_id);
    const late = await send(at('2026-07-01T10:09:58Z'), comment('b'));
    expect(late.notification_id).not.toBe(first.notification_id);
    expect(texts()).toEqual(['1: a']);
  });

  test('is of one target: nobody gets what was meant for somebody else', async () => {
    const now = at('2026-07-01T10:00:00Z');
    const ann = await send(now, comment('for ann'));
    const bob = await send(now, comment('for bob', { target: chatTo('/bob') }));
    expect(bob.notification_id).not.toBe(ann.notification_id);
  });

  test('of many at once, and in one call, every send is in it', async () => {
    const now = at('2026-07-01T10:00:00Z');
    const all = await Promise.all(Array.from({ length: 10 }, (_, index) => send(now, comment(`${index}`))));
    expect(new Set(all.map(({ notification_id: id }) => id)).size).toBe(1);
    const sends = [comment('x'), comment('y', { digest: { key: 'new', window: 60 } })].flatMap((one) => {
      const { message: _, ...body } = one;
      return [1, 2].map(() => ({ channels: ['chat'], target: chatTo(), ...body }));
    });
    const { items: answers } = await bulkAcceptor(now)(caller, sends, context, undefined);
    expect(answers).toMatchObject([
      { notification_id: all[0]!.notification_id, digest: { count: 11 } },
      { digest: { count: 12 } },
      { digest: { count: 1 } },
      { digest: { count: 2 } },
    ]);
    await attempt(at('2026-07-01T10:10:00Z'), all[0]!.notification_id);
    expect(texts()[0]).toMatch(/^12: /);
    for (let index = 0; index < 10; index += 1) expect(texts()[0]).toContain(` ${index}`);
  });

  test('keeps so many items, and counts the rest', async () => {
    const now = at('2026-07-01T10:00:00Z');
    const { message: _, ...body } = comment('x');
    const sends = Array.from({ length: DIGEST_ITEMS_MAX + 5 }, () => ({
      channels: ['chat'],
      target: chatTo(),
      ...body,
    }));
    const { items: answers } = await bulkAcceptor(now)(caller, sends, context, undefined);
    const [{ notification_id: id }] = answers as unknown as [Answer];
    await attempt(at('2026-07-01T10:10:00Z'), id);
    expect(texts()[0]).toBe(`105:${' x'.repeat(DIGEST_ITEMS_MAX)}`);
  });

  test('whose items become too long says as many as fit', async () => {
    const now = at('2026-07-01T10:00:00Z');
    const text = 'x'.repeat(3_000);
    const { notification_id: id } = await send(now, comment(text));
    for (let count = 0; count < 7; count += 1) await send(now, comment(text));
    await attempt(at('2026-07-01T10:10:00Z'), id);
    expect(texts()[0]).toBe(`8:${` ${text}`.repeat(2)}`);
  });

  test('cancelled it sends nothing, and the next send begins another', async () => {
    const now = at('2026-07-01T10:00:00Z');
    const first = await send(now, comment('a'));
    await cancelNotification(now, caller, first.notification_id);
    const next = await send(now, comment('b'));
    expect(next.notification_id).not.toBe(first.notification_id);
    await attempt(at('2026-07-01T10:10:00Z'), next.notification_id);
    expect(texts()).toEqual(['1: b']);
    expect((await status(first.notification_id)).status).toBe('canceled');
  });

  test('without its template it fails, with the reason', async () => {
    const { notification_id: id } = await send(at('2026-07-01T10:00:00Z'), comment('a'));
    const api = service.as(await service.issueKey(caller.organizationId));
    await api.delete('/v1/templates/comments').expect(204);
    await attempt(at('2026-07-01T10:10:00Z'), id);
    expect(await status(id)).toMatchObject({ status: 'failed', last_error_class: 'template_gone' });
  });
});

describe('steps', () => {
  const target = () => ({ ...chatTo(), in_app: { user_id: 'ann' }, webhook: { url: `${outside.url}/hook` } });
  const escalation = (unless?: string) => ({
    channels: ['in_app'],
    target: { in_app: { user_id: 'ann' }, chat: chatTo().chat },
    steps: [{ channels: ['chat'], after: 900, ...(unless ? { unless } : {}) }],
  });

  test('follow after their time', async () => {
    const { notification_id: id, accepted_channels: accepted } = await send(
      at('2026-07-01T10:00:00Z'),
      escalation(),
    );
    expect(accepted).toEqual(['in_app', 'chat']);
    expect(await dueOf(id)).toBe('2026-07-01T10:15:00.000Z');
    await attempt(at('2026-07-01T10:14:00Z'), id);
    expect(outside.requests).toHaveLength(0);
    await attempt(at('2026-07-01T10:15:00Z'), id);
    expect((await status(id)).status).toBe('sent');
  });

  test('are not needed when it was read', async () => {
    const [unread, read] = await Promise.all(
      [1, 2].map(() => send(at('2026-07-01T10:00:00Z'), escalation('read'))),
    );
    const api = service.as(await service.issueKey(caller.organizationId));
    const item = `iap_${read!.notification_id.slice('ntf_'.length)}`;
    await api.put(`/v1/notifications/${item}/read`, {}).expect(200);
    for (const { notification_id: id } of [unread!, read!]) await attempt(at('2026-07-01T10:15:00Z'), id);
    expect(await status(unread!.notification_id)).toMatchObject({ status: 'sent' });
    expect(await status(read!.notification_id)).toMatchObject({
      status: 'canceled',
      attempts: 0,
      last_error_class: 'not_needed',
    });
    expect(outside.requests).toHaveLength(1);
  });

  test('are not needed when another channel was delivered, but when it failed', async () => {
    const body = {
      channels: ['webhook'],
      target: { webhook: { url: `${outside.url}/hook` }, chat: chatTo().chat },
      steps: [{ channels: ['chat'], after: 60, unless: 'delivered' }],
    };
    const [failed, delivered] = [
      await send(at('2026-07-01T10:00:00Z'), body),
      await send(at('2026-07-01T10:00:00Z'), body),
    ];
    outside.script(404);
    await attempt(at('2026-07-01T10:00:01Z'), failed.notification_id, 'webhook');
    await attempt(at('2026-07-01T10:00:01Z'), delivered.notification_id, 'webhook');
    for (const { notification_id: id } of [failed, delivered]) await attempt(at('2026-07-01T10:01:00Z'), id);
    expect((await status(failed.notification_id)).status).toBe('sent');
    expect((await status(delivered.notification_id)).status).toBe('canceled');
  });

  test('that wait are cancelled with it', async () => {
    const now = at('2026-07-01T10:00:00Z');
    const { notification_id: id } = await send(now, escalation());
    await cancelNotification(now, caller, id);
    await attempt(at('2026-07-01T10:15:00Z'), id);
    expect((await status(id)).status).toBe('canceled');
    expect(outside.requests).toHaveLength(0);
  });

  test('wait for quiet hours, and lose no life of a push or an item before they are due', async () => {
    const { notification_id: id } = await send(at('2026-07-01T19:50:00Z'), {
      ...escalation(),
      timezone: 'Europe/Berlin',
      quiet_hours: { from: '22:00', until: '07:00' },
    });
    expect(await dueOf(id)).toBe('2026-07-02T05:00:00.000Z');
  });

  test.each([
    ['/steps/0/channels/0', { steps: [{ channels: ['chat'], after: 1 }] }, 'is requested twice'],
    [
      '/target/webhook',
      { steps: [{ channels: ['webhook'], after: 1 }], target: 'no webhook' },
      'is required',
    ],
    ['/steps/0/after', { steps: [{ channels: ['webhook'], after: 0 }] }, '>=1'],
    [
      '/timezone',
      { timezone: 'Mars', quiet_hours: { from: '22:00', until: '07:00' } },
      'must be a time zone',
    ],
    ['/timezone', { timezone: 'UTC' }, 'is for quiet_hours'],
    [
      '/send_window',
      { timezone: 'UTC', send_window: { from: '18:00', until: '09:00' } },
      'must begin before',
    ],
    [
      '/send_window',
      {
        timezone: 'UTC',
        quiet_hours: { from: '22:00', until: '07:00' },
        send_window: { from: '01:00', until: '02:00' },
      },
      'lies within quiet_hours',
    ],
    ['/digest', { digest: { key: 'x', window: 60 } }, 'needs a template'],
    ['/throttle/per', { throttle: { key: 'x', per: 0 } }, '>=1'],
  ])('%s: %j is refused', async (path, more, problem) => {
    const api = service.as(await service.issueKey(caller.organizationId));
    const body = { channels: ['chat', 'in_app'], message: 'x', ...more };
    const given =
      (more as { target?: string }).target === undefined
        ? target()
        : { ...chatTo(), in_app: { user_id: 'ann' } };
    const wanted = 'steps' in more ? given : { ...chatTo(), in_app: { user_id: 'ann' } };
    const { error } = (await api.post('/v1/notify', { ...body, target: wanted }).expect(400)).body as {
      error: string;
    };
    expect(error).toContain(`${path}: `);
    expect(error).toContain(problem);
  });
});

test('worked off by itself: a digest and a step, when their time has come', async () => {
  const worked = await startNotifications({ worker: true });
  try {
    await worked.api
      .put('/v1/templates/c', {
        default_locale: 'en',
        locales: [{ locale: 'en', message: '{{ count }} new' }],
      })
      .expect(201);
    for (const _ of [1, 2, 3])
      await worked.api
        .post('/v1/notify', {
          channels: ['in_app'],
          template: { id: 'c' },
          digest: { key: 'k', window: 1 },
          target: { in_app: { user_id: 'ann' }, ...chatTo('/step') },
          steps: [{ channels: ['chat'], after: 1, unless: 'read' }],
        })
        .expect(202);
    await eventually(() => outside.requests.length === 1, { timeoutMs: 20_000 });
    expect(texts()).toEqual(['3 new']);
    const { items } = (await worked.api.get('/v1/notifications?user_id=ann').expect(200)).body as {
      items: object[];
    };
    expect(items).toMatchObject([{ body: '3 new' }]);
  } finally {
    await worked.stop();
  }
});
