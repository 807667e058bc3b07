// What a series of runs adds up to, by the kind of fault.
import type { ChaosReport } from './run-chaos.ts';

/** One run of a series, as stored: a line of JSON. */
export interface SeriesRun {
  readonly seed: number;
  readonly failed: boolean;
  readonly accepted: number;
  readonly lost: number;
  /** Repeats that say by an id that they are. */
  readonly duplicated: number;
  readonly faults: readonly { readonly kind: string; readonly recovered_ms: number | null }[];
}

export function toSeriesRun(report: ChaosReport & { readonly failed: boolean }): SeriesRun {
  const kinds = Object.values(report.kinds);
  const sum = (member: 'accepted' | 'lost' | 'duplicated') =>
    kinds.reduce((total, kind) => total + kind[member], 0);
  return {
    seed: report.seed,
    failed: report.failed,
    accepted: sum('accepted'),
    lost: sum('lost'),
    duplicated: sum('duplicated'),
    faults: report.faults.map(({ kind, recovered_ms }) => ({ kind, recovered_ms })),
  };
}

/** Tables in Markdown: the sums, and the recoveries by kind of fault. */
export function formatSeries(runs: readonly SeriesRun[]): string[] {
  const sum = (member: 'accepted' | 'lost' | 'duplicated') =>
    runs.reduce((total, run) => total + run[member], 0);
  const faults = runs.flatMap((run) => run.faults);
  const kinds = [...new Set(faults.map(({ kind }) => kind))].sort();
  const failed = runs.filter((run) => run.failed).map(({ seed }) => seed);
  return [
    '| runs | faults | accepted | lost | repeated | runs with a problem |',
    '| --- | --- | --- | --- | --- | --- |',
    `| ${runs.length} | ${faults.length} | ${sum('accepted')} | ${sum('lost')} | ${sum('duplicated')} | ${failed.length === 0 ? '0' : `${failed.length} (seeds ${failed.join(', ')})`} |`,
    '',
    '| fault | times | recovered after, median | slowest |',
    '| --- | --- | --- | --- |',
    ...kinds.map((kind) => {
      const times = faults
        .filter((fault) => fault.kind === kind)
        .map(({ recovered_ms }) => recovered_ms ?? Infinity)
        .sort((a, b) => a - b);
      return `| \`${kind}\` | ${times.length} | ${seconds(times[Math.floor(times.length / 2)]!)} | ${seconds(times.at(-1)!)} |`;
    }),
  ];
}

const seconds = (ms: number): string => (ms === Infinity ? 'never' : `${(ms / 1000).toFixed(1)} s`);
