// Today's figures, compared with the same hours of the same weekday a week ago.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { performanceQuery, usageQuery } from '../analytics/api.ts';
import { computeChange, formatChange, toToday } from '../analytics/window.rules.ts';
import { isForbiddenError } from '../api/error.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Problem, Section } from '../ui/page.tsx';
import { rowLink } from '../ui/table.tsx';
import { formatDuration, useNowMs } from '../ui/time.tsx';

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const percent = (value: number) => `${Math.round(value * 100)} %`;

export function Today() {
  const hourMs = Math.floor(useNowMs() / 3_600_000) * 3_600_000;
  const [now, before] = [toToday(hourMs, 0), toToday(hourMs, 7)];
  const usage = useQuery(usageQuery(now));
  const usageBefore = useQuery(usageQuery(before)).data?.totals;
  const performance = useQuery(performanceQuery(now));
  const performanceBefore = useQuery(performanceQuery(before)).data?.totals;
  const [used, performed] = [usage.data?.totals, performance.data?.totals];
  const error = usage.error ?? performance.error;
  if (isForbiddenError(error)) return null;
  return (
    <Section
      title="Today"
      actions={
        <Link to="/analytics" className={rowLink}>
          All figures
        </Link>
      }
    >
      {error && (
        <Problem error={error} onRetry={() => void Promise.all([usage.refetch(), performance.refetch()])} />
      )}
      <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Tile name="Conversations" now={used?.conversations} before={usageBefore?.conversations} />
        <Tile name="Minutes" now={used?.minutes} before={usageBefore?.minutes} />
        <Tile
          name="Completed"
          now={performed?.completion_rate}
          before={performanceBefore?.completion_rate}
          format={percent}
          isRate
          more="good"
        />
        <Tile
          name="Response time, 95th percentile"
          now={performed?.latency.e2e.p95}
          before={performanceBefore?.latency.e2e.p95}
          format={formatDuration}
          more="bad"
        />
      </dl>
    </Section>
  );
}

interface TileProps {
  readonly name: string;
  /** Undefined while loading; null when there is nothing to measure. */
  readonly now: number | null | undefined;
  readonly before: number | null | undefined;
  readonly format?: (value: number) => string;
  /** Whether an increase is good or bad; undefined: neither. */
  readonly more?: 'good' | 'bad';
  /** From 0 to 1: its change is shown in points. */
  readonly isRate?: boolean;
}

function Tile({ name, now, before, format = whole.format, more, isRate = false }: TileProps) {
  const change = computeChange(now ?? null, before ?? null, isRate);
  return (
    <div className="rounded-lg border border-line px-4 py-3">
      <dt className="text-ink-2">{name}</dt>
      <dd>
        <span className="flex items-center gap-2">
          <span className="text-xl leading-8 font-semibold tabular-nums">
            {now == null ? '–' : format(now)}
          </span>
          {change !== null && change !== 0 && (
            <Badge tone={toTone(change, more)}>{formatChange(change, isRate)}</Badge>
          )}
        </span>
        <span className="text-xs text-ink-2">
          {before == null ? 'no data a week ago' : `${format(before)} a week ago`}
        </span>
      </dd>
    </div>
  );
}

function toTone(change: number, more: TileProps['more']): Tone {
  if (more === undefined) return 'neutral';
  return change > 0 === (more === 'good') ? 'good' : 'bad';
}
