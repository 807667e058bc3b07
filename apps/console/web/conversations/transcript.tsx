// The transcript. It grows while the conversation is live, with the interim text at the end.
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useRef, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { Loading, Problem, Section } from '../ui/page.tsx';
import { transcriptQuery, type Conversation } from './api.ts';
import type { Interim } from './follow.ts';
import { Waterfall } from './waterfall.tsx';

interface TranscriptProps {
  readonly conversation: Conversation;
  readonly live: boolean;
  readonly interim: Interim | null;
  /** Null: the stream reports changes. */
  readonly everyMs: number | null;
}

export function Transcript({ conversation, live, interim, everyMs }: TranscriptProps) {
  const transcript = useInfiniteQuery({
    ...transcriptQuery(conversation.id),
    refetchInterval: everyMs ?? false,
  });
  const pages = transcript.data?.pages ?? [];
  const turns = pages.flatMap((page) => page.turns);
  const isSaying = interim !== null && !turns.some(({ index }) => index === interim.index);
  return (
    <Section title="Transcript">
      {conversation.error && (
        <Problem error={new Error(`${conversation.error.code}: ${conversation.error.message}`)} />
      )}
      {transcript.isPending && <Loading subject="the transcript" />}
      {transcript.error && <Problem error={transcript.error} onRetry={() => void transcript.refetch()} />}
      {transcript.data && turns.length === 0 && !isSaying && (
        <p className="text-ink-2">
          {conversation.removed?.transcript ? 'The transcript was removed.' : 'No transcript yet.'}
        </p>
      )}
      <Tail live={live} length={turns.length}>
        {turns.length > 0 && <Waterfall id={conversation.id} turns={turns} />}
      </Tail>
      {isSaying && (
        <p aria-label="The caller is saying" className="px-3 text-ink-2 italic">
          {interim.text} …
        </p>
      )}
      {pages[0]?.truncated && (
        <p className="text-warn">
          The transcript reached the size limit of your plan. What was said later is missing.
        </p>
      )}
      {transcript.hasNextPage && (
        <Button busy={transcript.isFetchingNextPage} onClick={() => void transcript.fetchNextPage()}>
          Load more
        </Button>
      )}
    </Section>
  );
}

/** Within this distance of the end, the page scrolls along. */
const READS_ALONG_PX = 240;

/** Announces new lines to screen readers while live, and keeps the end in view. */
function Tail({
  live,
  length,
  children,
}: {
  readonly live: boolean;
  readonly length: number;
  readonly children: ReactNode;
}) {
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const page = end.current?.closest('main');
    if (!live || !page) return;
    if (page.scrollHeight - page.scrollTop - page.clientHeight < READS_ALONG_PX)
      end.current?.scrollIntoView({ block: 'nearest' });
  }, [live, length]);
  return (
    <div {...(live ? { role: 'log', 'aria-label': 'Transcript' } : {})}>
      {children}
      <div ref={end} />
    </div>
  );
}
