// One conversation: transcript, details and deliveries. Updates while the conversation is live.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { May } from '../session/scopes.tsx';
import { useAction } from '../ui/action.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { CopyId, Json } from '../ui/copy.tsx';
import { Facts } from '../ui/facts.tsx';
import { Loading, Page, Problem, Section } from '../ui/page.tsx';
import { saveFile } from '../ui/save.ts';
import { rowLink } from '../ui/link.ts';
import { formatDuration, Time } from '../ui/time.tsx';
import { allDeliveriesQuery } from '../webhooks/api.ts';
import { DeliveryList } from '../webhooks/delivery-list.tsx';
import { CostTotal, CostParts, RecordingOf, Success, Tags } from './after-call.tsx';
import { botsQuery } from '../api/bots.ts';
import { AgentLink } from './agent-link.tsx';
import { transcriptFile, type Conversation } from './api.ts';
import { DeleteConversation } from './delete-conversation.tsx';
import { EditConversation } from './edit-conversation.tsx';
import { useLiveConversation } from './follow.ts';
import { HoldButton, RetentionNotes } from './legal-hold.tsx';
import { Status, humanize } from './status.tsx';
import { Transcript } from './transcript.tsx';

const route = getRouteApi('/shell/conversations/$conversationId');

export function ConversationPage() {
  const { conversationId } = route.useParams();
  const { conversation, live, isStreaming, interim, everyMs } = useLiveConversation(conversationId);
  const { data, error, isPending, refetch } = conversation;
  return (
    <Page
      title={data?.from ?? conversationId}
      titleExtra={
        <>
          {data && <Status of={data} />}
          {data?.hold && (
            <Badge tone="warn" title={data.hold.reason}>
              legal hold
            </Badge>
          )}
          {live && (
            <Badge tone="accent" title={isStreaming ? 'Updated immediately' : 'Updated every two seconds'}>
              live
            </Badge>
          )}
          <CopyId>{conversationId}</CopyId>
        </>
      }
      actions={
        data && (
          <>
            {data.turn_count > 0 && !data.removed?.transcript && <Download id={conversationId} />}
            <May service="voice-api" scope="write">
              <EditConversation of={data} />
            </May>
            <HoldButton of={data} />
            {!data.hold && (
              <May service="voice-api" scope="delete">
                <DeleteConversation id={conversationId} />
              </May>
            )}
          </>
        )
      }
    >
      {isPending && <Loading subject="the conversation" />}
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data && (
        <div className="grid items-start gap-6 lg:grid-cols-[1fr_18rem]">
          <div className="flex min-w-0 flex-col gap-6">
            <RetentionNotes of={data} />
            {data.summary && (
              <Section title="Summary">
                <p className="break-words whitespace-pre-wrap">{data.summary}</p>
              </Section>
            )}
            <Transcript conversation={data} live={live} interim={interim} everyMs={everyMs} />
            <ConversationDeliveries id={conversationId} />
          </div>
          <Details of={data} />
        </div>
      )}
    </Page>
  );
}

/** Hidden when the conversation has no deliveries, as most have none. */
function ConversationDeliveries({ id }: { id: string }) {
  const { deliveries: cursor } = route.useSearch();
  const log = useQuery({
    ...allDeliveriesQuery({ conversation_id: id, cursor }),
    placeholderData: (before) => before,
  });
  if (log.error) return <Problem error={log.error} onRetry={() => void log.refetch()} />;
  if (log.data === undefined || (log.data.items.length === 0 && cursor === undefined)) return null;
  return (
    <Section title="Deliveries">
      <DeliveryList
        list={log}
        cursorName="deliveries"
        empty={{ icon: 'deliveries', title: 'No more' }}
        bare
      />
    </Section>
  );
}

const Caller = ({ who }: { readonly who: string }) => (
  <Link to="/people" search={{ who }} className={rowLink}>
    {who}
  </Link>
);

function Details({ of: one }: { of: Conversation }) {
  const hasMetadata = Object.keys(one.metadata).length > 0;
  const bots = useQuery(botsQuery);
  const bot = bots.data?.items.find(({ id }) => id === one.bot_id)?.name;
  return (
    <aside aria-label="Details" className="flex flex-col gap-4">
      <Facts
        rows={[
          ['Started', one.started_at && <Time at={one.started_at} absolute />],
          ['Ended', one.ended_at && <Time at={one.ended_at} absolute />],
          ['Duration', one.duration_seconds !== null && formatDuration(one.duration_seconds * 1000)],
          [
            'End reason',
            one.end_reason && `${humanize(one.end_reason)}${one.ended_by ? `, by ${one.ended_by}` : ''}`,
          ],
          ['Detail', one.end_detail],
          ['From', one.from && <Caller key="from" who={one.from} />],
          ['To', one.to && <Caller key="to" who={one.to} />],
          ['Channel', one.channel && `${one.channel}${one.direction ? `, ${one.direction}` : ''}`],
          ['Language', one.language],
          ['Turns', String(one.turn_count)],
          ['Agent', one.bot_id && <AgentLink key="agent" id={one.bot_id} name={bot ?? null} />],
          [
            'Flow',
            one.flow_id && (
              <Link to="/flows/$flowId" params={{ flowId: one.flow_id }} className={rowLink}>
                {one.flow_id}
                {one.flow_version === undefined ? '' : ` v${one.flow_version}`}
              </Link>
            ),
          ],
          ['Tags', one.tags && one.tags.length > 0 && <Tags tags={one.tags} />],
          ['Success', one.success !== undefined && <Success of={one} />],
          ['Sentiment', one.sentiment],
          [
            'Cost',
            one.cost && (
              <>
                <CostTotal cost={one.cost} />
                <CostParts cost={one.cost} />
              </>
            ),
          ],
          ['Recording', one.recording_url && <RecordingOf key="recording" of={one} />],
          ['Quarantined', one.quarantined_at && <Time at={one.quarantined_at} absolute />],
        ]}
      />
      {one.analysis && (
        <div className="flex flex-col gap-1">
          <h2 className="font-semibold">Analysis</h2>
          <Json value={one.analysis} label="the analysis" />
        </div>
      )}
      {hasMetadata && (
        <div className="flex flex-col gap-1">
          <h2 className="font-semibold">Metadata</h2>
          <Json value={one.metadata} label="the metadata" />
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
  const get = useAction(([type]: (typeof FORMS)[number]) => transcriptFile(id, type), {
    says: 'Transcript downloaded',
    then: (file, [, extension]) => saveFile(file, `${id}.${extension}`),
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
