// What an agent is and how it does: figures and failures of the last week, its newest
// conversations, its settings and its webhooks.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { conversationsQuery } from '../filters/conversation-query.ts';
import type { ListedConversation } from '../conversations/api.ts';
import { List } from '../lists/list.tsx';
import { Status, humanize } from '../conversations/status.tsx';
import { buttonClass } from '../ui/button.tsx';
import { Facts } from '../ui/facts.tsx';
import { Section } from '../ui/page.tsx';
import { rowLink } from '../ui/link.ts';
import type { Columns } from '../ui/table.tsx';
import { formatDuration, Time } from '../ui/time.tsx';
import type { Agent } from './api.ts';
import { describeLanguage, describeModel, describeTranscriber, describeVoice } from './describe.rules.ts';
import { Figures } from './figures.tsx';
import { FlowName } from './flow-name.tsx';
import { AgentWebhooks } from './webhooks.tsx';

export function Overview({ agent }: { agent: Agent }) {
  return (
    <div className="grid items-start gap-x-8 gap-y-6 lg:grid-cols-[minmax(0,1fr)_19rem]">
      <div className="flex min-w-0 flex-col gap-6">
        <Figures agent={agent} />
        <Newest agent={agent} />
      </div>
      <aside aria-label="About the agent" className="flex min-w-0 flex-col gap-6">
        <About agent={agent} />
        <AgentWebhooks agent={agent} />
      </aside>
    </div>
  );
}

function About({ agent }: { agent: Agent }) {
  return (
    <Section
      title="Settings"
      actions={
        <Link
          to="/agents/$agentId"
          params={{ agentId: agent.id }}
          search={{ tab: 'settings' }}
          className={buttonClass('quiet', 'h-6! px-2!')}
        >
          Edit
        </Link>
      }
    >
      {agent.description && (
        <p className="break-words" dir="auto">
          {agent.description}
        </p>
      )}
      <Facts
        rows={[
          ['Flow', <FlowName key="flow" agent={agent} />],
          ['Language', describeLanguage(agent.language)],
          ['Voice', describeVoice(agent) || 'not set'],
          ['Model', describeModel(agent) || 'not set'],
          ['Transcriber', describeTranscriber(agent)],
          ['Longest call', formatDuration(agent.max_duration_seconds * 1000)],
          ['Tags', agent.tags.join(', ')],
          ['Version', `v${agent.version}`],
          ['Changed', <Time key="changed" at={agent.updated_at} />],
          ['Created', <Time key="created" at={agent.created_at} />],
        ]}
      />
    </Section>
  );
}

const SHOWN = 8;

function Newest({ agent }: { agent: Agent }) {
  const list = useQuery(conversationsQuery({ bot_id: agent.id, limit: SHOWN }));
  const items = list.data?.items ?? [];
  return (
    <Section
      title="Newest conversations"
      actions={
        items.length > 0 && (
          <Link to="/conversations" search={{ bot_id: agent.id }} className={rowLink}>
            All conversations
          </Link>
        )
      }
    >
      <List
        label="Newest conversations"
        columns={COLUMNS}
        rowId={({ id }) => id}
        list={{ ...list, data: list.data && { items } }}
        empty={{
          icon: 'conversations',
          title: 'No conversations yet',
          children: (
            <>
              <p>Talk to the agent here, or connect your voice platform to it.</p>
              <Link
                to="/agents/$agentId"
                params={{ agentId: agent.id }}
                search={{ tab: 'connect' }}
                className={buttonClass()}
              >
                Connect a platform
              </Link>
            </>
          ),
        }}
        bare
      />
    </Section>
  );
}

const COLUMNS: Columns<ListedConversation> = {
  state: { head: 'State', place: 'state', cell: (one) => <Status of={one} /> },
  caller: {
    head: 'Caller',
    place: 'name',
    className: 'md:max-w-48',
    cell: ({ id, from }) => (
      <Link
        to="/conversations/$conversationId"
        params={{ conversationId: id }}
        title={id}
        className={`block truncate ${rowLink}`}
      >
        {from ?? id}
      </Link>
    ),
  },
  started: { head: 'Started', cell: (one) => <Time at={one.started_at ?? one.created_at} /> },
  duration: {
    head: 'Duration',
    className: 'whitespace-nowrap tabular-nums',
    cell: ({ duration_seconds: seconds }) => (seconds === null ? '–' : formatDuration(seconds * 1000)),
  },
  end: {
    head: 'End reason',
    minor: true,
    cell: ({ error, end_reason: reason }) => error?.message ?? (reason ? humanize(reason) : '–'),
  },
};
