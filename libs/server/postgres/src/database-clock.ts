// The clock of a service is that of the database (docs/platform.md#one-clock): the machine's clock,
// corrected by the measured difference, so that reading the time needs no query.
import { within, type Clock } from '@parley/server/runtime';
import type { Sql } from './sql.ts';

const MEASURED_EVERY_MS = 5_000;
const MEASURE_TIMEOUT_MS = 1_000;
/** Smaller differences are within the duration of the query. */
const CORRECTED_FROM_MS = 250;
/**
 * A machine that is off by more is not ready: what it writes by its own clock, such as logs, is
 * wrong.
 */
const WRONG_FROM_MS = 5_000;
/** A larger move against the monotonic clock means that the machine's clock was set. */
const SET_FROM_MS = 1_000;

export interface DatabaseClock {
  readonly now: Clock;
  /** How far the machine is ahead of the database; 0 before the first measurement. */
  aheadMs(): number;
  /** Whether the machine's clock is accurate enough to serve. */
  isRight(): boolean;
  /**
   * Measures now and every few seconds. Returns after the first measurement, even if the database
   * did not answer.
   */
  watch(sql: Sql, onWrong: (aheadMs: number) => unknown): Promise<void>;
  close(): void;
}

/** The machine's clock minus its monotonic clock; constant unless the clock is set. */
const machineBase = () => Date.now() - performance.now();

export function createDatabaseClock(): DatabaseClock {
  let aheadMs = 0;
  let baseMs = machineBase();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  async function measure(sql: Sql): Promise<void> {
    const sentMs = performance.now();
    const [row] = await within(
      sql<{ ms: number }>('SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms'),
      MEASURE_TIMEOUT_MS,
    );
    const halfWayMs = (sentMs + performance.now()) / 2;
    baseMs = machineBase();
    aheadMs = baseMs + halfWayMs - row!.ms;
  }

  const correctionMs = () => (Math.abs(aheadMs) < CORRECTED_FROM_MS ? 0 : aheadMs);
  const isRight = () => Math.abs(aheadMs) <= WRONG_FROM_MS;

  async function round(sql: Sql, onWrong: (aheadMs: number) => unknown): Promise<void> {
    try {
      await measure(sql);
      if (!isRight()) await onWrong(aheadMs);
    } catch {
      // The database is away, as /ready reports: the last measurement stays.
    }
    if (!closed) timer = setTimeout(() => void round(sql, onWrong), MEASURED_EVERY_MS).unref();
  }

  return {
    now: () => {
      const nowMs = Date.now();
      const setMs = nowMs - performance.now() - baseMs;
      const machineMs = Math.abs(setMs) < SET_FROM_MS ? nowMs : nowMs - setMs;
      return Math.round(machineMs - correctionMs());
    },
    aheadMs: () => aheadMs,
    isRight,
    watch: round,
    close: () => {
      closed = true;
      clearTimeout(timer);
    },
  };
}
