// "Why did the bot say that?": one turn of a conversation on the canvas. Arrow keys step through
// the turns.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import type { RecordedTurn } from '@parley/flow-analysis';
import { Empty, Loading, Problem } from '../../ui/page.tsx';
import { rowLink } from '../../ui/link.ts';
import { botsQuery } from '../../api/bots.ts';
import { useLiveConversation } from '../follow.ts';
import { recordedTurnsQuery } from './api.ts';
import { TurnPage } from './turn-page.tsx';

const route = getRouteApi('/shell/conversations/$conversationId/why');

export function WhyPage() {
  const { conversationId } = route.useParams();
  const { turn: wanted } = route.useSearch();
  const { conversation } = useLiveConversation(conversationId);
  const recorded = useInfiniteQuery(recordedTurnsQuery(conversationId));
  const pages = recorded.data?.pages;
  const turns = useMemo(() => pages?.flatMap((page) => page.turns) ?? [], [pages]);
  const at = wanted === undefined ? 0 : turns.findIndex(({ turn }) => turn === wanted);
  const { hasNextPage, isFetching, fetchNextPage } = recorded;
  const isNearEnd = at === -1 || at >= turns.length - 2;
  useEffect(() => {
    if (hasNextPage && isNearEnd && !isFetching) void fetchNextPage();
  }, [hasNextPage, isNearEnd, isFetching, fetchNextPage]);
  useEffect(() => {
    document.title = `Why did the bot say that? · ${conversationId} · Parley`;
  }, [conversationId]);
  const current = turns[at];
  const beside = pages?.find((page) => current !== undefined && page.turns.includes(current))?.turns;
  const error = conversation.error ?? recorded.error;
  return (
    <div className="flex h-full flex-col">
      <header className="flex min-h-11 shrink-0 flex-wrap items-center gap-x-2 gap-y-1 border-b border-line px-3 py-1">
        <Link
          to="/conversations/$conversationId"
          params={{ conversationId }}
          className="max-w-56 truncate text-ink-2 hover:text-ink"
        >
          {conversation.data?.from ?? conversationId}
        </Link>
        <span className="text-ink-2">/</span>
        <h1 className="font-semibold">Why did the bot say that?</h1>
        {current && <Version of={current} />}
      </header>
      {error && <Problem error={error} onRetry={() => void recorded.refetch()} />}
      {current === undefined && !error && (
        <div className="p-4">
          {recorded.isPending || (hasNextPage && at === -1) ? (
            <Loading subject="recorded turns" />
          ) : (
            <NotRecorded
              botId={conversation.data?.bot_id ?? null}
              wanted={turns.length > 0 ? wanted : undefined}
            />
          )}
        </div>
      )}
      {current && beside && (
        <TurnPage conversationId={conversationId} turn={current} turns={turns} batch={beside} />
      )}
    </div>
  );
}

function Version({ of: { flow_id, version } }: { readonly of: RecordedTurn }) {
  return (
    <span className="text-ink-2">
      in{' '}
      <Link to="/flows/$flowId" params={{ flowId: flow_id }} className={rowLink}>
        {flow_id}
      </Link>{' '}
      v{version}
    </span>
  );
}

/** Says why there is no recorded turn, as far as known. */
function NotRecorded({
  botId,
  wanted,
}: {
  readonly botId: string | null;
  readonly wanted: number | undefined;
}) {
  const bots = useQuery({ ...botsQuery, enabled: botId !== null });
  const bot = bots.data?.items.find(({ id }) => id === botId);
  if (wanted !== undefined) return <Empty icon="conversations" title={`Turn ${wanted} was not recorded`} />;
  return (
    <Empty icon="conversations" title="No turn of this conversation was recorded">
      {bot?.recording === 'off'
        ? `Recording is off for the bot ${bot.name}. Turn it on to record future turns.`
        : 'Turns are recorded when a flow is executed with bot_id and session_id, unless recording is off for the bot. Conversations that only a media runtime reports have no flow.'}
    </Empty>
  );
}
