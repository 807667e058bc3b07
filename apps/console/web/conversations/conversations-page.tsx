// The list of conversations, newest first.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { beginOf, Choice, Filters, STRETCH_OPTIONS, Words } from '../ui/filters.tsx';
import { Badge } from '../ui/badge.tsx';
import { Empty, Loading, Page, Problem } from '../ui/page.tsx';
import { Pager } from '../ui/pager.tsx';
import { Cell, Row, rowLink, Table, WIDE } from '../ui/table.tsx';
import { duration, Time, useNowMs } from '../ui/time.tsx';
import { botsQuery, conversationsQuery, type Conversation, type ConversationQuery } from './api.ts';
import { CHANNELS, conversationsRoute, STATUSES } from './routes.tsx';
import { Status, words } from './status.tsx';

export function ConversationsPage() {
  const search = conversationsRoute.useSearch();
  const { last, ...rest } = search;
  const nowMs = useNowMs();
  const query: ConversationQuery = {
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
    ...(last ? { started_after: beginOf(last, nowMs) } : {}),
  };
  const list = useQuery({ ...conversationsQuery(query), placeholderData: (before) => before });
  const bots = useQuery(botsQuery);
  const filtered = Object.keys(query).length > 0;
  return (
    <Page title="Conversations">
      <Filters>
        <Words name="q" label="Id, number or words" value={search.q} wide />
        <Choice
          name="status"
          label="State"
          value={search.status}
          options={STATUSES.map((one) => [one, words(one)])}
        />
        <Choice
          name="channel"
          label="Channel"
          value={search.channel}
          options={CHANNELS.map((one) => [one, one])}
        />
        <Choice
          name="bot_id"
          label="Bot"
          value={search.bot_id}
          options={(bots.data?.items ?? []).map(({ id, name }) => [id, name] as const)}
        />
        <Choice name="last" label="Started" value={last} options={STRETCH_OPTIONS} />
        {(search.started_after ?? search.started_before) && <Badge tone="accent">a stretch of time</Badge>}
        {filtered && (
          <Link to="/conversations" search={{}} className={rowLink}>
            Clear
          </Link>
        )}
      </Filters>
      {list.isPending && <Loading what="conversations" />}
      {list.error && <Problem error={list.error} again={() => void list.refetch()} />}
      {list.data?.items.length === 0 && (
        <Empty icon="conversations" title={filtered ? 'No conversation is like that' : 'No conversation yet'}>
          {!filtered &&
            'They appear when a runtime reports events of one, or a turn of a flow is executed for a bot.'}
        </Empty>
      )}
      {list.data && list.data.items.length > 0 && (
        <Table
          label="Conversations"
          head={[
            'State',
            'Conversation',
            { words: 'Bot', className: WIDE },
            { words: 'Channel', className: WIDE },
            'Started',
            { words: 'Took', className: WIDE },
            { words: 'Turns', className: `${WIDE} text-right` },
            { words: 'Ended by', className: WIDE },
          ]}
        >
          {list.data.items.map((one) => (
            <ConversationRow key={one.id} one={one} bot={nameOf(bots.data?.items, one.bot_id)} />
          ))}
        </Table>
      )}
      <Pager cursor={search.cursor} next={list.data?.next_cursor ?? null} />
    </Page>
  );
}

function nameOf(bots: readonly { id: string; name: string }[] | undefined, id: string | null): string | null {
  return bots?.find((bot) => bot.id === id)?.name ?? id;
}

function ConversationRow({ one, bot }: { one: Conversation; bot: string | null }) {
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
      </Cell>
      <Cell className={`max-w-40 truncate ${WIDE}`}>{bot ?? '–'}</Cell>
      <Cell className={WIDE}>{one.channel ?? '–'}</Cell>
      <Cell>
        <Time at={one.started_at ?? one.created_at} />
      </Cell>
      <Cell className={`whitespace-nowrap tabular-nums ${WIDE}`}>
        {one.duration_seconds === null ? '–' : duration(one.duration_seconds * 1000)}
      </Cell>
      <Cell className={`text-right tabular-nums ${WIDE}`}>{one.turn_count}</Cell>
      <Cell className={`whitespace-nowrap ${WIDE}`}>{one.end_reason ? words(one.end_reason) : '–'}</Cell>
    </Row>
  );
}
