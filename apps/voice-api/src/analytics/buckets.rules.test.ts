// Compares bucket edges with Intl, an implementation that shares no code with ours.
import { describe, expect, test } from '@jest/globals';
import { IANAZone } from 'luxon';
import { QUARTER_MS } from './blocks.rules.ts';
import { INTERVALS, bucketEdges, type Interval } from './buckets.rules.ts';

const edgesOf = (from: string, to: string, interval: Interval, timezone: string): number[] => {
  const zone = IANAZone.create(timezone);
  return bucketEdges(Date.parse(from), Date.parse(to), interval, (atMs) => zone.offset(atMs) * 60_000);
};
const iso = (edges: readonly number[]): string[] =>
  edges.map((at) => new Date(at).toISOString().slice(5, 16));

test('a repeated hour makes two buckets, a skipped hour none', () => {
  const autumn = edgesOf('2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z', 'hour', 'Europe/Berlin');
  expect(autumn).toHaveLength(25 + 1);
  const spring = edgesOf('2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z', 'hour', 'Europe/Berlin');
  expect(spring).toHaveLength(23 + 1);
});

test('days on which the clocks change are shorter or longer', () => {
  expect(iso(edgesOf('2026-10-23T22:00:00Z', '2026-10-26T23:00:00Z', 'day', 'Europe/Berlin'))).toEqual([
    '10-23T22:00',
    '10-24T22:00',
    '10-25T23:00',
    '10-26T23:00',
  ]);
  // Lord Howe goes from +11:00 back to +10:30: a day of 24.5 hours.
  expect(iso(edgesOf('2026-04-03T13:00:00Z', '2026-04-05T13:30:00Z', 'day', 'Australia/Lord_Howe'))).toEqual([
    '04-03T13:00',
    '04-04T13:00',
    '04-05T13:30',
  ]);
});

test('a change by half an hour makes one short bucket, and later hours are whole', () => {
  // Back: 01:00 +11:00, then 01:30 +10:30 for half an hour, then 02:00.
  expect(iso(edgesOf('2026-04-04T13:00:00Z', '2026-04-04T17:30:00Z', 'hour', 'Australia/Lord_Howe'))).toEqual(
    ['04-04T13:00', '04-04T14:00', '04-04T15:00', '04-04T15:30', '04-04T16:30', '04-04T17:30'],
  );
});

test('a day without midnight begins at one; a day with two midnights begins at the first', () => {
  expect(iso(edgesOf('2026-04-22T22:00:00Z', '2026-04-25T21:00:00Z', 'day', 'Africa/Cairo'))).toEqual([
    '04-22T22:00',
    '04-23T22:00',
    '04-24T21:00',
    '04-25T21:00',
  ]);
  expect(iso(edgesOf('2026-10-31T04:00:00Z', '2026-11-02T05:00:00Z', 'day', 'America/Havana'))).toEqual([
    '10-31T04:00',
    '11-01T04:00',
    '11-02T05:00',
  ]);
});

test('the window cuts the first and the last bucket', () => {
  expect(iso(edgesOf('2026-11-18T10:15:00Z', '2026-11-25T01:45:00Z', 'week', 'Asia/Kathmandu'))).toEqual([
    '11-18T10:15',
    '11-22T18:15',
    '11-25T01:45',
  ]);
  expect(iso(edgesOf('2026-11-18T10:15:00Z', '2026-11-18T10:30:00Z', 'month', 'UTC'))).toEqual([
    '11-18T10:15',
    '11-18T10:30',
  ]);
});

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'America/New_York',
  'America/Havana',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Pacific/Apia',
  'Pacific/Chatham',
];

describe.each(ZONES)('%s, 400 days', (timezone) => {
  const fromMs = Date.parse('2025-12-15T10:30:00Z');
  const toMs = fromMs + 400 * 86_400_000;
  const zone = IANAZone.create(timezone);
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    weekday: 'short',
    timeZoneName: 'longOffset',
  });
  const local = (atMs: number): Record<string, string> =>
    Object.fromEntries(format.formatToParts(atMs).map(({ type, value }) => [type, value]));
  const day = ({ year, month, day: of }: Record<string, string>): number =>
    Date.UTC(+year!, +month! - 1, +of!);
  const labels: Record<Interval, (at: Record<string, string>) => string> = {
    hour: (at) => `${day(at)} ${at['hour']} ${at['timeZoneName']}`,
    day: (at) => String(day(at)),
    week: (at) => {
      const weekday = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].indexOf(at['weekday']!);
      return String(day(at) - weekday * 86_400_000);
    },
    month: (at) => `${at['year']}-${at['month']}`,
  };
  const quarters = Array.from(
    { length: (toMs - fromMs) / QUARTER_MS },
    (_, index) => fromMs + index * QUARTER_MS,
  );
  const locals = quarters.map(local);

  test.each(INTERVALS)('each %s matches the calendar', (interval) => {
    const edges = bucketEdges(fromMs, toMs, interval, (atMs) => zone.offset(atMs) * 60_000);
    const expected = quarters.filter(
      (_, index) => index === 0 || labels[interval](locals[index]!) !== labels[interval](locals[index - 1]!),
    );
    expect(edges).toEqual([...expected, toMs]);
  });
});
