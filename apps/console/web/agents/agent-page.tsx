// One agent: figures, a conversation with it, settings, versions, and how to connect it.
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { CopyId } from '../ui/copy.tsx';
import { Loading, Page, Problem } from '../ui/page.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { usePermissions } from '../session/scopes.tsx';
import { Actions } from './actions.tsx';
import { versionsQuery, type Agent } from './api.ts';
import { Connect } from './connect/connect.tsx';
import { Settings } from './form/settings.tsx';
import { HealthBadge, useHealth } from './health.tsx';
import { Overview } from './overview.tsx';
import type { AgentTab } from './page-search.ts';
import { Talk } from './talk/talk.tsx';
import { Versions } from './versions.tsx';

const route = getRouteApi('/shell/agents/$agentId');

const LABELS: Readonly<Record<AgentTab, string>> = {
  overview: 'Overview',
  talk: 'Talk to it',
  settings: 'Settings',
  versions: 'Versions',
  connect: 'Connect',
};

export function AgentPage() {
  const { agentId } = route.useParams();
  const { tab = 'overview' } = route.useSearch();
  const versions = useInfiniteQuery(versionsQuery(agentId));
  const agent = versions.data?.pages[0]?.items[0];
  const health = useHealth();
  return (
    <Page
      title={agent?.name ?? 'Agent'}
      titleExtra={
        <>
          {agent && <HealthBadge of={health(agent)} />}
          <CopyId>{agentId}</CopyId>
        </>
      }
      actions={agent && <Actions agent={agent} />}
    >
      {versions.isPending && <Loading subject="the agent" />}
      {versions.error && <Problem error={versions.error} onRetry={() => void versions.refetch()} />}
      {agent && (
        <>
          <Tabs
            label="Agent"
            current={tab}
            tabs={(Object.keys(LABELS) as AgentTab[]).map((key) => ({
              key,
              label: LABELS[key],
              search: key === 'overview' ? {} : { tab: key },
            }))}
          />
          <Tab tab={tab} agent={agent} />
        </>
      )}
    </Page>
  );
}

function Tab({ tab, agent }: { tab: AgentTab; agent: Agent }) {
  const { can } = usePermissions('voice-api');
  const { platform } = route.useSearch();
  switch (tab) {
    case 'overview':
      return <Overview agent={agent} />;
    case 'talk':
      return <Talk key={`${agent.id} ${agent.version}`} agent={agent} />;
    case 'settings':
      return (
        <Settings
          key={agent.version}
          agent={agent}
          isReadOnly={!can('write') || agent.status === 'archived'}
        />
      );
    case 'versions':
      return <Versions agent={agent} />;
    case 'connect':
      return <Connect agent={agent} platform={platform ?? 'vapi'} />;
  }
}
