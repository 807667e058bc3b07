// The figures by group.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { botsQuery } from '../api/bots.ts';
import { CHANNELS, STATUSES } from '../filters/conversation-search.ts';
import { Loading, Problem, Section } from '../ui/page.tsx';
import { rowLink } from '../ui/link.ts';
import { Table } from '../ui/table.tsx';
import { usageQuery, type AnalyticsQuery } from './api.ts';
import { formatModelCost } from './model-cost.ts';
import { DIMENSIONS, type Dimension } from './window.rules.ts';

const toTitle = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);
const number = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

export function Groups({ question, by }: { question: AnalyticsQuery; by: Dimension }) {
  const usage = useQuery(usageQuery(question));
  const groups = [...(usage.data?.totals.groups ?? [])].sort((a, b) => b.conversations - a.conversations);
  const all = usage.data?.totals.conversations ?? 0;
  return (
    <Section title={`By ${DIMENSIONS[by]}`}>
      {usage.isPending && <Loading subject="groups" />}
      {usage.error && <Problem error={usage.error} />}
      {usage.data && groups.length === 0 && <p className="text-ink-2">No conversations in this period.</p>}
      {groups.length > 0 && (
        <Table
          label={`By ${DIMENSIONS[by]}`}
          items={groups}
          rowId={({ key }) => key ?? ''}
          columns={{
            group: {
              head: toTitle(DIMENSIONS[by]),
              place: 'name',
              cell: ({ key }) => <GroupLink by={by} value={key} question={question} />,
            },
            conversations: {
              head: 'Conversations',
              numeric: true,
              cell: (one) => number.format(one.conversations),
            },
            share: {
              head: 'Share',
              numeric: true,
              cell: (one) => (all === 0 ? '–' : `${Math.round((one.conversations / all) * 100)} %`),
            },
            minutes: { head: 'Minutes', numeric: true, cell: ({ minutes }) => number.format(minutes) },
            turns: { head: 'Turns', numeric: true, cell: ({ turns }) => number.format(turns) },
            callers: { head: 'Callers', numeric: true, cell: (one) => number.format(one.unique_callers) },
            tokens: {
              head: 'Model tokens',
              numeric: true,
              cell: (one) => number.format(one.tokens_in + one.tokens_out),
            },
            cost: { head: 'Model cost', numeric: true, cell: formatModelCost },
          }}
        />
      )}
    </Section>
  );
}

/** Links to the conversations of the group when the list can filter by it. */
function GroupLink({
  by,
  value,
  question,
}: {
  by: Dimension;
  value: string | null;
  question: AnalyticsQuery;
}) {
  const bots = useQuery({ ...botsQuery, enabled: by === 'bot_id' });
  if (value === null) return <span className="text-ink-2">none</span>;
  const window = { started_after: question.from, started_before: question.to };
  const search =
    by === 'bot_id' || by === 'flow_id'
      ? { ...window, [by]: value }
      : by === 'channel'
        ? { ...window, channel: CHANNELS.find((one) => one === value) }
        : by === 'status'
          ? { ...window, status: STATUSES.find((one) => one === value) }
          : by === 'error_code'
            ? { ...window, error_code: value }
            : null;
  // Ids keep their underscores.
  const words = /^(bot|flow|error)_/.test(by) ? value : value.replaceAll('_', ' ');
  const name = bots.data?.items.find(({ id }) => id === value)?.name ?? words;
  if (search === null) return <>{name}</>;
  return (
    <Link to="/conversations" search={search} className={rowLink}>
      {name}
    </Link>
  );
}
