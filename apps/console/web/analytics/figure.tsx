// One figure: total, change, chart and the same data as a table.
import { Badge } from '../ui/badge.tsx';
import { Table } from '../ui/table.tsx';
import { Chart, isHourly, moment } from './chart.tsx';
import { computeChange, formatChange } from './window.rules.ts';

export interface Series {
  readonly total: number | null;
  readonly values: readonly (number | null)[];
}

interface FigureProps {
  readonly title: string;
  readonly buckets: readonly { readonly start: string; readonly complete: boolean }[];
  readonly now: Series;
  readonly before: Series | undefined;
  readonly format: (value: number) => string;
  /** Whether an increase is good or bad; undefined: neither. */
  readonly more?: 'good' | 'bad';
  /** From 0 to 1: its change is shown in points. */
  readonly isRate?: boolean;
  readonly onPick?: (index: number) => void;
}

export function Figure({ title, buckets, now, before, format, more, isRate = false, onPick }: FigureProps) {
  const times = buckets.map(({ start }) => Date.parse(start) / 1000);
  const earlier = times.map((_, index) => before?.values[index] ?? null);
  const change = computeChange(now.total, before?.total ?? null, isRate);
  const hourly = isHourly(times);
  const shown = (value: number | null | undefined) =>
    value === null || value === undefined ? '–' : format(value);
  return (
    <section className="flex min-w-0 flex-col gap-1 rounded-lg border border-line p-4">
      <h2 className="text-ink-2">{title}</h2>
      <p className="flex items-center gap-2">
        <span className="text-xl font-semibold tabular-nums">{shown(now.total)}</span>
        {change !== null && (
          <Badge tone={toTone(change, more)} title={`${shown(before?.total)} in the previous period`}>
            {formatChange(change, isRate)}
          </Badge>
        )}
      </p>
      <Chart
        label={`${title} over time; the table below has the same data`}
        times={times}
        now={now.values}
        before={earlier}
        format={format}
        {...(onPick ? { onPick } : {})}
      />
      <details>
        <summary className="-mx-1 inline-block rounded px-1 py-1 text-xs text-ink-2 hover:bg-surface-3">
          Show as table
        </summary>
        <div className="mt-2 max-h-64 overflow-y-auto">
          <Table
            label={title}
            items={buckets}
            rowId={({ start }) => start}
            columns={{
              from: {
                head: 'From',
                cell: ({ start, complete }) => (
                  <>
                    {moment(Date.parse(start) / 1000, hourly)}
                    {!complete && <span className="text-ink-2"> (not complete)</span>}
                  </>
                ),
              },
              now: { head: 'Now', numeric: true, cell: (one) => shown(now.values[buckets.indexOf(one)]) },
              before: { head: 'Before', numeric: true, cell: (one) => shown(earlier[buckets.indexOf(one)]) },
            }}
            plain
          />
        </div>
      </details>
    </section>
  );
}

function toTone(change: number, more: 'good' | 'bad' | undefined) {
  if (more === undefined || Math.abs(change) < 1) return 'neutral';
  return change > 0 === (more === 'good') ? 'good' : 'bad';
}
