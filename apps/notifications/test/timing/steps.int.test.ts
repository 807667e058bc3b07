// Steps: channels that follow later. The test sets the clock, except for the last one.
import { describe, expect, test } from '@jest/globals';
import { eventually } from '@parley/testing';
import { cancelNotification } from '../../src/notifications/cancel-notification.ts';
import { startNotifications } from '../service.ts';
import { timing } from './timing.ts';

const timed = timing();
const { at, attempt, chatTo, dueOf, send, status, texts } = timed;

describe('steps', () => {
  const target = () => ({
    ...chatTo(),
    in_app: { user_id: 'ann' },
    webhook: { url: `${timed.outside.url}/hook` },
  });
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
    expect(timed.outside.requests).toHaveLength(0);
    await attempt(at('2026-07-01T10:15:00Z'), id);
    expect((await status(id)).status).toBe('sent');
  });

  test('are skipped when the item was read', async () => {
    const [unread, read] = await Promise.all(
      [1, 2].map(() => send(at('2026-07-01T10:00:00Z'), escalation('read'))),
    );
    const api = await timed.api();
    const item = `iap_${read!.notification_id.slice('ntf_'.length)}`;
    await api.put(`/v1/notifications/${item}/read`, {}).expect(200);
    for (const { notification_id: id } of [unread!, read!]) await attempt(at('2026-07-01T10:15:00Z'), id);
    expect(await status(unread!.notification_id)).toMatchObject({ status: 'sent' });
    expect(await status(read!.notification_id)).toMatchObject({
      status: 'canceled',
      attempts: 0,
      last_error_class: 'not_needed',
    });
    expect(timed.outside.requests).toHaveLength(1);
  });

  test('are skipped when another channel was delivered, but not when it failed', async () => {
    const body = {
      channels: ['webhook'],
      target: { webhook: { url: `${timed.outside.url}/hook` }, chat: chatTo().chat },
      steps: [{ channels: ['chat'], after: 60, unless: 'delivered' }],
    };
    const [failed, delivered] = [
      await send(at('2026-07-01T10:00:00Z'), body),
      await send(at('2026-07-01T10:00:00Z'), body),
    ];
    timed.outside.script(404);
    await attempt(at('2026-07-01T10:00:01Z'), failed.notification_id, 'webhook');
    await attempt(at('2026-07-01T10:00:01Z'), delivered.notification_id, 'webhook');
    for (const { notification_id: id } of [failed, delivered]) await attempt(at('2026-07-01T10:01:00Z'), id);
    expect((await status(failed.notification_id)).status).toBe('sent');
    expect((await status(delivered.notification_id)).status).toBe('canceled');
  });

  test('are skipped when it was clicked; reading alone is not enough', async () => {
    const [read, clicked] = await Promise.all(
      [1, 2].map(() => send(at('2026-07-01T10:00:00Z'), escalation('clicked'))),
    );
    const api = await timed.api();
    for (const [{ notification_id: id }, body] of [
      [read!, {}],
      [clicked!, { clicked: true }],
    ] as const)
      await api.put(`/v1/notifications/iap_${id.slice('ntf_'.length)}/read`, body).expect(200);
    for (const { notification_id: id } of [read!, clicked!]) await attempt(at('2026-07-01T10:15:00Z'), id);
    expect(await status(read!.notification_id)).toMatchObject({ status: 'sent' });
    expect(await status(clicked!.notification_id)).toMatchObject({
      status: 'canceled',
      attempts: 0,
      last_error_class: 'not_needed',
    });
  });

  test('are canceled with their send', async () => {
    const now = at('2026-07-01T10:00:00Z');
    const { notification_id: id } = await send(now, escalation());
    await cancelNotification(now, timed.caller, id);
    await attempt(at('2026-07-01T10:15:00Z'), id);
    expect((await status(id)).status).toBe('canceled');
    expect(timed.outside.requests).toHaveLength(0);
  });

  test('wait for quiet hours, and their push or item keeps its full lifetime', async () => {
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
    ['/timezone', { timezone: 'UTC' }, 'needs quiet_hours, send_window or digest.at'],
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
    const api = await timed.api();
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

test('run by themselves: a digest and a step, when they are due', async () => {
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
    await eventually(() => timed.outside.requests.length === 1);
    expect(texts()).toEqual(['3 new']);
    const { items } = (await worked.api.get('/v1/notifications?user_id=ann').expect(200)).body as {
      items: object[];
    };
    expect(items).toMatchObject([{ body: '3 new' }]);
  } finally {
    await worked.stop();
  }
});
