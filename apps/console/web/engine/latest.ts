// Runs one call at a time. A newer call replaces the waiting one, because keystrokes outdate it.

/** Replaced calls resolve to null. */
export function latestOf<Input, Output>(
  run: (input: Input) => Promise<Output>,
): (input: Input) => Promise<Output | null> {
  let running = false;
  let waiting: {
    readonly input: Input;
    readonly resolve: (output: Output | null) => void;
    readonly reject: (reason: unknown) => void;
  } | null = null;

  async function next(): Promise<void> {
    if (running || waiting === null) return;
    const { input, resolve, reject } = waiting;
    waiting = null;
    running = true;
    try {
      resolve(await run(input));
    } catch (error) {
      reject(error);
    } finally {
      running = false;
      void next();
    }
  }

  return (input) =>
    new Promise((resolve, reject) => {
      waiting?.resolve(null);
      waiting = { input, resolve, reject };
      void next();
    });
}
