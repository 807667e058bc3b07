import { expect, test } from '@jest/globals';
import { emptyTiming, timingFrom, timingOf, workflowTimingOf } from './timing.rules.ts';

test('an empty form makes no members', () => expect(timingOf(emptyTiming)).toEqual({}));

test('hours, days, time zone, key and steps become members', () => {
  expect(
    timingOf({
      ...emptyTiming,
      quietFrom: '22:00',
      quietUntil: '07:00',
      windowFrom: '09:00',
      windowUntil: '00:00',
      days: ['mon', 'fri'],
      timezone: ' Europe/Berlin ',
      many: 'digest',
      key: 'orders',
      seconds: '600',
      steps: [{ channels: ['email'], after: '600', unless: 'read' }],
      callbackUrl: 'https://example.com/settled',
      tracked: ['clicks'],
    }),
  ).toEqual({
    quiet_hours: { from: '22:00', until: '07:00' },
    send_window: { from: '09:00', until: '24:00', days: ['mon', 'fri'] },
    timezone: 'Europe/Berlin',
    digest: { key: 'orders', window: 600 },
    steps: [{ channels: ['email'], after: 600, unless: 'read' }],
    callback_url: 'https://example.com/settled',
    track: { clicks: true },
  });
});

test('days without hours are whole days', () =>
  expect(timingOf({ ...emptyTiming, days: ['sun'] })).toEqual({
    send_window: { from: '00:00', until: '24:00', days: ['sun'] },
  }));

test('a workflow becomes a form and the same workflow again', () => {
  const workflow = {
    quiet_hours: { from: '22:00', until: '07:00' },
    send_window: { from: '09:00', until: '24:00', days: ['mon' as const] },
    timezone: 'Europe/Berlin',
    digest: { at: { time: '09:00', days: ['mon' as const, 'thu' as const] } },
    steps: [{ channels: ['email' as const], after: 600, unless: 'read' as const }],
    track: { clicks: true },
  };
  const track = { opens: false, clicks: true };
  expect(workflowTimingOf(timingFrom({ ...workflow, track }))).toEqual(workflow);
  expect(workflowTimingOf(timingFrom({ throttle: { per: 60 } }))).toEqual({ throttle: { per: 60 } });
  expect(workflowTimingOf(timingFrom({ digest: { window: 60 } }))).toEqual({ digest: { window: 60 } });
  expect(workflowTimingOf(timingFrom({}))).toEqual({});
});
