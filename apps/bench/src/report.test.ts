import { expect, test } from '@jest/globals';
import type { Measured, MeasuredRatio } from './harness.ts';
import { asTable } from './report.ts';

test('the table has a row for each ratio, judged where there is a target', () => {
  const ratio = { of: 'rate', over: 'ours', under: 'a peer', lowest: 4, highest: 6 } as const;
  const ratios: MeasuredRatio[] = [
    { ...ratio, median: 4.987, byCpu: 12.34, atLeast: 5, aim: 8 },
    { ...ratio, median: 1.1, byCpu: null, atMost: 1.2 },
    { ...ratio, median: 2, byCpu: null },
  ];
  const disturbance = { windows: 0, repeated: 0, disturbed: 0, worstCores: null };
  const measured: Measured = {
    title: 'turns',
    operation: 'turn',
    rounds: 1,
    variants: [],
    ratios,
    disturbance,
  };
  expect(asTable([measured]).split('\n').slice(2)).toEqual([
    '| turns | ours | a peer | 4.99 × | 12.3 × | ≥ 5: missed |',
    '| turns | ours | a peer | 1.10 × | – | ≤ 1.2: kept |',
    '| turns | ours | a peer | 2.00 × | – | – |',
  ]);
});
