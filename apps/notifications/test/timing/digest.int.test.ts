// Digests: sends that become one. The test sets the clock.
import { beforeEach, describe, expect, test } from '@jest/globals';
import { createBulkAcceptor } from '../../src/accept/accept-bulk.ts';
import { cancelNotification } from '../../src/notifications/cancel-notification.ts';
import { DIGEST_ITEMS_MAX } from '../../src/accept/throttle-and-digest.ts';
import { context, timing, uncharged, type Answer } from './timing.ts';

const timed = timing();
const { at, attempt, chatTo, dueOf, send, status, texts } = timed;

describe('a digest', () => {
  const digest = { key: 'comments', window: 600 };
  const items = '{{ count }}:{% for item in items %} {{ item.text }}{% endfor %}';
  beforeEach(async () => {
    const api = await timed.api();
    const content = { default_locale: 'en', locales: [{ locale: 'en', message: items }] };
    await api.put('/v1/templates/comments', content).expect(201);
  });
  const comment = (text: string, more: object = {}) => ({
    message: undefined,
    digest,
    template: { id: 'comments', data: { text } },
    ...more,
  });

  test('collects the sends of its window, and sends one', async () => {
    const first = await send(at('2026-07-01T10:00:00Z'), comment('a'));
    const closes = Date.parse('2026-07-01T10:10:00Z') / 1000;
    expect(first).toMatchObject({ accepted_channels: ['chat'], digest: { closes_at: closes, count: 1 } });
    const second = await send(at('2026-07-01T10:09:59Z'), comment('b'));
    expect(second).toMatchObject({
      notification_id: first.notification_id,
      digest: { closes_at: closes, count: 2 },
    });
    expect(await dueOf(first.notification_id)).toBe('2026-07-01T10:10:00.000Z');
    timed.outside.script(503);
    await attempt(at('2026-07-01T10:10:00Z'), first.notification_id);
    const next = await send(at('2026-07-01T10:10:00Z'), comment('c'));
    expect(next.notification_id).not.toBe(first.notification_id);
    await attempt(at('2026-07-01T10:20:00Z'), first.notification_id);
    expect(texts()).toEqual(['2: a b', '2: a b']);
    await attempt(at('2026-07-01T10:20:00Z'), next.notification_id);
    expect(texts()[2]).toBe('1: c');
  });

  test('at a time of day collects until then, in the recipient’s zone', async () => {
    const api = await timed.api();
    const ann = { chat_webhook: `${timed.outside.url}/ann`, time_zone: 'America/New_York' };
    await api.put('/v1/recipients/ann', ann).expect(201);
    const daily = {
      digest: { key: 'daily', at: { time: '09:00', days: ['mon', 'thu'] } },
      target: { chat: { user_id: 'ann' } },
    };
    const first = await send(at('2026-07-03T10:00:00Z'), comment('a', daily));
    // Monday, 09:00 in New York
    const closes = Date.parse('2026-07-06T13:00:00Z') / 1000;
    expect(first.digest).toEqual({ closes_at: closes, count: 1 });
    const second = await send(at('2026-07-06T12:59:59Z'), comment('b', daily));
    expect(second).toMatchObject({ notification_id: first.notification_id, digest: { count: 2 } });
    expect(await dueOf(first.notification_id)).toBe('2026-07-06T13:00:00.000Z');
    const { target: _, ...toNobody } = daily;
    await expect(send(at('2026-07-03T10:00:00Z'), comment('a', toNobody))).rejects.toMatchObject({
      fields: [{ path: '/timezone', message: expect.stringContaining('is required') }],
    });
    const berlin = await send(
      at('2026-07-03T10:00:00Z'),
      comment('a', { ...toNobody, timezone: 'Europe/Berlin' }),
    );
    expect(await dueOf(berlin.notification_id)).toBe('2026-07-06T07:00:00.000Z');
  });

  test('that waits for quiet hours is joined until they end', async () => {
    const quiet = { timezone: 'UTC', quiet_hours: { from: '22:00', until: '07:00' } };
    const first = await send(at('2026-07-01T21:55:00Z'), comment('a', quiet));
    const closes = Date.parse('2026-07-02T07:00:00Z') / 1000;
    expect(first.digest).toEqual({ closes_at: closes, count: 1 });
    const second = await send(at('2026-07-02T06:59:00Z'), comment('b', quiet));
    expect(second).toMatchObject({ notification_id: first.notification_id, digest: { count: 2 } });
    await attempt(at('2026-07-02T07:00:00Z'), first.notification_id);
    expect(texts()).toEqual(['2: a b']);
  });

  test('with an inbox closes with its window, although the chat waits for quiet hours', async () => {
    const both = {
      timezone: 'UTC',
      quiet_hours: { from: '22:00', until: '07:00' },
      channels: ['chat', 'in_app'],
      target: { ...chatTo(), in_app: { user_id: 'ann' } },
    };
    const first = await send(at('2026-07-01T21:55:00Z'), comment('a', both));
    expect(first.digest?.closes_at).toBe(Date.parse('2026-07-01T22:05:00Z') / 1000);
    const later = await send(at('2026-07-01T22:06:00Z'), comment('b', both));
    expect(later.notification_id).not.toBe(first.notification_id);
  });

  test('closed early by a worker’s fast clock, accepts nothing more', async () => {
    const first = await send(at('2026-07-01T10:00:00Z'), comment('a'));
    await attempt(at('2026-07-01T10:10:01Z'), first.notification_id);
    const late = await send(at('2026-07-01T10:09:58Z'), comment('b'));
    expect(late.notification_id).not.toBe(first.notification_id);
    expect(texts()).toEqual(['1: a']);
  });

  test('has one target: nobody gets another person’s content', async () => {
    const now = at('2026-07-01T10:00:00Z');
    const ann = await send(now, comment('for ann'));
    const bob = await send(now, comment('for bob', { target: chatTo('/bob') }));
    expect(bob.notification_id).not.toBe(ann.notification_id);
  });

  test('contains every concurrent send, and every send of one call', async () => {
    const now = at('2026-07-01T10:00:00Z');
    const all = await Promise.all(Array.from({ length: 10 }, (_, index) => send(now, comment(`${index}`))));
    expect(new Set(all.map(({ notification_id: id }) => id)).size).toBe(1);
    const sends = [comment('x'), comment('y', { digest: { key: 'new', window: 60 } })].flatMap((one) => {
      const { message: _, ...body } = one;
      return [1, 2].map(() => ({ channels: ['chat'], target: chatTo(), ...body }));
    });
    const { items: answers } = await createBulkAcceptor(now)(
      timed.caller,
      sends,
      context,
      undefined,
      uncharged,
    );
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

  test('stores a maximum of items, and counts the rest', async () => {
    const now = at('2026-07-01T10:00:00Z');
    const { message: _, ...body } = comment('x');
    const sends = Array.from({ length: DIGEST_ITEMS_MAX + 5 }, () => ({
      channels: ['chat'],
      target: chatTo(),
      ...body,
    }));
    const { items: answers } = await createBulkAcceptor(now)(
      timed.caller,
      sends,
      context,
      undefined,
      uncharged,
    );
    const [{ notification_id: id }] = answers as unknown as [Answer];
    await attempt(at('2026-07-01T10:10:00Z'), id);
    expect(texts()[0]).toBe(`105:${' x'.repeat(DIGEST_ITEMS_MAX)}`);
  });

  test('contains as many items as fit the channel', async () => {
    const now = at('2026-07-01T10:00:00Z');
    const text = 'x'.repeat(3_000);
    const { notification_id: id } = await send(now, comment(text));
    for (let count = 0; count < 7; count += 1) await send(now, comment(text));
    await attempt(at('2026-07-01T10:10:00Z'), id);
    expect(texts()[0]).toBe(`8:${` ${text}`.repeat(2)}`);
  });

  test('canceled, it sends nothing, and the next send opens another', async () => {
    const now = at('2026-07-01T10:00:00Z');
    const first = await send(now, comment('a'));
    await cancelNotification(now, timed.caller, first.notification_id);
    const next = await send(now, comment('b'));
    expect(next.notification_id).not.toBe(first.notification_id);
    await attempt(at('2026-07-01T10:10:00Z'), next.notification_id);
    expect(texts()).toEqual(['1: b']);
    expect((await status(first.notification_id)).status).toBe('canceled');
  });

  test('without its template it fails with the reason', async () => {
    const { notification_id: id } = await send(at('2026-07-01T10:00:00Z'), comment('a'));
    const api = await timed.api();
    await api.delete('/v1/templates/comments').expect(204);
    await attempt(at('2026-07-01T10:10:00Z'), id);
    expect(await status(id)).toMatchObject({ status: 'failed', last_error_class: 'template_gone' });
  });
});
