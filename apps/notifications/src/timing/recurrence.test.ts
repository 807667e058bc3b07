// Occurrences of rules around clock changes, compared with the search that digests use, which a
// table of `Intl` checks (clock-changes.test.ts), and bounds of rules.
import { describe, expect, test } from '@jest/globals';
import { findNextClockTime } from './quiet-hours.ts';
import {
  findFirstOccurrence,
  findNextOccurrence,
  findRuleProblem,
  OCCURRENCE_GAP_MS,
  type Recurrence,
} from './recurrence.ts';

const HOUR_MS = 60 * 60_000;

const CHANGES = [
  ['Europe/Berlin', '2026-03-29'],
  ['Europe/Berlin', '2026-10-25'],
  ['America/New_York', '2026-03-08'],
  ['Australia/Lord_Howe', '2026-04-05'],
  ['Australia/Lord_Howe', '2026-10-04'],
  ['America/Santiago', '2026-04-05'],
  ['America/Santiago', '2026-09-06'],
  ['Africa/Cairo', '2026-04-24'],
  ['Africa/Cairo', '2026-10-30'],
  ['Antarctica/Troll', '2026-03-29'],
  ['Asia/Kathmandu', '2026-06-01'],
] as const;

function listOccurrences(recurrence: Recurrence, count: number): number[] {
  const first = findFirstOccurrence(recurrence);
  const found: number[] = [];
  for (let atMs = first, number = 1; atMs !== null && found.length < count; number += 1) {
    found.push(atMs);
    atMs = findNextOccurrence(recurrence, { atMs, number }, atMs)?.atMs ?? null;
  }
  return found;
}

describe.each(CHANGES)('in %s around %s', (timezone, date) => {
  const startsAtMs = Date.parse(date) - 36 * HOUR_MS;

  test.each(Array.from({ length: 24 * 2 }, (_, index) => index))(
    'a daily time occurs as a digest would, at half hour %i',
    (half) => {
      const [hour, minute] = [Math.floor(half / 2), (half % 2) * 30];
      const time = `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
      const rrule = `FREQ=DAILY;BYHOUR=${hour};BYMINUTE=${minute}`;
      const expected = [findNextClockTime(timezone, { time }, startsAtMs - 1)];
      // Three hours later, since a repeated time is one occurrence.
      while (expected.length < 4)
        expected.push(findNextClockTime(timezone, { time }, expected.at(-1)! + 3 * HOUR_MS));
      expect(listOccurrences({ rrule, timezone, startsAtMs }, 4)).toEqual(expected);
    },
  );

  test.each([0, 15, 30, 45])('hours are an hour apart and none is lost, at minute %i', (minute) => {
    const rrule = `FREQ=HOURLY;BYMINUTE=${minute}`;
    const found = listOccurrences({ rrule, timezone, startsAtMs }, 72);
    const waits = found.slice(1).map((at, index) => at - found[index]!);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(OCCURRENCE_GAP_MS);
    expect(Math.max(...waits)).toBeLessThanOrEqual(3 * HOUR_MS);
  });
});

const berlin = (rrule: string, startsAt = '2026-01-31T08:30:00Z'): Recurrence => ({
  rrule,
  timezone: 'Europe/Berlin',
  startsAtMs: Date.parse(startsAt),
});

test.each<[string, string[]]>([
  ['FREQ=DAILY', ['2026-01-31T08:30', '2026-02-01T08:30', '2026-02-02T08:30']],
  ['FREQ=MONTHLY', ['2026-01-31T08:30', '2026-03-31T07:30', '2026-05-31T07:30']],
  [
    'FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=9;BYMINUTE=0',
    ['2026-02-27T08:00', '2026-03-27T08:00', '2026-04-24T07:00'],
  ],
  [
    'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;BYHOUR=9,17;BYMINUTE=0',
    ['2026-02-09T08:00', '2026-02-09T16:00', '2026-02-23T08:00'],
  ],
  ['FREQ=DAILY;COUNT=2', ['2026-01-31T08:30', '2026-02-01T08:30']],
  ['COUNT=1;FREQ=DAILY', ['2026-01-31T08:30']],
  // UNTIL is UTC, the last moment included.
  ['FREQ=DAILY;UNTIL=20260201T083000Z', ['2026-01-31T08:30', '2026-02-01T08:30']],
  ['FREQ=DAILY;UNTIL=20260201T082959Z', ['2026-01-31T08:30']],
])('%s', (rrule, expected) => {
  expect(findRuleProblem(berlin(rrule))).toBeUndefined();
  const found = listOccurrences(berlin(rrule), 3).map((at) => new Date(at).toISOString().slice(0, 16));
  expect(found).toEqual(expected);
});

test.each<[string, RegExp]>([
  ['', /has ""/],
  ['FREQ=MINUTELY', /value that FREQ must not have/],
  ['FREQ=DAILY;BYMINUTE=0,30', /value that BYMINUTE must not have/],
  ['FREQ=DAILY;BYSECOND=5', /has "BYSECOND"/],
  ['FREQ=DAILY;BYHOUR=25', /value that BYHOUR must not have/],
  ['FREQ=DAILY;INTERVAL=0', /value that INTERVAL must not have/],
  ['FREQ=DAILY;COUNT=1001', /value that COUNT must not have/],
  ['FREQ=DAILY;COUNT=2;UNTIL=20270101T000000Z', /both COUNT and UNTIL/],
  ['FREQ=DAILY;UNTIL=20271399T000000Z', /UNTIL is not a time/],
  ['FREQ=DAILY;UNTIL=20250101T000000Z', /has no occurrence/],
  ['FREQ=DAILY;FREQ=WEEKLY', /has FREQ twice/],
  ['FREQ=DAILY\nEXDATE:20260101T000000Z', /value that FREQ must not have/],
  ['RRULE:FREQ=DAILY', /has "RRULE:FREQ"/],
  ['BYDAY=MO', /is not accepted/],
  ['FREQ=DAILY;BYSETPOS=3', /is not accepted/],
  ['FREQ=WEEKLY;BYMONTHDAY=1', /is not accepted/],
  ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', /is not accepted/],
  ['FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30', /is not accepted/],
  ['FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30', /is not accepted/],
  ['FREQ=HOURLY;INTERVAL=24;BYHOUR=3', /is not accepted/],
])('%s is refused within a second', (rrule, problem) => {
  const startedAtMs = performance.now();
  expect(findRuleProblem(berlin(rrule))).toMatch(problem);
  expect(performance.now() - startedAtMs).toBeLessThan(1_000);
});

test('missed occurrences are left out, and counted', () => {
  const last = { atMs: Date.parse('2026-01-31T08:30:00Z'), number: 1 };
  const now = Date.parse('2026-02-03T12:00:00Z');
  const atMs = Date.parse('2026-02-04T08:30:00Z');
  expect(findNextOccurrence(berlin('FREQ=DAILY'), last, now)).toMatchObject({ atMs });
  expect(findNextOccurrence(berlin('FREQ=DAILY;COUNT=5'), last, now)).toEqual({ atMs, number: 5 });
  expect(findNextOccurrence(berlin('FREQ=DAILY;COUNT=4'), last, now)).toBeNull();
});

test('the next occurrence after years is found at once', () => {
  const last = { atMs: Date.parse('2036-01-31T08:30:00Z'), number: 80_000 };
  const startedAtMs = performance.now();
  expect(findNextOccurrence(berlin('FREQ=HOURLY'), last, last.atMs)?.atMs).toBe(last.atMs + HOUR_MS);
  expect(performance.now() - startedAtMs).toBeLessThan(500);
});
