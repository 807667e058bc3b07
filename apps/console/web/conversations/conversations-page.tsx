// The list of conversations, newest start first, with running and failed ones on top.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ExportButton } from '../exports/export-button.tsx';
import { getPeriodStart, useFilter } from '../ui/filters.tsx';
import { Empty, Loading, Page, Problem, Section } from '../ui/page.tsx';
import { Pager } from '../ui/pager.tsx';
import { Cell, Row, rowLink, Table, WIDE } from '../ui/table.tsx';
import { formatDuration, Time, useNowMs } from '../ui/time.tsx';
import { CostTotal, Outcome } from './after-call.tsx';
import { botsQuery } from '../api/bots.ts';
import { conversationsQuery } from '../filters/conversation-query.ts';
import type { ListedConversation } from './api.ts';
import { ConversationFilters } from './conversation-filters.tsx';
import { SearchMatches } from './found.tsx';
import { toQuery } from '../filters/conversation-query.ts';
import { AgentLink } from './agent-link.tsx';
import { Status, humanize } from './status.tsx';

const route = getRouteApi('/shell/conversations');

export function ConversationsPage() {
  const search = route.useSearch();
  const nowMs = useNowMs();
  const query = toQuery(search, nowMs);
  const list = useQuery({ ...conversationsQuery(query), placeholderData: (before) => before });
  const bots = useQuery(botsQuery);
  const filtered = Object.values(query).some((value) => value !== undefined);
  const urgent = useUrgent(!filtered, nowMs);
  const others = list.data?.items.filter(({ id }) => !urgent.some((one) => one.id === id)) ?? [];
  return (
    <Page title="Conversations" actions={<ExportButton source={{ of: 'conversations', search }} />}>
      <ConversationFilters bots={bots.data?.items ?? []} filtered={filtered} />
      {urgent.length > 0 && (
        <Section title="Running, or failed in the last 24 hours">
          <ConversationTable label="Running or failed" items={urgent} bots={bots.data?.items} />
        </Section>
      )}
      {list.isPending && <Loading subject="conversations" />}
      {list.error && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      {list.data?.partial && (
        <p role="status" className="text-sm text-ink-2">
          The search is not complete. Choose “Older” to continue it.
        </p>
      )}
      {list.data?.items.length === 0 && !list.data.partial && (
        <Empty icon="conversations" title={filtered ? 'No matching conversations' : 'No conversations yet'}>
          {filtered
            ? 'Change or clear the filters to see more.'
            : 'A conversation appears when a media runtime reports its events or when a flow is executed for a bot.'}
        </Empty>
      )}
      {others.length > 0 && (
        <ConversationTable label="Conversations" items={others} bots={bots.data?.items} />
      )}
      <Pager cursor={search.cursor} next={list.data?.next_cursor ?? null} />
    </Page>
  );
}

/** Per kind; filters find the rest. */
const URGENT_MAX = 5;
const RUNNING_EVERY_MS = 10_000;

/** Conversations that are running, and those that failed in the last day. */
function useUrgent(enabled: boolean, nowMs: number): readonly ListedConversation[] {
  const limit = URGENT_MAX;
  const running = useQuery({
    ...conversationsQuery({ status: ['in_progress'], limit }),
    refetchInterval: RUNNING_EVERY_MS,
    enabled,
  });
  const failed = useQuery({
    ...conversationsQuery({ status: ['failed'], started_after: getPeriodStart('24h', nowMs), limit }),
    placeholderData: (before) => before,
    enabled,
  });
  return enabled ? [...(running.data?.items ?? []), ...(failed.data?.items ?? [])] : [];
}

interface ConversationTableProps {
  readonly label: string;
  readonly items: readonly ListedConversation[];
  readonly bots: Bots;
}

function ConversationTable({ label, items, bots }: ConversationTableProps) {
  const isCosted = items.some(({ cost }) => cost !== undefined);
  const started = useSortHead('Started', 'started_at');
  const duration = useSortHead('Duration', 'duration_seconds');
  const turns = useSortHead('Turns', 'turn_count');
  return (
    <Table
      label={label}
      head={[
        { label: 'State', className: 'md:w-28' },
        'Conversation',
        { label: 'Agent', className: `${WIDE} md:w-36` },
        { label: 'Channel', className: `${WIDE} md:w-24` },
        { ...started, className: 'md:w-28' },
        { ...duration, className: `${WIDE} md:w-24` },
        { ...turns, className: `${WIDE} text-right md:w-20` },
        { label: 'End reason', className: `${WIDE} md:w-36` },
        ...(isCosted ? [{ label: 'Cost', className: `${WIDE} text-right md:w-24` }] : []),
      ]}
    >
      {items.map((one) => (
        <ConversationRow key={one.id} one={one} bot={findBotName(bots, one.bot_id)} isCosted={isCosted} />
      ))}
    </Table>
  );
}

/** The head of a column that sorts the list: descending first, then ascending. */
function useSortHead(label: string, by: 'started_at' | 'duration_seconds' | 'turn_count') {
  const { sort = 'started_at', order = 'desc' } = route.useSearch();
  const filter = useFilter();
  const isSorted = sort === by;
  const next = isSorted && order === 'desc' ? 'asc' : undefined;
  const sorted = order === 'desc' ? ('descending' as const) : ('ascending' as const);
  return {
    label: (
      <button
        type="button"
        className="hover:text-ink"
        onClick={() => filter({ sort: by === 'started_at' ? undefined : by, order: next })}
      >
        {label}
        {isSorted && <span aria-hidden="true">{order === 'desc' ? ' ↓' : ' ↑'}</span>}
      </button>
    ),
    sorted: isSorted ? sorted : undefined,
  };
}

type Bots = readonly { readonly id: string; readonly name: string }[] | undefined;

function findBotName(bots: Bots, id: string | null): string | null {
  return bots?.find((bot) => bot.id === id)?.name ?? null;
}

interface ConversationRowProps {
  readonly one: ListedConversation;
  readonly bot: string | null;
  readonly isCosted: boolean;
}

function ConversationRow({ one, bot, isCosted }: ConversationRowProps) {
  return (
    <Row>
      <Cell>
        <Status of={one} />
      </Cell>
      <Cell className="max-w-72 min-w-32 truncate">
        <Link
          to="/conversations/$conversationId"
          params={{ conversationId: one.id }}
          className={`block truncate md:inline ${rowLink}`}
          title={one.id}
        >
          {one.from ?? one.id}
        </Link>
        {one.from && (
          <span className="block truncate font-mono text-xs text-ink-2 md:ml-3 md:inline">{one.id}</span>
        )}
        <Outcome of={one} />
        {one.summary && (
          <span title={one.summary} className="block truncate text-xs text-ink-2">
            {one.summary}
          </span>
        )}
        {one.found && one.found.length > 0 && <SearchMatches found={one.found} />}
      </Cell>
      <Cell className={`max-w-40 truncate ${WIDE}`}>
        <AgentLink id={one.bot_id} name={bot} />
      </Cell>
      <Cell className={WIDE}>{one.channel ?? '–'}</Cell>
      <Cell>
        <Time at={one.started_at ?? one.created_at} />
      </Cell>
      <Cell className={`whitespace-nowrap tabular-nums ${WIDE}`}>
        {one.duration_seconds === null ? '–' : formatDuration(one.duration_seconds * 1000)}
      </Cell>
      <Cell className={`text-right tabular-nums ${WIDE}`}>{one.turn_count}</Cell>
      <Cell className={`whitespace-nowrap ${WIDE}`}>
        {one.end_reason ? humanize(one.end_reason) : '–'}
        {one.error && <span className="block truncate text-xs text-bad">{one.error.code}</span>}
      </Cell>
      {isCosted && (
        <Cell className={`text-right whitespace-nowrap tabular-nums ${WIDE}`}>
          {one.cost ? <CostTotal cost={one.cost} /> : '–'}
        </Cell>
      )}
    </Row>
  );
}
