// The flows and the figures that the health of agents is judged by.
import { useQuery } from '@tanstack/react-query';
import { performanceQuery } from '../analytics/api.ts';
import { toWindow } from '../analytics/window.rules.ts';
import { useAccess } from '../session/access.tsx';
import { Badge } from '../ui/badge.tsx';
import { useNowMs } from '../ui/time.tsx';
import { flowChoicesQuery, type Agent } from './api.ts';
import { judgeHealth, type CallFigures, type Health, type KnownFlow } from './health.rules.ts';

/** The last seven days; changes only once an hour, so that pages share one request. */
export const useLastWeek = () => toWindow({ span: '7d' }, Math.floor(useNowMs() / 3_600_000) * 3_600_000, 0);

/** Finds a flow by its id among the newest ones of the organisation. */
export function useKnownFlows(): (id: string) => KnownFlow {
  const isHere = useAccess()('flow-builder') === 'signed_in';
  const { data } = useQuery({ ...flowChoicesQuery(''), enabled: isHere });
  return (id) => {
    const flow = data?.items.find(({ flow_id }) => flow_id === id);
    return flow ?? (data?.next_cursor === null ? null : undefined);
  };
}

/** The calls of every agent in the last seven days, from one request. */
export function useCallFigures(): ((agent: Agent) => AgentFigures) | undefined {
  const { data } = useQuery(performanceQuery({ ...useLastWeek(), group_by: 'bot_id' }));
  const groups = data?.totals.groups;
  if (groups === undefined) return undefined;
  return ({ id }) => groups.find(({ key }) => key === id) ?? NONE;
}

export interface AgentFigures extends CallFigures {
  readonly completion_rate: number | null;
}
const NONE: AgentFigures = { conversations: 0, error_rate: null, completion_rate: null };

export function useHealth(): (agent: Agent) => Health {
  const findFlow = useKnownFlows();
  const figures = useCallFigures();
  return (agent) =>
    judgeHealth(agent, agent.flow_id === null ? undefined : findFlow(agent.flow_id), figures?.(agent));
}

export function HealthBadge({ of }: { of: Health }) {
  return (
    <Badge tone={of.tone} {...(of.detail === null ? {} : { title: of.detail })}>
      {of.label}
    </Badge>
  );
}
