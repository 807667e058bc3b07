// The calls of an agent in the last seven days, beside those of the seven days before, and why some
// failed.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { performanceQuery } from '../analytics/api.ts';
import { formatPercent, Tile } from '../analytics/tile.tsx';
import { toWindow } from '../analytics/window.rules.ts';
import { Loading, Problem, Section } from '../ui/page.tsx';
import { rowLink } from '../ui/link.ts';
import { formatDuration, useNowMs } from '../ui/time.tsx';
import type { Agent } from './api.ts';
import { useLastWeek } from './health.tsx';

const EARLIER = 'before';
const ofSeconds = (seconds: number): string => formatDuration(seconds * 1000);

export function Figures({ agent: { id } }: { agent: Agent }) {
  const hourMs = Math.floor(useNowMs() / 3_600_000) * 3_600_000;
  const week = useLastWeek();
  const now = useQuery(performanceQuery({ ...week, bot_id: id, group_by: 'error_code' }));
  const before = useQuery(performanceQuery({ ...toWindow({ span: '7d' }, hourMs, 1), bot_id: id })).data
    ?.totals;
  const totals = now.data?.totals;
  return (
    <Section
      title="Last 7 days, and the 7 days before"
      actions={
        <Link to="/analytics" search={{ bot_id: id }} className={rowLink}>
          All figures
        </Link>
      }
    >
      {now.isPending && <Loading subject="figures" />}
      {now.error && <Problem error={now.error} onRetry={() => void now.refetch()} />}
      {totals && (
        <>
          <dl className="grid grid-cols-2 gap-3 xl:grid-cols-4">
            <Tile name="Calls" earlier={EARLIER} now={totals.conversations} before={before?.conversations} />
            <Tile
              name="Completed"
              earlier={EARLIER}
              now={totals.completion_rate}
              before={before?.completion_rate}
              format={formatPercent}
              isRate
              more="good"
            />
            <Tile
              name="Failed"
              earlier={EARLIER}
              now={totals.error_rate}
              before={before?.error_rate}
              format={formatPercent}
              isRate
              more="bad"
            />
            <Tile
              name="Median duration"
              earlier={EARLIER}
              now={totals.duration.p50}
              before={before?.duration.p50}
              format={ofSeconds}
            />
          </dl>
          <Failures agentId={id} since={week.from} groups={totals.groups ?? []} />
        </>
      )}
    </Section>
  );
}

interface FailuresProps {
  readonly agentId: string;
  readonly since: string;
  readonly groups: readonly { readonly key: string | null; readonly conversations: number }[];
}

/** By error code, the most frequent first; each leads to its conversations. */
function Failures({ agentId, since, groups }: FailuresProps) {
  const failures = groups
    .filter(({ conversations }) => conversations > 0)
    .sort((a, b) => b.conversations - a.conversations);
  if (failures.length === 0) return null;
  return (
    <ul aria-label="Failures" className="divide-y divide-line rounded-lg border border-line">
      {failures.map(({ key, conversations }) => (
        <li key={key} className="flex items-center gap-3 px-4 py-2">
          <span className="min-w-0 flex-1 truncate text-bad">
            {(key ?? 'no reason given').replaceAll('_', ' ')}
          </span>
          <Link
            to="/conversations"
            search={{
              bot_id: agentId,
              status: 'failed',
              started_after: since,
              ...(key === null ? {} : { error_code: key }),
            }}
            className={`shrink-0 tabular-nums ${rowLink}`}
          >
            {conversations.toLocaleString('en')} {conversations === 1 ? 'call' : 'calls'}
          </Link>
        </li>
      ))}
    </ul>
  );
}
