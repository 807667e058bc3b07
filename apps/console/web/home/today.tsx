// Today's figures, compared with the same hours of the same weekday a week ago.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { performanceQuery, usageQuery } from '../analytics/api.ts';
import { formatPercent, Tile } from '../analytics/tile.tsx';
import { toToday } from '../analytics/window.rules.ts';
import { isForbiddenError } from '../api/error.ts';
import { Problem, Section } from '../ui/page.tsx';
import { rowLink } from '../ui/link.ts';
import { formatDuration, useNowMs } from '../ui/time.tsx';

const EARLIER = 'a week ago';

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
        <Tile
          name="Conversations"
          earlier={EARLIER}
          now={used?.conversations}
          before={usageBefore?.conversations}
        />
        <Tile name="Minutes" earlier={EARLIER} now={used?.minutes} before={usageBefore?.minutes} />
        <Tile
          name="Completed"
          earlier={EARLIER}
          now={performed?.completion_rate}
          before={performanceBefore?.completion_rate}
          format={formatPercent}
          isRate
          more="good"
        />
        <Tile
          name="Response time, 95th percentile"
          earlier={EARLIER}
          now={performed?.latency.e2e.p95}
          before={performanceBefore?.latency.e2e.p95}
          format={formatDuration}
          more="bad"
        />
      </dl>
    </Section>
  );
}
