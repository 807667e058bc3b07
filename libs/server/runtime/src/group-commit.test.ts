// Grouping of calls, and what happens to a group that fails.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createGroupCommit } from './group-commit.ts';

/** A writer that records its groups, and waits where the test says so. */
function recorded(options: { itemsMax?: number; fails?: (items: readonly string[]) => unknown } = {}) {
  const groups: (readonly string[])[] = [];
  const retried: string[] = [];
  const gates: (() => void)[] = [];
  const group = createGroupCommit<string, string>({
    groupMax: options.itemsMax ?? 10,
    write: async (items) => {
      groups.push(items);
      await new Promise<void>((open) => gates.push(open));
      const error = options.fails?.(items);
      if (error) throw error as Error;
      return items.map((item) => `${item}!`);
    },
    retrySeparately: {
      write: async (item) => {
        retried.push(item);
        const error = options.fails?.([item]);
        if (error) throw error as Error;
        return `${item}?`;
      },
      isWorthATry: (error) => error !== 'the database is away',
    },
  });
  const call = (item: string) => group.add(item);
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return {
    groups,
    retried,
    call,
    turn,
    /** Lets the current group end. */
    open: async () => {
      await turn();
      gates.shift()!();
      await turn();
    },
  };
}

test('calls during a write join the next group', async () => {
  const { call, groups, open, turn } = recorded();
  const first = [call('a'), call('b')];
  await turn();
  const second = [call('c'), call('d'), call('e')];
  await open();
  expect(await Promise.all(first)).toEqual(['a!', 'b!']);
  await open();
  expect(await Promise.all(second)).toEqual(['c!', 'd!', 'e!']);
  expect(groups).toEqual([
    ['a', 'b'],
    ['c', 'd', 'e'],
  ]);
});

test('a group has a limit; the rest forms the next one', async () => {
  const { call, groups, open } = recorded({ itemsMax: 2 });
  const all = ['a', 'b', 'c'].map(call);
  await open();
  await open();
  expect(await Promise.all(all)).toEqual(['a!', 'b!', 'c!']);
  expect(groups).toEqual([['a', 'b'], ['c']]);
});

test('an item that cannot be written fails alone', async () => {
  const fails = (items: readonly string[]) => items.includes('bad') && new Error('bad');
  const { call, retried, open } = recorded({ fails });
  const all = Promise.allSettled(['a', 'bad', 'c'].map(call));
  await open();
  expect((await all).map((one) => (one.status === 'fulfilled' ? one.value : 'failed'))).toEqual([
    'a?',
    'failed',
    'c?',
  ]);
  expect(retried).toEqual(['a', 'bad', 'c']);
});

test('an item that was alone in its group is not retried; a failure of all fails all', async () => {
  const single = recorded({ fails: () => new Error('bad') });
  const failing = expect(single.call('bad')).rejects.toThrow('bad');
  await single.open();
  await failing;
  const away = recorded({ fails: () => 'the database is away' });
  const all = Promise.allSettled(['a', 'b'].map(away.call));
  await away.open();
  expect((await all).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect([...single.retried, ...away.retried]).toEqual([]);
});

test('any calls, weights and failures: every call settles once, groups keep order and weight', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ weight: fc.integer({ min: 1, max: 7 }), fails: fc.boolean() }), { maxLength: 40 }),
      fc.integer({ min: 1, max: 10 }),
      fc.integer({ min: 1, max: 3 }),
      fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined }),
      async (items, groupMax, writersMax, waitMs) => {
        const groups: (readonly (typeof items)[number][])[] = [];
        let writing = 0;
        const group = createGroupCommit<(typeof items)[number], number>({
          groupMax,
          writersMax,
          measureWeight: ({ weight }) => weight,
          ...(waitMs === undefined ? {} : { waitMs }),
          write: async (its) => {
            groups.push(its);
            writing += 1;
            expect(writing).toBeLessThanOrEqual(writersMax);
            await new Promise((resolve) => setImmediate(resolve));
            writing -= 1;
            if (its.some(({ fails }) => fails)) throw new Error('refused');
            return its.map(({ weight }) => weight);
          },
        });
        const settled = Promise.allSettled(items.map((item) => group.add(item)));
        await group.close();
        const results = await settled;
        expect(groups.flat()).toEqual(items);
        for (const its of groups) {
          const weight = its.reduce((sum, item) => sum + item.weight, 0);
          expect(its.length === 1 || weight <= groupMax).toBe(true);
          for (const item of its) {
            const result = results[items.indexOf(item)]!;
            if (its.some(({ fails }) => fails)) expect(result.status).toBe('rejected');
            else expect(result).toEqual({ status: 'fulfilled', value: item.weight });
          }
        }
      },
    ),
  );
});

test('refuses items while too much waits, and only those', async () => {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  const group = createGroupCommit<number>({ groupMax: 1, waitingMax: 2, write: () => promise });
  const first = [group.add(1), group.add(2)];
  await expect(group.add(3)).rejects.toMatchObject({ code: 'unavailable' });
  resolve();
  await Promise.all(first);
});
