// One conversation: what was said when, and the facts about it. While it goes on the page follows it.
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { CopyButton, Id, Json } from '../ui/copy.tsx';
import { Facts } from '../ui/facts.tsx';
import { Loading, Page, Problem, Section } from '../ui/page.tsx';
import { rowLink } from '../ui/table.tsx';
import { duration, Time } from '../ui/time.tsx';
import { conversationQuery, isLive, transcriptFile, transcriptQuery, type Conversation } from './api.ts';
import { conversationRoute } from './routes.tsx';
import { Status, words } from './status.tsx';
import { Waterfall } from './waterfall.tsx';

export function ConversationPage() {
  const { conversationId } = conversationRoute.useParams();
  const { data, error, isPending, refetch } = useQuery(conversationQuery(conversationId));
  const live = data !== undefined && isLive(data);
  return (
    <Page
      title={data?.from ?? conversationId}
      beside={
        <>
          {data && <Status of={data} />}
          {live && <Badge tone="accent">live</Badge>}
          <Id>{conversationId}</Id>
          <CopyButton text={conversationId} what="the id" />
        </>
      }
      actions={data && data.turn_count > 0 ? <Download id={conversationId} /> : undefined}
    >
      {isPending && <Loading what="the conversation" />}
      {error && <Problem error={error} again={() => void refetch()} />}
      {data && (
        <div className="grid items-start gap-6 lg:grid-cols-[1fr_18rem]">
          <TranscriptOf conversation={data} live={live} />
          <Details of={data} />
        </div>
      )}
    </Page>
  );
}

function TranscriptOf({ conversation, live }: { conversation: Conversation; live: boolean }) {
  const transcript = useInfiniteQuery(transcriptQuery(conversation.id, live));
  const pages = transcript.data?.pages ?? [];
  const turns = pages.flatMap((page) => page.turns);
  return (
    <Section title="Transcript">
      {conversation.error && (
        <Problem error={new Error(`${conversation.error.code}: ${conversation.error.message}`)} />
      )}
      {transcript.isPending && <Loading what="the transcript" />}
      {transcript.error && <Problem error={transcript.error} again={() => void transcript.refetch()} />}
      {transcript.data && turns.length === 0 && <p className="text-ink-2">Nobody has said anything yet.</p>}
      {turns.length > 0 && <Waterfall id={conversation.id} turns={turns} />}
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

function Details({ of: one }: { of: Conversation }) {
  const hasMetadata = Object.keys(one.metadata).length > 0;
  return (
    <aside aria-label="Facts" className="flex flex-col gap-4">
      <Facts
        rows={[
          ['Started', one.started_at && <Time at={one.started_at} absolute />],
          ['Ended', one.ended_at && <Time at={one.ended_at} absolute />],
          ['Took', one.duration_seconds !== null && duration(one.duration_seconds * 1000)],
          ['End', one.end_reason && `${words(one.end_reason)}${one.ended_by ? `, by ${one.ended_by}` : ''}`],
          ['Detail', one.end_detail],
          ['From', one.from],
          ['To', one.to],
          ['Channel', one.channel && `${one.channel}${one.direction ? `, ${one.direction}` : ''}`],
          ['Language', one.language],
          ['Turns', String(one.turn_count)],
          ['Bot', one.bot_id && <Id>{one.bot_id}</Id>],
          [
            'Flow',
            one.flow_id && (
              <Link to="/flows/$flowId" params={{ flowId: one.flow_id }} className={rowLink}>
                {one.flow_id}
                {one.flow_version === undefined ? '' : ` v${one.flow_version}`}
              </Link>
            ),
          ],
          ['Set aside', one.quarantined_at && <Time at={one.quarantined_at} absolute />],
        ]}
      />
      {hasMetadata && (
        <div className="flex flex-col gap-1">
          <h2 className="font-semibold">Metadata</h2>
          <Json value={one.metadata} what="the metadata" />
        </div>
      )}
    </aside>
  );
}

const FORMS = [
  ['text/plain', 'txt'],
  ['text/vtt', 'vtt'],
  ['application/json', 'json'],
] as const;

function Download({ id }: { id: string }) {
  const get = useMutation({
    mutationFn: async ([type, extension]: (typeof FORMS)[number]) => {
      const url = URL.createObjectURL(await transcriptFile(id, type));
      const link = Object.assign(document.createElement('a'), { href: url, download: `${id}.${extension}` });
      link.click();
      URL.revokeObjectURL(url);
    },
  });
  return (
    <div role="group" aria-label="Download the transcript" className="flex items-center gap-1">
      {FORMS.map((form) => (
        <Button key={form[1]} kind="quiet" busy={get.isPending} onClick={() => get.mutate(form)}>
          .{form[1]}
        </Button>
      ))}
      {get.error && <span className="text-bad">{get.error.message}</span>}
    </div>
  );
}
