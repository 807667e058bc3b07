import { expect, test } from '@jest/globals';
import { formatSeries, toSeriesRun, type SeriesRun } from './series.rules.ts';
import type { ChaosReport } from './run-chaos.ts';

const run = (seed: number, members: Partial<SeriesRun>): SeriesRun => ({
  seed,
  failed: false,
  accepted: 100,
  lost: 0,
  duplicated: 0,
  faults: [],
  ...members,
});

test('sums a report over the kinds of items', () => {
  const kind = { accepted: 5, delivered: 4, lost: 1, duplicated: 2, unknown: 0, slowestMs: 1 };
  const report = {
    seed: 7,
    failed: true,
    kinds: { turns: kind, events: kind },
    faults: [{ at: 3, kind: 'redis_killed', target: null, lasted_ms: 1, recovered_ms: 900 }],
  } as unknown as ChaosReport & { failed: boolean };
  expect(toSeriesRun(report)).toEqual({
    seed: 7,
    failed: true,
    accepted: 10,
    lost: 2,
    duplicated: 4,
    faults: [{ kind: 'redis_killed', recovered_ms: 900 }],
  });
});

test('shows the sums, the seeds of runs with a problem, and the recoveries of each kind', () => {
  const killed = (recovered_ms: number | null) => ({ kind: 'redis_killed', recovered_ms });
  const tables = formatSeries([
    run(1, { duplicated: 3, faults: [killed(1_000), killed(2_000), killed(4_000)] }),
    run(2, { failed: true, lost: 1, faults: [{ kind: 'postgres_killed', recovered_ms: null }] }),
  ]);
  expect(tables).toContain('| 2 | 4 | 200 | 1 | 3 | 1 (seeds 2) |');
  expect(tables).toContain('| `redis_killed` | 3 | 2.0 s | 4.0 s |');
  expect(tables).toContain('| `postgres_killed` | 1 | never | never |');
});
