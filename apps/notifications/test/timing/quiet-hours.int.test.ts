// Quiet hours and send windows. The test sets the clock.
import { describe, expect, test } from '@jest/globals';
import { timing } from './timing.ts';

const timed = timing();
const { at, attempt, chatTo, dueOf, send, status } = timed;

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
    expect(timed.outside.requests).toHaveLength(0);
    await attempt(at('2026-07-02T05:00:00Z'), id);
    expect((await status(id)).status).toBe('sent');
  });

  test.each([
    ['an hour is missing', '2026-03-28T23:00:00Z', '2026-03-29T05:00:00.000Z'],
    ['an hour is repeated', '2026-10-24T22:00:00Z', '2026-10-25T06:00:00.000Z'],
  ])('in the night in which %s they end at seven', async (_what, now, due) => {
    const { notification_id: id } = await send(at(now), night);
    expect(await dueOf(id)).toBe(due);
    await attempt(at(due), id);
    expect((await status(id)).status).toBe('sent');
  });

  test('a retry waits for them, and the wait costs no attempt', async () => {
    const { notification_id: id } = await send(at('2026-07-01T19:59:00Z'), night);
    timed.outside.script(503);
    await attempt(at('2026-07-01T19:59:00Z'), id);
    await attempt(at('2026-07-01T21:00:00Z'), id);
    expect(timed.outside.requests).toHaveLength(1);
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

  test('use the recipient’s time zone when the send names none', async () => {
    const api = await timed.api();
    await api
      .put('/v1/recipients/ann', { chat_webhook: `${timed.outside.url}/ann`, time_zone: 'Asia/Tokyo' })
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
