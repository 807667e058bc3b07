// Limits the time of searches: stops a worker that takes too long, and starts a new one for the
// next search.

export interface Running<Far> {
  readonly far: Far;
  stop(): void;
}

/** `too_long`: stopped. `no_flow`: the definition is invalid. */
export type Searched<Found> =
  { readonly kind: 'found'; readonly found: Found } | { readonly kind: 'too_long' | 'no_flow' };

/** The same limit as in the service. */
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
