// Runs a function, and again whenever a folder changes.
import { watch } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Editors write in several steps. */
const DEBOUNCE_MS = 100;

/** Ends with the signal. A change during a run causes one more run. */
export async function watchFolder(folder: string, run: () => void, signal: AbortSignal): Promise<void> {
  let wake: () => void = () => undefined;
  let isChanged = true;
  const watcher = watch(folder, () => {
    isChanged = true;
    wake();
  });
  const stop = () => wake();
  signal.addEventListener('abort', stop, { once: true });
  try {
    while (!signal.aborted) {
      if (!isChanged) await new Promise<void>((resolve) => (wake = resolve));
      await sleep(DEBOUNCE_MS);
      isChanged = false;
      if (!signal.aborted) run();
    }
  } finally {
    watcher.close();
  }
}
