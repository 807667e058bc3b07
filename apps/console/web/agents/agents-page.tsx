// The list of agents with their health.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { usePermissions } from '../session/scopes.ts';
import { Button } from '../ui/button.tsx';
import { ChoiceFilter, Filters, TextFilter } from '../ui/filters.tsx';
import { Empty, Loading, Page, Problem } from '../ui/page.tsx';
import { Pager } from '../ui/pager.tsx';
import { Cell, Row, rowLink, Table, WIDE } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { agentsQuery, type Agent } from './api.ts';
import { nameLanguage } from './describe.rules.ts';
import { FlowName } from './flow-name.tsx';
import { CreateAgent } from './form/create-agent.tsx';
import { HealthBadge, useCallFigures, useHealth, type AgentFigures } from './health.tsx';
import type { Health } from './health.rules.ts';
import { STATUSES } from './page-search.ts';

const route = getRouteApi('/shell/agents');

export function AgentsPage() {
  const search = route.useSearch();
  const agents = useQuery({ ...agentsQuery(search), placeholderData: (before) => before });
  const { can, isBound } = usePermissions('voice-api');
  const [isCreating, setCreating] = useState(false);
  const isFiltered = search.q !== undefined || search.status !== undefined;
  const items = agents.data?.items ?? [];
  const create = can('write') && !isBound && (
    <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
      Create agent
    </Button>
  );
  return (
    <Page title="Agents" actions={create}>
      <Filters>
        <TextFilter name="q" label="Name or id" value={search.q} wide />
        <ChoiceFilter
          name="status"
          label="Status"
          value={search.status}
          options={STATUSES.map((status) => [status, status] as const)}
        />
      </Filters>
      {agents.isPending && <Loading subject="agents" />}
      {agents.error && <Problem error={agents.error} onRetry={() => void agents.refetch()} />}
      {agents.data && items.length === 0 && (
        <Empty icon="agents" title={isFiltered ? 'No matching agents' : 'No agents yet'}>
          {isFiltered
            ? 'Change or clear the filters to see more.'
            : 'An agent answers calls and chats: it has a flow, a language and a voice, and your voice platform talks to it.'}
          {!isFiltered && create}
        </Empty>
      )}
      {items.length > 0 && <AgentTable agents={items} />}
      <Pager cursor={search.cursor} next={agents.data?.next_cursor ?? null} />
      {isCreating && <CreateAgent onClose={() => setCreating(false)} />}
    </Page>
  );
}

function AgentTable({ agents }: { agents: readonly Agent[] }) {
  const judge = useHealth();
  const figures = useCallFigures();
  return (
    <Table
      label="Agents"
      head={[
        'Agent',
        'Health',
        { label: 'Flow', className: WIDE },
        { label: 'Language', className: WIDE },
        { label: 'Calls, 7 days', className: `text-right ${WIDE}` },
        { label: 'Completed', className: `text-right ${WIDE}` },
        { label: 'Changed', className: 'hidden xl:table-cell' },
      ]}
    >
      {agents.map((agent) => (
        <AgentRow key={agent.id} agent={agent} health={judge(agent)} figures={figures?.(agent)} />
      ))}
    </Table>
  );
}

interface AgentRowProps {
  readonly agent: Agent;
  readonly health: Health;
  readonly figures: AgentFigures | undefined;
}

function AgentRow({ agent, health, figures }: AgentRowProps) {
  const { id, name, description, language, updated_at } = agent;
  return (
    <Row>
      <Cell className="max-w-36 min-w-28 md:max-w-56">
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
      </Cell>
      <Cell className="min-w-36">
        <HealthBadge of={health} />
        {health.detail !== null && <span className="block text-xs text-ink-2">{health.detail}</span>}
      </Cell>
      <Cell className={`max-w-48 ${WIDE}`}>
        <FlowName agent={agent} />
      </Cell>
      <Cell className={`whitespace-nowrap ${WIDE}`} title={language}>
        {nameLanguage(language)}
      </Cell>
      <Cell className={`text-right tabular-nums ${WIDE}`}>
        {figures === undefined || figures.conversations === 0
          ? '–'
          : figures.conversations.toLocaleString('en')}
      </Cell>
      <Cell className={`text-right tabular-nums ${WIDE}`}>
        {figures?.completion_rate == null ? '–' : `${Math.round(figures.completion_rate * 100)} %`}
      </Cell>
      <Cell className="hidden text-ink-2 xl:table-cell">
        <Time at={updated_at} />
      </Cell>
    </Row>
  );
}
