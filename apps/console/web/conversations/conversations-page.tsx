// The list of conversations, newest start first, with running and failed ones on top.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ExportButton } from '../exports/export-button.tsx';
import { botsQuery } from '../api/bots.ts';
import { conversationsQuery, toQuery } from '../filters/conversation-query.ts';
import type { Bulk } from '../lists/bulk.tsx';
import { List } from '../lists/list.tsx';
import { getPeriodStart } from '../ui/filters.tsx';
import { Page, Section } from '../ui/page.tsx';
import { rowLink } from '../ui/link.ts';
import type { Columns } from '../ui/table.tsx';
import { formatDuration, Time, useNowMs } from '../ui/time.tsx';
import { CostTotal, Outcome } from './after-call.tsx';
import { AgentLink } from './agent-link.tsx';
import { deleteConversation, type ListedConversation } from './api.ts';
import { ConversationFilters } from './conversation-filters.tsx';
import { SearchMatches } from './found.tsx';
import { Status, humanize } from './status.tsx';

const route = getRouteApi('/shell/conversations');
const idOf = ({ id }: ListedConversation) => id;

export function ConversationsPage() {
  const search = route.useSearch();
  const nowMs = useNowMs();
  const query = toQuery(search, nowMs);
  const list = useQuery({ ...conversationsQuery(query), placeholderData: (before) => before });
  const bots = useQuery(botsQuery).data?.items ?? [];
  const urgent = useUrgent(!Object.values(query).some((value) => value !== undefined), nowMs);
  const isPartial = list.data?.partial === true;
  const others = list.data?.items.filter(({ id }) => !urgent.some((one) => one.id === id)) ?? [];
  // Nothing is missing when the running and failed ones are all that there are.
  const isMore = others.length > 0 || (urgent.length === 0 && !isPartial);
  return (
    <Page title="Conversations" actions={<ExportButton source={{ of: 'conversations', search }} />}>
      <List
        label="Conversations"
        service="voice-api"
        columns={toColumns(others, bots)}
        rowId={idOf}
        list={{ ...list, data: list.data && { ...list.data, items: others } }}
        filters={<ConversationFilters bots={bots} />}
        sorted="started_at"
        empty={isMore ? EMPTY : null}
        bulk={[DELETE]}
      >
        {urgent.length > 0 && (
          <Section title="Running, or failed in the last 24 hours">
            <List
              label="Running or failed"
              columns={toColumns(urgent, bots)}
              rowId={idOf}
              list={{ data: { items: urgent }, error: null, isLoading: false, refetch: list.refetch }}
              empty={null}
              bare
            />
          </Section>
        )}
        {isPartial && (
          <p role="status" className="text-sm text-ink-2">
            The search is not complete. Choose “Older” to continue it.
          </p>
        )}
      </List>
    </Page>
  );
}

const DELETE: Bulk<ListedConversation> = {
  verb: 'Delete',
  scope: 'delete',
  done: 'deleted',
  warning: 'This erases transcripts, events and deliveries. You cannot undo this.',
  run: ({ id }) => deleteConversation(id),
};

const EMPTY = {
  icon: 'conversations',
  title: 'No conversations yet',
  children:
    'A conversation appears when a media runtime reports its events or when a flow is executed for a bot.',
} as const;

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

type Bots = readonly { readonly id: string; readonly name: string }[];

/** The column of costs appears with the first cost. */
function toColumns(items: readonly ListedConversation[], bots: Bots): Columns<ListedConversation> {
  const isCosted = items.some(({ cost }) => cost !== undefined);
  return {
    state: { head: 'State', place: 'state', className: 'md:w-28', cell: (one) => <Status of={one} /> },
    conversation: {
      head: 'Conversation',
      place: 'name',
      className: 'md:max-w-72 md:min-w-32',
      cell: (one) => <Name of={one} />,
    },
    agent: {
      head: 'Agent',
      className: 'max-w-40 truncate md:w-36',
      cell: ({ bot_id: id }) => <AgentLink id={id} name={bots.find((bot) => bot.id === id)?.name ?? null} />,
    },
    channel: { head: 'Channel', minor: true, className: 'md:w-24', cell: ({ channel }) => channel ?? '–' },
    started: {
      head: 'Started',
      sort: 'started_at',
      className: 'md:w-28',
      cell: (one) => <Time at={one.started_at ?? one.created_at} />,
    },
    duration: {
      head: 'Duration',
      sort: 'duration_seconds',
      className: 'whitespace-nowrap tabular-nums md:w-24',
      cell: ({ duration_seconds: seconds }) => (seconds === null ? '–' : formatDuration(seconds * 1000)),
    },
    turns: { head: 'Turns', sort: 'turn_count', numeric: true, minor: true, cell: (one) => one.turn_count },
    end: {
      head: 'End reason',
      className: 'whitespace-nowrap md:w-36',
      cell: ({ end_reason: reason, error }) => (
        <>
          {reason ? humanize(reason) : '–'}
          {error && <span className="block truncate text-xs text-bad">{error.code}</span>}
        </>
      ),
    },
    ...(isCosted && {
      cost: {
        head: 'Cost',
        numeric: true,
        minor: true,
        cell: ({ cost }: ListedConversation) => (cost ? <CostTotal cost={cost} /> : '–'),
      },
    }),
    to: { head: 'To', optional: true, cell: ({ to }) => to ?? '–' },
    language: { head: 'Language', optional: true, cell: ({ language }) => language ?? '–' },
    flow: { head: 'Flow', optional: true, cell: ({ flow_id: flow }) => flow ?? '–' },
    ended: {
      head: 'Ended',
      optional: true,
      sort: 'ended_at',
      cell: ({ ended_at: at }) => (at === null ? '–' : <Time at={at} />),
    },
    reported: {
      head: 'First report',
      optional: true,
      sort: 'created_at',
      cell: ({ created_at: at }) => <Time at={at} />,
    },
  };
}

function Name({ of: one }: { of: ListedConversation }) {
  return (
    <>
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
    </>
  );
}
