// Ctrl-C: the first one stops in order, a second one at once.

/**
 * One Ctrl-C can arrive twice within a moment: the terminal sends it to the whole group of
 * processes, and npm passes the one that it gets on. What comes this soon after the first is the
 * same press.
 */
const SAME_PRESS_MS = 500;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** How often the parent is looked at; see watchSignals. */
const PARENT_INTERVAL_MS = 500;

export interface StopSignals {
  /** Aborts at the first signal; the reason is a StopRequested. */
  readonly signal: AbortSignal;
}

/** Thrown, or given as the reason of an abort, when a person or the system asked us to end. */
export class StopRequested extends Error {
  readonly exitCode: number;

  constructor(name: (typeof SIGNALS)[number]) {
    super(`Stopped by ${name}.`);
    this.name = 'StopRequested';
    this.exitCode = EXIT_CODES[name];
  }
}

/** 128 and the number of the signal, as shells have it. */
const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/**
 * `onSecond` must end the process; it is called for a second press, not for the echo of the first.
 *
 * `underNpm`: npm passes a SIGTERM on to the shell that it runs a script in, and many shells die of
 * it without a word to their child. So the end of that shell counts as SIGTERM; otherwise `kill
 * <npm>` would leave everything running.
 */
export function watchSignals(underNpm: boolean, onFirst: () => void, onSecond: () => never): StopSignals {
  const controller = new AbortController();
  let firstAtMs: number | undefined;
  const receive = (name: (typeof SIGNALS)[number]): void => {
    const nowMs = performance.now();
    if (firstAtMs === undefined) {
      firstAtMs = nowMs;
      onFirst();
      controller.abort(new StopRequested(name));
    } else if (isSecondPress(firstAtMs, nowMs)) {
      onSecond();
    }
  };
  for (const name of SIGNALS) process.on(name, () => receive(name));
  if (underNpm) {
    const parent = process.ppid;
    const watch = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(watch);
      receive('SIGTERM');
    }, PARENT_INTERVAL_MS).unref();
  }
  return { signal: controller.signal };
}

/** Pure: whether a signal at `nowMs` is another press than the one at `firstAtMs`. */
export function isSecondPress(firstAtMs: number, nowMs: number): boolean {
  return nowMs - firstAtMs > SAME_PRESS_MS;
}
