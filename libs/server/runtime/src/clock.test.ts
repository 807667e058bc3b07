import { expect, test } from '@jest/globals';
import { createIds, deriveId, isTimeZone, systemClock } from './clock.ts';

test('an id has its prefix and is safe in a URL and in a queue job id', () => {
  const id = createIds()('bot');
  expect(id).toMatch(/^bot_[0-9a-z]{26}$/);
});

test('ids of one moment are distinct and sort in the order of their creation', () => {
  const ids = createIds(() => 1_800_000_000_000);
  const made = Array.from({ length: 1_000 }, () => ids('x'));
  expect(new Set(made).size).toBe(1_000);
  expect([...made].sort()).toEqual(made);
});

test('ids sort by time, and never backwards when the clock is set back', () => {
  let nowMs = 1_800_000_000_000;
  const ids = createIds(() => nowMs);
  const first = ids('x');
  nowMs -= 60_000;
  const second = ids('x');
  nowMs += 120_000;
  expect([first, second, ids('x')].sort()[0]).toBe(first);
  expect(second > first).toBe(true);
});

test('the clock returns epoch milliseconds', () => {
  expect(Math.abs(systemClock() - Date.now())).toBeLessThan(1_000);
});

test('a time zone is an IANA name, never an offset', () => {
  expect(['Europe/Berlin', 'UTC', 'America/Argentina/Buenos_Aires', 'Asia/Calcutta'].every(isTimeZone)).toBe(
    true,
  );
  expect(['', 'Berlin', '+02', '+02:00', '-0530', 'Europe/Nowhere', '../etc'].some(isTimeZone)).toBe(false);
});

test('a derived id is that of its fact alone, as long as others, and after each of them', () => {
  const id = deriveId('evt', ['acme', 'c'], ['conversation.started', '']);
  expect(id).toBe(deriveId('evt', ['acme', 'c'], ['conversation.started', '']));
  expect(id).toMatch(/^evt_x[0-9a-f]{25}$/);
  const others = [
    deriveId('evt', ['acme', 'd'], ['conversation.started', '']),
    deriveId('evt', ['acme', 'c'], ['conversation.started', '1']),
    deriveId('evt', ['acme'], ['c', 'conversation.started', '']),
  ];
  expect(new Set([id, ...others]).size).toBe(4);
  expect(others[1]!.slice(0, 13)).toBe(id.slice(0, 13));
  expect(id.slice(4) > createIds(() => 2 ** 48 - 1)('bot').slice(4)).toBe(true);
});

test('no id of an event is random', () => {
  expect(() => createIds()('evt')).toThrow('the id of an event derives from its fact');
});
