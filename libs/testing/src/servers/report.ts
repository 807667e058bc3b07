// How the launcher tells a person what it is doing: one line a step, and signs of life while a step
// takes long. For everything here that may take longer than a second.

export interface Report {
  /**
   * Runs `work`; a line when it is done, with its duration, and a line while it takes longer than a
   * second.
   */
  step<T>(title: string, work: () => Promise<T>): Promise<T>;
  /** One line that a person should read. */
  note(text: string): void;
}

/** Faster steps are not worth a line of waiting. */
const QUIET_MS = 1_000;
/** How often a long step shows that it is still alive. */
const ALIVE_MS = 10_000;

/** Writes lines with `write`; `nowMs` is any clock that only goes forward. */
export function lineReport(write: (line: string) => void, nowMs: () => number): Report {
  return {
    note: write,
    async step(title, work) {
      const startedAtMs = nowMs();
      const seconds = (): string => `${((nowMs() - startedAtMs) / 1000).toFixed(1)} s`;
      let alive: NodeJS.Timeout | undefined;
      const first = setTimeout(() => {
        write(`  … ${title}`);
        alive = setInterval(() => write(`  … ${title}, ${seconds()}`), ALIVE_MS);
      }, QUIET_MS);
      try {
        const result = await work();
        write(`  ✓ ${title}, ${seconds()}`);
        return result;
      } catch (error) {
        write(`  ✗ ${title}, ${seconds()}`);
        throw error;
      } finally {
        clearTimeout(first);
        clearInterval(alive);
      }
    },
  };
}

/** Says nothing: for a stack inside a test. */
export const silentReport: Report = { note: () => undefined, step: (_title, work) => work() };
