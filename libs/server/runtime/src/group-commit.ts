// Group commit: concurrent items are written together, because a transaction of a hundred rows
// costs as much as one of ten (docs/performance.md#group-commit). The next group gathers while one
// is written: groups grow under load, and nothing waits at rest. See README.md, "Group commit".
import { AppError } from '@parley/envelopes';

export interface GroupCommitOptions<Item, Result> {
  /**
   * Writes a group. Returns a result for each item, in order. When it throws, nothing was written.
   */
  readonly write: (items: readonly Item[]) => Promise<readonly Result[] | void>;
  /** Weight of one group. A heavier item is written alone. */
  readonly groupMax: number;
  /** Default: 1. */
  readonly measureWeight?: (item: Item) => number;
  /** Groups that are written concurrently. Default: 1. */
  readonly writersMax?: number;
  /**
   * How long the first item waits for others (ms). Default: to the end of this turn of the event
   * loop.
   */
  readonly waitMs?: number;
  /** Pause between two groups, unless the next one is full (ms). Default: 0. */
  readonly pauseMs?: number;
  /**
   * Weight that may wait; further items are refused. Default: no limit, where callers wait for
   * their result.
   */
  readonly waitingMax?: number;
  /**
   * For items that must not fail because of another: each item of a failed group is retried on its
   * own.
   */
  readonly retrySeparately?: {
    readonly write: (item: Item) => Promise<Result>;
    /** False for a failure that every item would meet on its own as well. */
    readonly isWorthATry: (error: unknown) => boolean;
  };
}

export interface GroupCommit<Item, Result> {
  /**
   * Resolves with the item's result once its group is written. Rejects with the failure of its
   * group.
   * @throws AppError unavailable when too much waits.
   */
  add(item: Item): Promise<Result>;
  /** Writes what was added, and waits for it. */
  close(): Promise<void>;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly weight: number;
  readonly done: (result: Result) => void;
  readonly failed: (error: unknown) => void;
}

export function createGroupCommit<Item, Result = void>(
  options: GroupCommitOptions<Item, Result>,
): GroupCommit<Item, Result> {
  const { groupMax, measureWeight = () => 1, writersMax = 1, pauseMs = 0, waitingMax = Infinity } = options;
  const waiting: Waiting<Item, Result>[] = [];
  const writing = new Set<Promise<void>>();
  let weight = 0;
  let unschedule: (() => void) | undefined;

  function schedule(afterMs: number | undefined): void {
    if (unschedule) return;
    if (afterMs === undefined) {
      const immediate = setImmediate(start);
      unschedule = () => clearImmediate(immediate);
    } else {
      const timer = setTimeout(start, afterMs);
      unschedule = () => clearTimeout(timer);
    }
  }

  function start(): void {
    unschedule?.();
    unschedule = undefined;
    while (writing.size < writersMax && waiting.length > 0) {
      const one: Promise<void> = write(takeGroup()).then(() => {
        writing.delete(one);
        if (waiting.length === 0) return;
        if (pauseMs > 0 && weight < groupMax) schedule(pauseMs);
        else start();
      });
      writing.add(one);
    }
  }

  function takeGroup(): Waiting<Item, Result>[] {
    let count = 0;
    let heavy = 0;
    for (const { weight: next } of waiting) {
      if (count > 0 && heavy + next > groupMax) break;
      heavy += next;
      count += 1;
    }
    weight -= heavy;
    return waiting.splice(0, count);
  }

  /** Never rejects. */
  async function write(group: readonly Waiting<Item, Result>[]): Promise<void> {
    const { retrySeparately } = options;
    try {
      const results = await options.write(group.map(({ item }) => item));
      group.forEach(({ done }, index) => done(results?.[index] as Result));
    } catch (error) {
      if (group.length === 1 || !retrySeparately?.isWorthATry(error))
        for (const { failed } of group) failed(error);
      else for (const { item, done, failed } of group) await retrySeparately.write(item).then(done, failed);
    }
  }

  return {
    add: (item) =>
      new Promise((done, failed) => {
        const itsWeight = measureWeight(item);
        if (weight + itsWeight > waitingMax) {
          const headers = { 'Retry-After': '1' };
          return failed(new AppError('unavailable', 'too much waits to be written', { headers }));
        }
        waiting.push({ item, weight: itsWeight, done, failed });
        weight += itsWeight;
        if (options.waitMs !== undefined && weight >= groupMax) start();
        else if (writing.size < writersMax) schedule(options.waitMs);
      }),
    close: async () => {
      while (waiting.length > 0 || writing.size > 0) {
        start();
        await Promise.all(writing);
      }
    },
  };
}
