// Stops a process: in order, within a deadline, once (docs/platform.md#life-of-a-process).
import type { Log } from './log.ts';
import { within } from './within.ts';

/**
 * Kubernetes kills a process 30 s after SIGTERM by default. Ending earlier leaves the log complete.
 */
export const STOP_DEADLINE_MS = 25_000;

export interface Lifecycle {
  /** Registers how to stop what was just started. Stops run in reverse order of registration. */
  onStop(name: string, stop: () => Promise<unknown> | void): void;
  /** Stops everything. A failed step is logged and the next one still runs. Safe to call twice. */
  stop(reason: string): Promise<{ clean: boolean }>;
}

export function createLifecycle(log: Log, deadlineMs: number = STOP_DEADLINE_MS): Lifecycle {
  const steps: { name: string; stop: () => Promise<unknown> | void }[] = [];
  let stopping: Promise<{ clean: boolean }> | undefined;

  async function stopAll(reason: string): Promise<{ clean: boolean }> {
    const startedAt = performance.now();
    const deadline = startedAt + deadlineMs;
    let clean = true;
    log.info({ reason }, 'service.stopping');
    while (steps.length > 0) {
      const { name, stop } = steps.pop()!;
      try {
        await within(Promise.resolve(stop()), deadline - performance.now());
      } catch (error) {
        clean = false;
        log.error({ err: error, step: name }, 'service.stop_failed');
      }
    }
    log.info({ reason, clean, ms: Math.round(performance.now() - startedAt) }, 'service.stopped');
    return { clean };
  }

  return {
    onStop: (name, stop) => void steps.push({ name, stop }),
    stop: (reason) => (stopping ??= stopAll(reason)),
  };
}
