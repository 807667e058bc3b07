// The one clock of a service: the database's (docs/platform.md#one-clock). The machine's clock counts, corrected by its measured
// difference, so that asking for the time costs no query.
import { within, type Clock } from '@parley/runtime';
import type { Sql } from './sql.ts';

const MEASURED_EVERY_MS = 5_000;
const MEASURE_TIMEOUT_MS = 1_000;
/** Smaller differences cannot be told from the time that the query takes. */
const CORRECTED_FROM_MS = 250;
/** A machine whose clock is off by more is not ready: what it writes without this clock, such as logs, is wrong. */
const WRONG_FROM_MS = 5_000;
/** The machine's clock moved against its monotonic clock by more: somebody set it since the measurement. */
const SET_FROM_MS = 1_000;

export interface DatabaseClock {
  readonly now: Clock;
  /** What the machine's clock is ahead of the database's; 0 until it was measured. */
  aheadMs(): number;
  /** Whether the machine's clock is off by so little that the process may serve. */
  isRight(): boolean;
  /** Measures now and every few seconds. Returns after the first measurement, whether or not the database answered. */
  watch(sql: Sql, onWrong: (aheadMs: number) => unknown): Promise<void>;
  close(): void;
}

/** What the machine's clock shows beyond its monotonic clock; constant unless somebody sets it. */
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
      // The database is away, and /ready says so: the last measurement holds.
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
