// Compares the search for an allowed moment with a table of every minute around clock changes. The
// table is made by `Intl`, so it shares nothing with the code that it checks.
import { describe, expect, test } from '@jest/globals';
import { findAllowedTime, findNextClockTime, type Hours } from './quiet-hours.ts';

const MINUTE_MS = 60_000;
const DAYS_BEFORE = 1;
const DAYS_AFTER = 4;
const CASES_PER_CHANGE = 100;

/** A missing or repeated hour, half an hour, two hours, and changes at midnight. */
const CHANGES = [
  ['Europe/Berlin', '2026-03-29'],
  ['Europe/Berlin', '2026-10-25'],
  ['America/New_York', '2026-03-08'],
  ['America/New_York', '2026-11-01'],
  ['Australia/Lord_Howe', '2026-04-05'],
  ['Australia/Lord_Howe', '2026-10-04'],
  ['America/Santiago', '2026-04-05'],
  ['America/Santiago', '2026-09-06'],
  ['Africa/Cairo', '2026-04-24'],
  ['Africa/Cairo', '2026-10-30'],
  ['Antarctica/Troll', '2026-03-29'],
  ['Antarctica/Troll', '2026-10-25'],
  ['Asia/Kathmandu', '2026-06-01'],
] as const;

interface Minute {
  readonly ms: number;
  readonly time: string;
  readonly day: string;
}

function readMinutes(timeZone: string, date: string): readonly Minute[] {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const startMs = Date.parse(date) - DAYS_BEFORE * 1440 * MINUTE_MS;
  return Array.from({ length: (DAYS_BEFORE + DAYS_AFTER) * 1440 }, (_, index) => {
    const ms = startMs + index * MINUTE_MS;
    const [day = '', time = ''] = format.format(ms).split(/,? /);
    return { ms, time, day: day.toLowerCase() };
  });
}

/** Deterministic numbers from 0 to below `below`. */
function createNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const ALL_DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

function isAllowed({ quiet, window }: Hours, { time, day }: Minute): boolean {
  const { from = '', until = '' } = quiet ?? {};
  const isOver = from < until ? time < from || time >= until : time < from && time >= until;
  if (quiet && !isOver) return false;
  if (!window) return true;
  return time >= window.from && time < window.until && (window.days ?? ALL_DAYS).includes(day);
}

describe.each(CHANGES)('in %s on %s', (timezone, date) => {
  const minutes = readMinutes(timezone, date);
  const random = createNumbers(date.length + Number(date.replaceAll('-', '')));
  const searchable = (DAYS_BEFORE + 1) * 1440;
  /** Mostly at night, when clocks change. */
  const clock = () => {
    const hour = random(3) === 0 ? random(24) : (22 + random(7)) % 24;
    return `${String(hour).padStart(2, '0')}:${String(random(4) * 15).padStart(2, '0')}`;
  };

  test('the first allowed moment is that of the table', () => {
    const wrong: unknown[] = [];
    for (let count = 0; count < CASES_PER_CHANGE; count += 1) {
      const [from, until, opens, closes] = [clock(), clock(), clock(), clock()];
      const quiet = from === until || random(3) === 0 ? undefined : { from, until };
      const days = random(2) === 0 ? undefined : ALL_DAYS.filter(() => random(2) === 0).slice(0, 5);
      const window =
        opens < closes && random(2) === 0
          ? { from: opens, until: closes, days: days?.length ? days : undefined }
          : undefined;
      const hours: Hours = { timezone, quiet, window };
      const start = random(searchable);
      const expected = minutes.slice(start).find((minute) => isAllowed(hours, minute));
      const found = findAllowedTime(hours, minutes[start]!.ms);
      // Beyond the table the search may go on.
      const isSame = expected ? found === expected.ms : found === null || found > minutes.at(-1)!.ms;
      if (!isSame) wrong.push({ hours, from: minutes[start], expected, found });
    }
    expect(wrong).toEqual([]);
  });

  test('the next time of day is that of the table, or the change that skips it', () => {
    const wrong: unknown[] = [];
    for (let count = 0; count < CASES_PER_CHANGE; count += 1) {
      const time = clock();
      const start = random(searchable);
      const expected = minutes.findIndex(
        (minute, index) =>
          index > start && (minute.time === time || skips(minutes[index - 1]!, minute, time)),
      );
      const found = findNextClockTime(timezone, { time }, minutes[start]!.ms);
      if (found !== minutes[expected]!.ms)
        wrong.push({ time, from: minutes[start], expected: minutes[expected], found });
    }
    expect(wrong).toEqual([]);
  });
});

/** Whether the clock goes from before `time` to after it within one minute. */
function skips(before: Minute, after: Minute, time: string): boolean {
  const toMinutes = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
  const passed = (toMinutes(after.time) - toMinutes(before.time) + 1440) % 1440;
  const wanted = (toMinutes(time) - toMinutes(before.time) + 1440) % 1440;
  // More than half a day is a clock that goes back.
  return passed > 1 && passed < 720 && wanted > 0 && wanted < passed;
}
