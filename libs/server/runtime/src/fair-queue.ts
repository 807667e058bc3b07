// A queue in which organisations take turns for a few places: heavy work, calls of the console for
// assistants, streams that catch up. The organisation with the least processor time goes first, and
// no place idles for an absent one (docs/platform.md#large-bodies).
import { readMainCpuMs } from './cpu-time.ts';
import { isAnotherServed, markServed } from './recently-served.ts';

export interface FairQueueOptions {
  /** Concurrent work in total. */
  readonly places: number;
  /** Concurrent work of one organisation: the other places are for the others. */
  readonly placesOfOne: number;
  /**
   * Maximum waiting work of one organisation, and in total. Default: callers are counted elsewhere.
   */
  readonly waitingOfOne?: number;
  readonly waiting?: number;
  /**
   * After its work an organisation rests this multiple of the processor time, so that others find
   * the process and its stores idle. Applies while another organisation waits or was served within
   * the last second. At most half of `waitMs`, so that no rest causes a refusal.
   */
  readonly restFactor?: number;
  /** How long work waits for its turn before it is refused. Default: forever. */
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

/** Counts processor time of the work outside of the main thread, instead of the main thread's. */
export type CountCpu = (ms: number) => void;

export interface FairQueue {
  /** Runs the work when it is its turn. @throws NoPlace, and errors of the work */
  run<T>(organizationId: string, work: (countCpu: CountCpu) => Promise<T>): Promise<T>;
  /** Starts nothing more; refuses waiting work with `closed`. */
  close(): void;
}

/** Minimum time of a turn, so that of several new organisations each gets one. */
const TURN_MS_MIN = 1;
/** How often a resting organisation checks whether others are still there. */
const LOOK_MS = 100;
/** An organisation that was idle for this long starts like a new one. */
const REMEMBERED_MS = 1_000;

interface Waiting {
  begin(): void;
  giveUp(reason: NoPlaceReason): void;
}

interface Share {
  readonly queue: Set<Waiting>;
  running: number;
  /** Processor time, as if it had been here from the beginning. */
  attainedMs: number;
  /** Starts nothing before, while there are others. */
  restsUntilMs: number;
  endedAtMs: number;
}

export function createFairQueue(options: FairQueueOptions): FairQueue {
  const { places, placesOfOne, restFactor = 0, waitMs } = options;
  const { waitingOfOne = Infinity, waiting: waitingMax = Infinity } = options;
  const restMsMax = (waitMs ?? Infinity) / 2;
  /** By organisation. Those with equal time are in the order of their turns. */
  const shares = new Map<string, Share>();
  /**
   * Time of the last organisation that had a turn. A new one starts from it, without a claim to the
   * past.
   */
  let attainedMs = 0;
  let waiting = 0;
  let taken = 0;
  let closed = false;
  let look: NodeJS.Timeout | undefined;

  function getShare(organizationId: string): Share {
    const known = shares.get(organizationId);
    if (known) return known;
    const share: Share = { queue: new Set(), running: 0, attainedMs, restsUntilMs: 0, endedAtMs: 0 };
    shares.set(organizationId, share);
    return share;
  }

  /** Forgets idle organisations. */
  function forget(nowMs: number): void {
    for (const [organizationId, { queue, running, restsUntilMs, endedAtMs }] of shares)
      if (queue.size + running === 0 && Math.max(restsUntilMs, endedAtMs + REMEMBERED_MS) <= nowMs)
        shares.delete(organizationId);
  }

  function isContended(organizationId: string): boolean {
    for (const [other, { queue, running }] of shares)
      if (other !== organizationId && queue.size + running > 0) return true;
    return isAnotherServed(organizationId);
  }

  /** The next in turn, which moves to the end. */
  function next(): Waiting | undefined {
    const nowMs = performance.now();
    let chosen: [string, Share] | undefined;
    let restsUntilMs = Infinity;
    for (const [organizationId, share] of shares) {
      if (share.queue.size === 0 || share.running >= placesOfOne) continue;
      if (share.restsUntilMs > nowMs && isContended(organizationId))
        restsUntilMs = Math.min(restsUntilMs, share.restsUntilMs);
      else if (!chosen || share.attainedMs < chosen[1].attainedMs) chosen = [organizationId, share];
    }
    if (!chosen) {
      if (restsUntilMs < Infinity) lookIn(Math.min(LOOK_MS, restsUntilMs - nowMs));
      return undefined;
    }
    const [organizationId, share] = chosen;
    attainedMs = Math.max(attainedMs, share.attainedMs);
    share.attainedMs += TURN_MS_MIN;
    share.running += 1;
    shares.delete(organizationId);
    shares.set(organizationId, share);
    const [first] = share.queue;
    share.queue.delete(first!);
    waiting -= 1;
    return first;
  }

  function lookIn(ms: number): void {
    clearTimeout(look);
    look = setTimeout(pump, ms).unref();
  }

  function pump(): void {
    while (!closed && taken < places) {
      const first = next();
      if (!first) return;
      taken += 1;
      first.begin();
    }
  }

  /** Resolves with its turn. */
  function awaitTurn({ queue }: Share): Promise<void> {
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const one: Waiting = {
        begin: () => {
          clearTimeout(timer);
          resolve();
        },
        giveUp: (reason) => {
          clearTimeout(timer);
          if (queue.delete(one)) waiting -= 1;
          reject(new NoPlace(reason));
        },
      };
      if (waitMs !== undefined) timer = setTimeout(one.giveUp, waitMs, 'too_late');
      queue.add(one);
      waiting += 1;
      pump();
    });
  }

  function release(organizationId: string, share: Share, cpuMs: number): void {
    const nowMs = performance.now();
    taken -= 1;
    share.running -= 1;
    share.attainedMs += cpuMs;
    share.restsUntilMs = nowMs + Math.min(restFactor * cpuMs, restMsMax);
    share.endedAtMs = nowMs;
    if (restFactor > 0) markServed(organizationId);
    forget(nowMs);
    pump();
  }

  return {
    run: async (organizationId, work) => {
      if (closed) throw new NoPlace('closed');
      if ((shares.get(organizationId)?.queue.size ?? 0) >= waitingOfOne) throw new NoPlace('too_many_of_one');
      if (waiting >= waitingMax) throw new NoPlace('too_many');
      const share = getShare(organizationId);
      await awaitTurn(share);
      const beforeMs = readMainCpuMs();
      let elsewhereMs: number | undefined;
      try {
        return await work((ms) => (elsewhereMs = ms));
      } finally {
        release(organizationId, share, elsewhereMs ?? readMainCpuMs() - beforeMs);
      }
    },
    close: () => {
      closed = true;
      clearTimeout(look);
      for (const { queue } of shares.values()) for (const one of queue) one.giveUp('closed');
    },
  };
}
