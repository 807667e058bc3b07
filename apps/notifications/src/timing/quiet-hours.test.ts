import { describe, expect, test } from '@jest/globals';
import { findAllowedTime, isNeverAllowed, type Hours } from './quiet-hours.ts';

const at = (hours: Hours, from: string) => {
  const ms = findAllowedTime(hours, Date.parse(from));
  return ms === null ? null : new Date(ms).toISOString();
};
const berlin = { timezone: 'Europe/Berlin' };
const night = { ...berlin, quiet: { from: '22:00', until: '07:00' } };
const office = {
  ...berlin,
  window: { from: '09:00', until: '17:00', days: ['mon', 'tue', 'wed', 'thu', 'fri'] },
};

describe('quiet hours', () => {
  test.each([
    ['allow the afternoon', '2026-07-01T13:00:00.000Z', '2026-07-01T13:00:00.000Z'],
    ['allow the minute before they begin', '2026-07-01T19:59:59.999Z', '2026-07-01T19:59:59.999Z'],
    ['move their beginning to their end', '2026-07-01T20:00:00.000Z', '2026-07-02T05:00:00.000Z'],
    ['move a time after midnight to the same day', '2026-07-02T01:30:15.000Z', '2026-07-02T05:00:00.000Z'],
    ['allow their end', '2026-07-02T05:00:00.000Z', '2026-07-02T05:00:00.000Z'],
    ['span the night with a missing hour', '2026-03-28T22:00:00.000Z', '2026-03-29T05:00:00.000Z'],
    ['span the night with a repeated hour', '2026-10-24T21:00:00.000Z', '2026-10-25T06:00:00.000Z'],
  ])('%s', (_what, from, allowed) => expect(at(night, from)).toBe(allowed));

  test('that end in the missing hour end with the change', () => {
    const quiet = { ...berlin, quiet: { from: '00:00', until: '02:30' } };
    // 03:00: the clock skips 02:30
    expect(at(quiet, '2026-03-29T00:30:00Z')).toBe('2026-03-29T01:00:00.000Z');
    expect(at(quiet, '2026-03-30T00:10:00Z')).toBe('2026-03-30T00:30:00.000Z');
  });

  test('that end in the repeated hour end at its next occurrence', () => {
    const quiet = { ...berlin, quiet: { from: '01:00', until: '02:30' } };
    expect(at(quiet, '2026-10-25T00:15:00Z')).toBe('2026-10-25T00:30:00.000Z');
    expect(at(quiet, '2026-10-25T01:15:00Z')).toBe('2026-10-25T01:30:00.000Z');
  });

  test('follow the time zone', () => {
    const kathmandu = { timezone: 'Asia/Kathmandu', quiet: night.quiet };
    expect(at(kathmandu, '2026-07-01T20:00:00Z')).toBe('2026-07-02T01:15:00.000Z');
  });
});

describe('a send window', () => {
  test.each([
    ['allows its open hours', '2026-07-01T08:00:00.000Z', '2026-07-01T08:00:00.000Z'],
    ['waits for its opening', '2026-07-01T05:00:00.000Z', '2026-07-01T07:00:00.000Z'],
    ['at its end waits for the next day', '2026-07-01T15:00:00.000Z', '2026-07-02T07:00:00.000Z'],
    ['waits from Friday to Monday', '2026-07-03T16:00:00.000Z', '2026-07-06T07:00:00.000Z'],
    ['spans the weekend on which clocks change', '2026-10-23T16:00:00.000Z', '2026-10-26T08:00:00.000Z'],
  ])('%s', (_what, from, allowed) => expect(at(office, from)).toBe(allowed));

  test('lasts until 24:00, and combines with quiet hours', () => {
    const sundays = { ...night, window: { from: '00:00', until: '24:00', days: ['sun'] } };
    expect(at(sundays, '2026-07-01T12:00:00Z')).toBe('2026-07-05T05:00:00.000Z');
    expect(at(sundays, '2026-07-05T20:30:00Z')).toBe('2026-07-12T05:00:00.000Z');
  });

  test('within quiet hours is a problem', () => {
    const never = { ...night, window: { from: '23:00', until: '23:30' } };
    expect(isNeverAllowed(never)).toBe(true);
    expect(isNeverAllowed({ ...night, window: { from: '06:00', until: '08:00' } })).toBe(false);
  });
});
