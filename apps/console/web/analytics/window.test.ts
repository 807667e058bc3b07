import { expect, test } from '@jest/globals';
import { computeChange, formatChange, toDates, toWindow } from './window.rules.ts';

/** A local time, so that the tests hold in every zone. */
const at = (...parts: [number, number, number, number?, number?]) => new Date(...parts).toISOString();
const NOW = new Date(2026, 2, 31, 12, 34, 56).getTime();

test('a day has hourly buckets and ends with the current hour', () => {
  expect(toWindow({ span: '24h' }, NOW, 0)).toEqual({
    from: new Date(2026, 2, 30, 13).toISOString(),
    to: at(2026, 2, 31, 13),
    interval: 'hour',
  });
});

test('seven days are whole local days, and compare with the same hours of seven days before', () => {
  expect(toWindow({ span: '7d' }, NOW, 0)).toEqual({
    from: at(2026, 2, 25),
    to: at(2026, 2, 31, 13),
    interval: 'day',
  });
  expect(toWindow({ span: '7d' }, NOW, 1)).toMatchObject({ from: at(2026, 2, 18), to: at(2026, 2, 24, 13) });
});

test('this month compares with as much of the previous one, at most all of it', () => {
  expect(toWindow({ span: 'month' }, NOW, 0)).toMatchObject({
    from: at(2026, 2, 1),
    to: at(2026, 2, 31, 13),
  });
  expect(toWindow({ span: 'month' }, NOW, 1)).toMatchObject({ from: at(2026, 1, 1), to: at(2026, 2, 1) });
  const half = new Date(2026, 2, 15, 9, 30).getTime();
  expect(toWindow({ span: 'month' }, half, 1)).toMatchObject({
    from: at(2026, 1, 1),
    to: at(2026, 1, 15, 10),
  });
});

test('last month compares with the month before', () => {
  expect(toWindow({ span: 'last_month' }, NOW, 0)).toMatchObject({
    from: at(2026, 1, 1),
    to: at(2026, 2, 1),
  });
  expect(toWindow({ span: 'last_month' }, NOW, 1)).toMatchObject({
    from: at(2026, 0, 1),
    to: at(2026, 1, 1),
  });
});

test('an own period includes both dates, and compares with as many days before', () => {
  const own = { span: 'own', from: '2026-02-03', to: '2026-02-05' } as const;
  expect(toWindow(own, NOW, 0)).toEqual({ from: at(2026, 1, 3), to: at(2026, 1, 6), interval: 'day' });
  expect(toWindow(own, NOW, 1)).toMatchObject({ from: at(2026, 0, 31), to: at(2026, 1, 3) });
  expect(toDates(toWindow(own, NOW, 0))).toEqual({ from: '2026-02-03', to: '2026-02-05' });
});

test('an own period ends with the current hour, and needs dates in order', () => {
  const until = { span: 'own', from: '2026-03-31', to: '2026-12-31' } as const;
  expect(toWindow(until, NOW, 0)).toEqual({
    from: at(2026, 2, 31),
    to: at(2026, 2, 31, 13),
    interval: 'hour',
  });
  const days = toWindow({ span: '7d' }, NOW, 0);
  for (const period of [
    { span: 'own' },
    { ...until, to: '2026-03-01' },
    { ...until, from: '2027-01-01' },
  ] as const)
    expect(toWindow(period, NOW, 0)).toEqual(days);
});

test('a year has weekly buckets', () => {
  expect(toWindow({ span: 'own', from: '2025-04-01', to: '2026-03-01' }, NOW, 0).interval).toBe('week');
});

test.each([
  [12, 10, 20],
  [5, 10, -50],
  [5, 0, null],
  [null, 10, null],
  [5, null, null],
])('computes the change to %p from %p as %p percent', (now, before, change) => {
  expect(computeChange(now, before)).toBe(change);
});

test.each([
  [0.04, 0.02, 2, '+2 points'],
  [0.905, 0.92, -1.5, '-1.5 points'],
  [0.5, 0, 50, '+50 points'],
  [0.3, 0.3, 0, '0 points'],
])('the change of a rate to %p from %p is %p points', (now, before, change, text) => {
  expect(computeChange(now, before, true)).toBe(change);
  expect(formatChange(change, true)).toBe(text);
});

test('a rate without a figure before has no change', () => {
  expect(computeChange(0.5, null, true)).toBeNull();
});
