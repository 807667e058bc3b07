// Throttles. The test sets the clock.
import { describe, expect, test } from '@jest/globals';
import { deleteOldThrottles } from '../../src/housekeeping.ts';
import { getNotification } from '../../src/notifications/read-status.ts';
import { timing } from './timing.ts';

const timed = timing();
const { at, send } = timed;

describe('a throttle', () => {
  const throttle = { key: 'disk full', per: 3_600 };

  test('sends one, and reports the others as throttled', async () => {
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
    expect(await getNotification(timed.deps, timed.caller, second.notification_id)).toMatchObject({
      channels: [],
      rejected: [{ channel: 'chat', reason }],
    });
  });

  test('exactly one of many concurrent sends passes; another organisation has its own throttle', async () => {
    const now = at('2026-07-01T10:00:00Z');
    const all = await Promise.all(Array.from({ length: 10 }, () => send(now, { throttle })));
    expect(all.filter(({ accepted_channels: accepted }) => accepted.length > 0)).toHaveLength(1);
    const other = { ...timed.caller, organizationId: `${timed.caller.organizationId}-other` };
    expect((await send(now, { throttle }, other)).accepted_channels).toEqual(['chat']);
    expect(await deleteOldThrottles(timed.deps.sql, Date.parse('2026-07-02T00:00:00Z'))).toBeGreaterThan(0);
  });
});
