// The list of agents with their health.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Bulk } from '../lists/bulk.tsx';
import { List } from '../lists/list.tsx';
import { usePermissions } from '../session/scopes.tsx';
import { Button } from '../ui/button.tsx';
import { ChoiceFilter, TextFilter } from '../ui/filters.tsx';
import { Page } from '../ui/page.tsx';
import { rowLink } from '../ui/link.ts';
import type { Columns } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { agentsQuery, updateAgent, type Agent } from './api.ts';
import { nameLanguage } from './describe.rules.ts';
import { FlowName } from './flow-name.tsx';
import { CreateAgent } from './form/create-agent.tsx';
import { HealthBadge, useCallFigures, useHealth } from './health.tsx';
import { STATUSES } from './page-search.ts';

const route = getRouteApi('/shell/agents');

export function AgentsPage() {
  const search = route.useSearch();
  const agents = useQuery({ ...agentsQuery(search), placeholderData: (before) => before });
  const { can, isBound } = usePermissions('voice-api');
  const [isCreating, setCreating] = useState(false);
  const judge = useHealth();
  const figures = useCallFigures();
  const create = can('write') && !isBound && (
    <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
      Create agent
    </Button>
  );
  return (
    <Page title="Agents" actions={create}>
      <List
        label="Agents"
        service="voice-api"
        columns={toColumns(judge, figures)}
        rowId={({ id }) => id}
        nameOf={({ name }) => name}
        list={agents}
        filters={
          <>
            <TextFilter name="q" label="Name or id" value={search.q} wide />
            <ChoiceFilter
              name="status"
              label="Status"
              value={search.status}
              options={STATUSES.map((status) => [status, status] as const)}
            />
          </>
        }
        bulk={BULK}
        empty={{
          icon: 'agents',
          title: 'No agents yet',
          children: (
            <>
              An agent answers calls and chats: it has a flow, a language and a voice, and your voice platform
              talks to it.
              {create}
            </>
          ),
        }}
      />
      {isCreating && <CreateAgent onClose={() => setCreating(false)} />}
    </Page>
  );
}

const BULK: readonly Bulk<Agent>[] = [
  {
    verb: 'Pause',
    scope: 'write',
    done: 'paused',
    isFor: ({ status }) => status === 'active',
    run: (agent) => updateAgent(agent, { status: 'paused' }),
  },
  {
    verb: 'Activate',
    scope: 'write',
    done: 'activated',
    isFor: ({ status }) => status === 'paused',
    run: (agent) => updateAgent(agent, { status: 'active' }),
  },
];

type Figures = ReturnType<typeof useCallFigures>;

const toColumns = (judge: ReturnType<typeof useHealth>, figures: Figures): Columns<Agent> => ({
  agent: {
    head: 'Agent',
    place: 'name',
    className: 'md:max-w-56 md:min-w-28',
    cell: ({ id, name, description }) => (
      <>
        <Link
          to="/agents/$agentId"
          params={{ agentId: id }}
          className={`block truncate ${rowLink}`}
          dir="auto"
          title={id}
        >
          {name}
        </Link>
        <span className="block truncate text-xs text-ink-2" dir="auto">
          {description}
        </span>
      </>
    ),
  },
  health: {
    head: 'Health',
    place: 'state',
    className: 'md:min-w-36',
    cell: (agent) => {
      const health = judge(agent);
      return (
        <>
          <HealthBadge of={health} />
          {health.detail !== null && <span className="block text-xs text-ink-2">{health.detail}</span>}
        </>
      );
    },
  },
  flow: { head: 'Flow', className: 'max-w-48', cell: (agent) => <FlowName agent={agent} /> },
  language: {
    head: 'Language',
    className: 'whitespace-nowrap',
    cell: ({ language }) => <span title={language}>{nameLanguage(language)}</span>,
  },
  calls: {
    head: 'Calls, 7 days',
    numeric: true,
    minor: true,
    cell: (agent) => {
      const count = figures?.(agent)?.conversations ?? 0;
      return count === 0 ? '–' : count.toLocaleString('en');
    },
  },
  completed: {
    head: 'Completed',
    numeric: true,
    minor: true,
    cell: (agent) => {
      const rate = figures?.(agent)?.completion_rate;
      return rate == null ? '–' : `${Math.round(rate * 100)} %`;
    },
  },
  changed: {
    head: 'Changed',
    minor: true,
    className: 'text-ink-2',
    cell: ({ updated_at: at }) => <Time at={at} />,
  },
});
