// A bounded number of places, given in the order in which they were asked for. Used by send-deliveries.ts.

export interface Room {
  /** Takes `count` places as soon as they are free; false when `signal` ended the wait. */
  enter(count: number, signal: AbortSignal): Promise<boolean>;
  leave(count: number): void;
  taken(): number;
}

export function createRoom(places: number): Room {
  let taken = 0;
  const waiting: { readonly count: number; readonly admit: () => void }[] = [];

  function admitNext(): void {
    for (let next = waiting[0]; next && taken + next.count <= places; next = waiting[0]) {
      waiting.shift();
      taken += next.count;
      next.admit();
    }
  }

  return {
    taken: () => taken,
    leave: (count) => {
      taken -= count;
      admitNext();
    },
    enter: (count, signal) =>
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
