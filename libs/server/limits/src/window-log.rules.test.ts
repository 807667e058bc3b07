import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { countSince, emptyLog, untilRoomMs } from './window-log.rules.ts';

test('an entry expires exactly when it is a window old', () => {
  const log = emptyLog();
  log.times.push(1_000);
  expect(countSince(log, 60_999, 60_000)).toBe(1);
  expect(untilRoomMs(log, 60_999, 60_000, 1)).toBe(1);
  expect(countSince(log, 61_000, 60_000)).toBe(0);
  expect(untilRoomMs(log, 61_000, 60_000, 1)).toBe(0);
});

test('after a limit was lowered, room comes when enough entries have expired', () => {
  const log = emptyLog();
  log.times.push(0, 10, 20, 30);
  expect(untilRoomMs(log, 50, 100, 2)).toBe(70); // 0, 10 and 20 must expire
});

test('never more than the limit in any window, and never refused without reason', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 400 });
  fc.assert(
    fc.property(gaps, fc.integer({ min: 1, max: 8 }), (steps, limit) => {
      const windowMs = 100;
      const log = emptyLog();
      const admitted: number[] = [];
      let nowMs = 0;
      for (const step of steps) {
        nowMs += step;
        const inWindow = admitted.filter((time) => time > nowMs - windowMs).length;
        const fits = countSince(log, nowMs, windowMs) < limit;
        expect(fits).toBe(inWindow < limit);
        if (!fits) {
          const free = nowMs + untilRoomMs(log, nowMs, windowMs, limit);
          const countedAt = (atMs: number) => admitted.filter((time) => time > atMs - windowMs).length;
          expect([countedAt(free - 1) >= limit, countedAt(free) < limit]).toEqual([true, true]);
          continue;
        }
        log.times.push(nowMs);
        admitted.push(nowMs);
      }
    }),
  );
});
