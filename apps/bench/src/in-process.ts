// A variant that runs in this process: one operation, called over and over.
import type { Variant } from './harness.ts';

/**
 * The clock is read about this often; reading it after every operation of half a microsecond would
 * be measured as well.
 */
const CLOCK_EVERY_MS = 1;

/**
 * `operation` gets a number that rises with every call, to choose an input by, and returns a number
 * of its result: the sum is kept, so that the compiler cannot leave the work out.
 */
export function inProcess(name: string, operation: (call: number) => number): Variant {
  let calls = 0;
  let batch = 1;
  let sum = 0;
  return {
    name,
    run: (seconds) => {
      const first = calls;
      const cpuBefore = process.cpuUsage();
      const startedAt = performance.now();
      const until = startedAt + seconds * 1000;
      let at = startedAt;
      do {
        for (let left = batch; left > 0; left -= 1) sum += operation(calls++);
        const now = performance.now();
        if (now - at < CLOCK_EVERY_MS / 2) batch *= 2;
        else if (now - at > CLOCK_EVERY_MS * 2) batch = Math.max(1, batch >> 1);
        at = now;
      } while (at < until);
      if (!Number.isFinite(sum)) throw new Error(`${name}: the results do not add up`);
      const cpu = process.cpuUsage(cpuBefore);
      return {
        operations: calls - first,
        seconds: (at - startedAt) / 1000,
        cpuSeconds: (cpu.user + cpu.system) / 1e6,
      };
    },
  };
}
