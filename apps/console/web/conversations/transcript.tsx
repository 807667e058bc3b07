// What was said, while it is said: the transcript grows, and what the caller seems to be saying stands below it.
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
  /** null: it is told what happens. */
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
      {transcript.isPending && <Loading what="the transcript" />}
      {transcript.error && <Problem error={transcript.error} again={() => void transcript.refetch()} />}
      {transcript.data && turns.length === 0 && !isSaying && (
        <p className="text-ink-2">Nobody has said anything yet.</p>
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
        <p className="text-warn">It grew as large as its plan allows: what was said after is not here.</p>
      )}
      {transcript.hasNextPage && (
        <Button busy={transcript.isFetchingNextPage} onClick={() => void transcript.fetchNextPage()}>
          More of it
        </Button>
      )}
    </Section>
  );
}

/** Who is nearer to the end than this reads along. */
const READS_ALONG_PX = 240;

/** While it goes on, each line is read out, and the end stays in sight of who reads there. */
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
