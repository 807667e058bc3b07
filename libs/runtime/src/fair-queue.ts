// A queue in which organisations take turns for a few places, so that none waits for another's hundred: heavy work, what the console does for
// assistants, streams that catch up. First comes the one whose work had the least processor time, and no place idles for somebody who is
// not there (docs/platform.md#large-bodies).
import { readMainCpuMs } from './cpu-time.ts';
import { isAnotherServed, markServed } from './recently-served.ts';

export interface FairQueueOptions {
  /** Of all together, at once. */
  readonly places: number;
  /** Of one organisation, at once: the other places are for the others. */
  readonly placesOfOne: number;
  /** How many of one organisation may wait, and of all together. Default: whoever asks is counted elsewhere. */
  readonly waitingOfOne?: number;
  readonly waiting?: number;
  /**
   * An organisation whose work has ended begins more only after so many times the processor time of that work: others find the process
   * and its stores at rest. Due while another organisation waits here, or was served by the process within the last second, and at
   * most half of `waitMs`: nobody is refused because of a rest.
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

/** Counts processor time that the work had elsewhere than in the main thread, in place of what the main thread had meanwhile. */
export type CountCpu = (ms: number) => void;

export interface FairQueue {
  /** Does the work when it is its turn. @throws NoPlace, and what the work throws */
  run<T>(organizationId: string, work: (countCpu: CountCpu) => Promise<T>): Promise<T>;
  /** Begins nothing more; what waits is told `closed`. */
  close(): void;
}

/** What a turn counts at least: of several that begin together, each organisation has one. */
const TURN_MS_MIN = 1;
/** How often somebody who rests looks whether there is still another. */
const LOOK_MS = 100;
/** An organisation that has asked for nothing since then begins like a new one. */
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
  /** Begins nothing before, while there are others. */
  restsUntilMs: number;
  endedAtMs: number;
}

export function createFairQueue(options: FairQueueOptions): FairQueue {
  const { places, placesOfOne, restFactor = 0, waitMs } = options;
  const { waitingOfOne = Infinity, waiting: waitingMax = Infinity } = options;
  const restMsMax = (waitMs ?? Infinity) / 2;
  /** By organisation; of those that attained as much, in the order in which they take turns. */
  const shares = new Map<string, Share>();
  /** What the one whose turn was last had attained: who comes now has no claim to what it did not ask for. */
  let attainedMs = 0;
  let waiting = 0;
  let taken = 0;
  let closed = false;
  let look: NodeJS.Timeout | undefined;

  function shareOf(organizationId: string): Share {
    const known = shares.get(organizationId);
    if (known) return known;
    const share: Share = { queue: new Set(), running: 0, attainedMs, restsUntilMs: 0, endedAtMs: 0 };
    shares.set(organizationId, share);
    return share;
  }

  /** What nobody has to remember any more. */
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

  /** The one whose turn it is, which then stands last. */
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
  function turnOf({ queue }: Share): Promise<void> {
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
      const share = shareOf(organizationId);
      await turnOf(share);
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
