// Small pieces about time that the files of this library share.
import { setTimeout as delay } from 'node:timers/promises';
import { ignoreFailure, type Log } from '@parley/runtime';

/** Something that is settled once: a connection's first answer, whichever it is. */
export function firstAnswer(): { readonly promise: Promise<void>; now(): void } {
  let now: () => void = () => undefined;
  const promise = new Promise<void>((resolve) => (now = resolve));
  return { promise, now };
}

/** An outage must not fill the log: one line in so many milliseconds is enough to know. */
const SAY_AGAIN_AFTER_MS = 10_000;

/** `say`, but at most every ten seconds. */
export function occasionally<Args extends unknown[]>(say: (...args: Args) => void): (...args: Args) => void {
  let saidAtMs = -Infinity;
  return (...args) => {
    const nowMs = performance.now();
    if (nowMs - saidAtMs < SAY_AGAIN_AFTER_MS) return;
    saidAtMs = nowMs;
    say(...args);
  };
}

export interface PersistOptions {
  /** Pause between two tries. */
  readonly everyMs: number;
  /** Ends the trying. */
  readonly signal: AbortSignal;
  readonly onFailure: (error: unknown) => void;
}

/** The first success of `attempt`, however many tries it takes; undefined when `signal` ended the trying. */
export async function persist<T>(attempt: () => Promise<T>, options: PersistOptions): Promise<T | undefined> {
  while (!options.signal.aborted) {
    try {
      return await attempt();
    } catch (error) {
      options.onFailure(error);
    }
    await delay(options.everyMs, undefined, { signal: options.signal, ref: false }).catch(() => undefined); // ended: the loop sees it
  }
  return undefined;
}

export interface Repeating {
  /** Ends the repetition; a round that is under way is waited for. */
  close(): Promise<void>;
}

export interface RepeatOptions {
  /** Between the end of one round and the start of the next. */
  readonly everyMs: number;
  /** Before the first round. */
  readonly firstAfterMs: number;
  /** For the log, when a round fails: `outbox.sweep`. */
  readonly name: string;
  readonly log: Log;
}

/** Calls `round` again and again, never twice at once. A round that fails is logged, and the next one still comes. */
export function repeat(options: RepeatOptions, round: () => Promise<unknown>): Repeating {
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  function schedule(afterMs: number): void {
    if (closed) return;
    timer = setTimeout(() => {
      running = ignoreFailure(round(), options.name, options.log).then(() => schedule(options.everyMs));
    }, afterMs);
    timer.unref(); // what waits for its next round keeps no process alive
  }
  schedule(options.firstAfterMs);

  return {
    close: async () => {
      closed = true;
      clearTimeout(timer);
      await running;
    },
  };
}
