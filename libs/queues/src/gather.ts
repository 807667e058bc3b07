// Calls that come within the same moments, worked off together: one transaction for many messages. Used by inbox.ts.

export interface GatherOptions<Item, Result> {
  /** Most items of one group. */
  readonly itemsMax: number;
  /** Works off a group: a result for each item, in their order. Nothing has happened when it throws. */
  readonly all: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Works off one item, when its group has failed. */
  readonly one: (item: Item) => Promise<Result>;
  /** A failure that each item would meet by itself as well: the whole group fails with it. */
  readonly isHopeless: (error: unknown) => boolean;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly done: (result: Result) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Whoever calls while a group is worked off joins the next one: under load groups grow, at rest nobody waits. Unbounded by
 * itself: callers wait for their result, so there are never more items than callers.
 */
export function gather<Item, Result>(options: GatherOptions<Item, Result>): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let busy = false;

  async function workOff(group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await options.all(group.map(({ item }) => item));
      group.forEach(({ done }, index) => done(results[index]!));
    } catch (error) {
      const [only] = group;
      if (group.length === 1) only?.failed(error);
      else if (options.isHopeless(error)) for (const { failed } of group) failed(error);
      else for (const { item, done, failed } of group) await options.one(item).then(done, failed);
    }
  }

  async function run(): Promise<void> {
    if (busy) return;
    busy = true;
    while (waiting.length > 0) await workOff(waiting.splice(0, options.itemsMax));
    busy = false;
  }

  return (item) => {
    const result = new Promise<Result>((done, failed) => waiting.push({ item, done, failed }));
    setImmediate(() => void run()); // whoever calls in this turn of the event loop shares the group
    return result;
  };
}
