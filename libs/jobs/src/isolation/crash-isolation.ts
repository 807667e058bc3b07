// Runs work with which workers died in isolation (docs/platform.md#quarantine). If the process dies
// then, no other work can be the cause.

export interface CrashIsolation {
  /** Runs concurrently with others. Waits while isolated work runs. */
  runConcurrent<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Starts when no other work starts, after running work has ended or has run for `MOMENT_MS`: by
   * then it only waits for an answer. The organisation with the least isolated time goes first.
   * After `MOMENT_MS` of isolated work, concurrent work gets as long as that took.
   * @param organizationId null where it is unknown beforehand
   */
  runIsolated<T>(organizationId: string | null, work: () => Promise<T>): Promise<T>;
}

/**
 * Work that kills a process has done so by then: rows are loaded, bodies built and sent, and
 * answers are bounded.
 */
export const MOMENT_MS = 1_000;

/** Whether it ended within a moment. Its caller handles a failure. */
export function endsInAMoment(work: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const late = setTimeout(resolve, MOMENT_MS, false).unref();
    const ended = () => {
      clearTimeout(late);
      resolve(true);
    };
    work.then(ended, ended);
  });
}

export function createCrashIsolation(): CrashIsolation {
  /** Excludes work that waits for an answer. */
  let running = 0;
  /** Called when no work runs. */
  let onIdle: () => void = () => undefined;
  /** Settles when the current series of isolated work has ended. */
  let isolated: Promise<void> | undefined;
  const waiting: { readonly organizationId: string | null; readonly begin: () => Promise<void> }[] = [];
  /** How long each organisation was isolated since work last waited. */
  const isolatedMs = new Map<string | null, number>();
  let taking = false;

  const getIsolatedMs = ({ organizationId }: (typeof waiting)[number]) => isolatedMs.get(organizationId) ?? 0;

  function removeNext(): (typeof waiting)[number] | undefined {
    let next = waiting[0];
    for (const one of waiting) if (next && getIsolatedMs(one) < getIsolatedMs(next)) next = one;
    if (next) waiting.splice(waiting.indexOf(next), 1);
    return next;
  }

  async function runWaiting(): Promise<void> {
    if (taking) return;
    taking = true;
    while (waiting.length > 0) {
      const fromMs = performance.now();
      let end: () => void = () => undefined;
      isolated = new Promise((resolve) => (end = resolve));
      if (running > 0) await new Promise<void>((resolve) => (onIdle = resolve));
      const untilMs = performance.now() + MOMENT_MS;
      for (let next; performance.now() < untilMs && (next = removeNext());) {
        const begunMs = performance.now();
        await next.begin();
        isolatedMs.set(next.organizationId, getIsolatedMs(next) + performance.now() - begunMs);
      }
      isolated = undefined;
      end();
      await new Promise((resolve) => setTimeout(resolve, performance.now() - fromMs));
    }
    isolatedMs.clear();
    taking = false;
  }

  return {
    runConcurrent: async (work) => {
      if (isolated) await isolated;
      running += 1;
      const working = work();
      void endsInAMoment(working).then(() => {
        running -= 1;
        if (running === 0) onIdle();
      });
      return working;
    },
    runIsolated: (organizationId, work) =>
      new Promise((resolve, reject) => {
        waiting.push({ organizationId, begin: () => work().then(resolve, reject) });
        void runWaiting();
      }),
  };
}
