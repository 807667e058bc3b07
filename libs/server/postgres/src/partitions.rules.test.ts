import { expect, test } from '@jest/globals';
import { firstIdAt, readIdTime } from '@parley/server/runtime';
import { parseBounds, planPartitions, SPAN_MS, type Partition } from './partitions.rules.ts';

const table = { table: 'notes', key: 'id', prefix: 'nt' };
const at = (text: string) => Date.parse(`${text}T00:00:00Z`);
const id = (text: string) => firstIdAt('nt', at(text));
/** Weeks begin on Thursdays, as the epoch did. */
const fresh: readonly Partition[] = [
  { name: 'notes_earlier', from: null, to: id('2026-11-05') },
  { name: 'notes_later', from: id('2026-11-05'), to: null },
];
const times = (now: string, keptFrom = '2026-10-01') => ({ nowMs: at(now), keptFromMs: at(keptFrom) });

test('an id has its time', () => {
  const ms = at('2026-11-05') + 1;
  expect(readIdTime(firstIdAt('nt', ms))).toBe(ms);
  expect(readIdTime(`${firstIdAt('a_b', ms)}zzzzzzzzzzzzzzzz`)).toBe(ms);
});

test('weeks are created until two weeks ahead, each beginning where the last one ends', () => {
  const { create, drop } = planPartitions(table, fresh, times('2026-11-06'));
  expect(create).toEqual([
    { name: 'notes_20261105', from: id('2026-11-05'), to: id('2026-11-12') },
    { name: 'notes_20261112', from: id('2026-11-12'), to: id('2026-11-19') },
    { name: 'notes_20261119', from: id('2026-11-19'), to: id('2026-11-26') },
  ]);
  expect(drop).toEqual([]);
  expect(planPartitions(table, fresh, times('2026-10-22')).create).toEqual([]); // ends in 14 days
});

test('after a long time without workers the first one has all of it', () => {
  const { create } = planPartitions(table, fresh, times('2027-01-06'));
  expect(create.map(({ name }) => name)).toEqual(['notes_20261105', 'notes_20270107', 'notes_20270114']);
  expect(readIdTime(create[0]!.to)).toBe(at('2027-01-07'));
  for (const { to } of create) expect(readIdTime(to) % SPAN_MS).toBe(0);
});

test('a week is dropped when all of it is old, together with the first partition', () => {
  const weeks: Partition[] = [
    fresh[0]!,
    { name: 'notes_20261105', from: id('2026-11-05'), to: id('2026-11-12') },
    { name: 'notes_20261112', from: id('2026-11-12'), to: id('2026-11-19') },
    { name: 'notes_later', from: id('2026-11-19'), to: null },
  ];
  const dropped = (keptFrom: string) => {
    const { drop, earlierTo } = planPartitions(table, weeks, times('2026-11-19', keptFrom));
    return drop.length === 0 ? [] : [...drop, readIdTime(earlierTo)];
  };
  expect(dropped('2026-11-11')).toEqual([]); // of the first partition nothing else can be said
  expect(dropped('2026-11-12')).toEqual(['notes_earlier', 'notes_20261105', at('2026-11-12')]);
  expect(dropped('2027-11-12')).toEqual([
    'notes_earlier',
    'notes_20261105',
    'notes_20261112',
    at('2026-11-19'),
  ]);
});

test('bounds are read as Postgres writes them', () => {
  expect(parseBounds("FOR VALUES FROM (MINVALUE) TO ('nt_01m9ekzv00')")).toEqual({
    from: null,
    to: 'nt_01m9ekzv00',
  });
  expect(parseBounds("FOR VALUES FROM ('nt_01m9ekzv00') TO (MAXVALUE)")).toEqual({
    from: 'nt_01m9ekzv00',
    to: null,
  });
  expect(() => parseBounds('DEFAULT')).toThrow('unknown bounds');
});
