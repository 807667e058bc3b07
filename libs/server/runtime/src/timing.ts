// Small helpers about time.
import { setTimeout as delay } from 'node:timers/promises';
import type { Lifecycle } from './lifecycle.ts';
import { ignoreFailure, type Log } from './log.ts';

/** A promise that settles once: a connection's first answer, good or bad. */
export function firstAnswer(): { readonly promise: Promise<void>; now(): void } {
  let now: () => void = () => undefined;
  const promise = new Promise<void>((resolve) => (now = resolve));
  return { promise, now };
}

/** An outage must not fill the log. */
const LOG_AGAIN_AFTER_MS = 10_000;

/** Calls `log` at most every ten seconds. */
export function throttleLog<Args extends unknown[]>(say: (...args: Args) => void): (...args: Args) => void {
  let saidAtMs = -Infinity;
  return (...args) => {
    const nowMs = performance.now();
    if (nowMs - saidAtMs < LOG_AGAIN_AFTER_MS) return;
    saidAtMs = nowMs;
    say(...args);
  };
}

export interface RetryOptions {
  /** Pause between two attempts. */
  readonly everyMs: number;
  /** Ends the attempts. */
  readonly signal: AbortSignal;
  readonly onFailure: (error: unknown) => void;
}

/** Retries `attempt` until it succeeds; undefined when `signal` ended it. */
export async function retryUntilSuccess<T>(
  attempt: () => Promise<T>,
  options: RetryOptions,
): Promise<T | undefined> {
  while (!options.signal.aborted) {
    try {
      return await attempt();
    } catch (error) {
      options.onFailure(error);
    }
    // aborted: the loop sees it
    await delay(options.everyMs, undefined, { signal: options.signal, ref: false }).catch(() => undefined);
  }
  return undefined;
}

export interface RepeatedTask {
  /** Ends the repetition and waits for the current round. */
  close(): Promise<void>;
}

export interface RepeatOptions {
  /** Between the end of one round and the start of the next. */
  readonly everyMs: number;
  /** Before the first round. Default: everyMs. */
  readonly firstAfterMs?: number;
  /** For the log, when a round fails: `outbox.sweep`. */
  readonly name: string;
  readonly log: Log;
}

/**
 * Calls `round` repeatedly, never twice concurrently. A failed round is logged and the next one
 * still runs.
 */
export function repeat(options: RepeatOptions, round: () => Promise<unknown>): RepeatedTask {
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  function schedule(afterMs: number): void {
    if (closed) return;
    timer = setTimeout(() => {
      running = ignoreFailure(round(), options.name, options.log).then(() => schedule(options.everyMs));
    }, afterMs);
    timer.unref(); // a pending round keeps no process alive
  }
  schedule(options.firstAfterMs ?? options.everyMs);

  return {
    close: async () => {
      closed = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/** Starts a periodic task of a process. */
export type Every = (name: string, everyMs: number, round: () => Promise<unknown>) => void;

/**
 * Tasks that end when the process stops, before everything that was started earlier. Stopping waits
 * for the current round, at most `stopWithinMs`.
 */
export function createEvery(life: Lifecycle, log: Log, stopWithinMs?: number): Every {
  return (name, everyMs, round) => {
    const { close } = repeat({ everyMs, name, log }, round);
    const late = () => delay(stopWithinMs, undefined, { ref: false });
    life.onStop(name, stopWithinMs === undefined ? close : () => Promise.race([close(), late()]));
  };
}
