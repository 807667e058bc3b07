// Calls that share a group, and what becomes of a group that fails.
import { expect, test } from '@jest/globals';
import { gather } from './gather.ts';

/** A worker-off that records its groups, and waits where the test says so. */
function recorded(options: { itemsMax?: number; fails?: (items: readonly string[]) => unknown } = {}) {
  const groups: (readonly string[])[] = [];
  const alone: string[] = [];
  const gates: (() => void)[] = [];
  const call = gather<string, string>({
    itemsMax: options.itemsMax ?? 10,
    all: async (items) => {
      groups.push(items);
      await new Promise<void>((open) => gates.push(open));
      const error = options.fails?.(items);
      if (error) throw error as Error;
      return items.map((item) => `${item}!`);
    },
    one: async (item) => {
      alone.push(item);
      const error = options.fails?.([item]);
      if (error) throw error as Error;
      return `${item}?`;
    },
    isHopeless: (error) => error === 'the database is away',
  });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return {
    groups,
    alone,
    call,
    turn,
    /** Lets the group in hand end. */
    open: async () => {
      await turn();
      gates.shift()!();
      await turn();
    },
  };
}

test('whoever calls while a group is worked off joins the next one', async () => {
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

test('a group has a limit; the rest is the next one', async () => {
  const { call, groups, open } = recorded({ itemsMax: 2 });
  const all = ['a', 'b', 'c'].map(call);
  await open();
  await open();
  expect(await Promise.all(all)).toEqual(['a!', 'b!', 'c!']);
  expect(groups).toEqual([['a', 'b'], ['c']]);
});

test('one that cannot be worked off keeps nobody else from it', async () => {
  const fails = (items: readonly string[]) => items.includes('bad') && new Error('bad');
  const { call, alone, open } = recorded({ fails });
  const all = Promise.allSettled(['a', 'bad', 'c'].map(call));
  await open();
  expect((await all).map((one) => (one.status === 'fulfilled' ? one.value : 'failed'))).toEqual([
    'a?',
    'failed',
    'c?',
  ]);
  expect(alone).toEqual(['a', 'bad', 'c']);
});

test('alone in its group, it fails without a second try; what would fail for all fails for all', async () => {
  const single = recorded({ fails: () => new Error('bad') });
  const failing = expect(single.call('bad')).rejects.toThrow('bad');
  await single.open();
  await failing;
  const away = recorded({ fails: () => 'the database is away' });
  const all = Promise.allSettled(['a', 'b'].map(away.call));
  await away.open();
  expect((await all).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect([...single.alone, ...away.alone]).toEqual([]);
});
