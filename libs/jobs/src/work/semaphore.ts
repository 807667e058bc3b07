// A counting semaphore with weights. Grants places in the order of requests, while `isOpen` returns
// true.

export interface Semaphore {
  /** Acquires `count` places as soon as they are free; false when `signal` ended the wait. */
  acquire(count: number, signal: AbortSignal): Promise<boolean>;
  release(count: number): void;
  taken(): number;
  /** Calls `isOpen` again. */
  recheck(): void;
}

export function createSemaphore(places: number, isOpen: () => boolean = () => true): Semaphore {
  let taken = 0;
  const waiting: { readonly count: number; readonly admit: () => void }[] = [];

  function admitNext(): void {
    for (let next = waiting[0]; next && taken + next.count <= places && isOpen(); next = waiting[0]) {
      waiting.shift();
      taken += next.count;
      next.admit();
    }
  }

  return {
    taken: () => taken,
    recheck: admitNext,
    release: (count) => {
      taken -= count;
      admitNext();
    },
    acquire: (count, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(false);
        const giveUp = () => {
          waiting.splice(waiting.indexOf(asked), 1);
          resolve(false);
          admitNext();
        };
        const asked = {
          count,
          admit: () => {
            signal.removeEventListener('abort', giveUp);
            resolve(true);
          },
        };
        signal.addEventListener('abort', giveUp, { once: true });
        waiting.push(asked);
        admitNext();
      }),
  };
}
