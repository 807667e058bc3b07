// A store that can be ended and started again in its place: same port, same password, same data.
// Tests take a store away from running services with it.
import { setTimeout as delay } from 'node:timers/promises';
import { signalGroup } from './process-ledger.ts';
import type { Exit, RunningProcess } from './start-process.ts';

export interface Restartable extends RunningProcess {
  /**
   * Ends it and starts it again; settles when it is ready. `in_order`: it may finish what it
   * writes. `at_once`: as a crash would. It is away for `awayMs`. Meanwhile `exited` stays open:
   * that tells of an end nobody asked for.
   */
  restart(how: 'in_order' | 'at_once', awayMs?: number): Promise<void>;
}

export interface RestartableOptions {
  readonly first: RunningProcess;
  /** Starts another process on the same port and data, and waits until it is ready. */
  readonly startAgain: () => Promise<RunningProcess>;
  /** What ends it at once. */
  readonly killSignal: NodeJS.Signals;
  /** What is left to do after stop(). */
  readonly stopped?: () => void;
}

export function restartable(options: RestartableOptions): Restartable {
  let current = options.first;
  let restarting = false;
  let restart: Promise<void> = Promise.resolve();
  let settle: (exit: Exit) => void;
  const exited = new Promise<Exit>((resolve) => (settle = resolve));
  const watch = (running: RunningProcess): void => {
    void running.exited.then((exit) => {
      if (!restarting && running === current) settle(exit);
    });
  };
  watch(current);

  const endAndStartAgain = async (how: 'in_order' | 'at_once', awayMs: number): Promise<void> => {
    restarting = true;
    try {
      if (how === 'in_order') await current.stop();
      else signalGroup(current.pid, options.killSignal);
      await current.exited;
      await delay(awayMs);
      current = await options.startAgain();
    } finally {
      restarting = false;
    }
    watch(current);
  };

  return {
    name: current.name,
    get pid() {
      return current.pid;
    },
    logFile: current.logFile,
    tail: () => current.tail(),
    exited,
    exit: () => (restarting ? null : current.exit()),
    stop: async () => {
      await restart.catch(() => undefined); // a server that is just starting would stay
      const exit = await current.stop();
      options.stopped?.();
      return exit;
    },
    restart: (how, awayMs = 0) => (restart = endAndStartAgain(how, awayMs)),
  };
}
