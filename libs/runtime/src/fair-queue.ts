// A queue in which organisations take turns for a few places, so that none waits for another's hundred: heavy work, what the console does for
// assistants, streams that catch up.

export interface FairQueueOptions {
  /** Of all together, at once. */
  readonly places: number;
  /** Of one organisation, at once: the other places are for the others. */
  readonly placesOfOne: number;
  /** How many of one organisation may wait, and of all together. Default: whoever asks is counted elsewhere. */
  readonly waitingOfOne?: number;
  readonly waiting?: number;
  /**
   * An organisation whose work has ended begins more only after so many times as long as that took: others find the process and its
   * stores at rest.
   */
  readonly restFactor?: number;
  /** How long one waits for its turn: who asked is better told than kept. Default: for ever. */
  readonly waitMs?: number;
}

/** Why there was no place. */
export type NoPlaceReason = 'too_many_of_one' | 'too_many' | 'too_late' | 'closed';

export class NoPlace extends Error {
  readonly reason: NoPlaceReason;

  constructor(reason: NoPlaceReason) {
    super(`no place: ${reason}`);
    this.reason = reason;
  }
}

export interface FairQueue {
  /** Does the work when it is its turn. @throws NoPlace, and what the work throws */
  run<T>(organizationId: string, work: () => Promise<T>): Promise<T>;
  /** Begins nothing more; what waits is told `closed`. */
  close(): void;
}

interface Waiting {
  begin(): void;
  giveUp(reason: NoPlaceReason): void;
}

export function createFairQueue(options: FairQueueOptions): FairQueue {
  const { places, placesOfOne, restFactor = 0, waitMs } = options;
  const { waitingOfOne = Infinity, waiting: waitingMax = Infinity } = options;
  /** By organisation, in the order in which they take turns. */
  const queues = new Map<string, Set<Waiting>>();
  const running = new Map<string, number>();
  let waiting = 0;
  let taken = 0;
  let closed = false;

  function leave(organizationId: string, one: Waiting): void {
    const queue = queues.get(organizationId);
    if (!queue?.delete(one)) return;
    waiting -= 1;
    if (queue.size === 0) queues.delete(organizationId);
  }

  /** The first of the organisation whose turn it is, which then stands last. */
  function next(): Waiting | undefined {
    for (const [organizationId, queue] of queues) {
      if ((running.get(organizationId) ?? 0) >= placesOfOne) continue;
      const [first] = queue;
      queues.delete(organizationId);
      queues.set(organizationId, queue);
      leave(organizationId, first!);
      return first;
    }
    return undefined;
  }

  function pump(): void {
    while (!closed && taken < places) {
      const first = next();
      if (!first) return;
      first.begin();
    }
  }

  /** Resolves with its turn. */
  function turnOf(organizationId: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer =
        waitMs === undefined
          ? undefined
          : setTimeout(() => {
              leave(organizationId, one);
              one.giveUp('too_late');
            }, waitMs);
      const one: Waiting = {
        begin: () => {
          clearTimeout(timer);
          taken += 1;
          running.set(organizationId, (running.get(organizationId) ?? 0) + 1);
          resolve();
        },
        giveUp: (reason) => {
          clearTimeout(timer);
          reject(new NoPlace(reason));
        },
      };
      const queue = queues.get(organizationId) ?? new Set();
      queues.set(organizationId, queue.add(one));
      waiting += 1;
      pump();
    });
  }

  function release(organizationId: string, ranMs: number): void {
    taken -= 1;
    if (restFactor > 0) setTimeout(rested, restFactor * ranMs, organizationId).unref();
    else rested(organizationId);
    pump();
  }

  function rested(organizationId: string): void {
    const left = running.get(organizationId)! - 1;
    if (left > 0) running.set(organizationId, left);
    else running.delete(organizationId);
    pump();
  }

  return {
    run: async (organizationId, work) => {
      if (closed) throw new NoPlace('closed');
      if ((queues.get(organizationId)?.size ?? 0) >= waitingOfOne) throw new NoPlace('too_many_of_one');
      if (waiting >= waitingMax) throw new NoPlace('too_many');
      await turnOf(organizationId);
      const begunMs = performance.now();
      try {
        return await work();
      } finally {
        release(organizationId, performance.now() - begunMs);
      }
    },
    close: () => {
      closed = true;
      for (const queue of queues.values()) for (const one of queue) one.giveUp('closed');
      queues.clear();
      waiting = 0;
    },
  };
}
