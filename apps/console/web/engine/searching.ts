// Searches through a flow are as long as the flow is large: a worker that takes too long is stopped, and the next search begins a new one.

export interface Running<Far> {
  readonly far: Far;
  stop(): void;
}

/** `too_long`: it was stopped. `no_flow`: there is nothing to be searched. */
export type Searched<Found> =
  { readonly kind: 'found'; readonly found: Found } | { readonly kind: 'too_long' | 'no_flow' };

/** As long as the service searches. */
const SEARCH_MS_MAX = 30_000;

export function searching<Far>(start: () => Running<Far>, msMax = SEARCH_MS_MAX) {
  let running: Running<Far> | null = null;
  return async <Found>(search: (far: Far) => Promise<Found | null>): Promise<Searched<Found>> => {
    const mine = (running ??= start());
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tooLong = new Promise<'too_long'>((resolve) => {
      timer = setTimeout(() => {
        mine.stop();
        if (running === mine) running = null;
        resolve('too_long');
      }, msMax);
    });
    const found = await Promise.race([search(mine.far), tooLong]).finally(() => clearTimeout(timer));
    if (found === 'too_long') return { kind: 'too_long' };
    return found === null ? { kind: 'no_flow' } : { kind: 'found', found: found as Found };
  };
}
