// The list of agents, and the page of one.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { z } from 'zod';
import { listSearch } from '../lists/list-search.ts';
import { shellRoute } from '../root/routes.tsx';
import { AGENT_TABS, PLATFORMS, STATUSES } from './page-search.ts';

const agentsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/agents',
  validateSearch: z.object({
    q: z.string().max(255).optional().catch(undefined),
    status: z.enum(STATUSES).optional().catch(undefined),
    ...listSearch,
  }),
  component: lazyRouteComponent(() => import('./agents-page.tsx'), 'AgentsPage'),
});

const agentRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/agents/$agentId',
  validateSearch: z.object({
    tab: z.enum(AGENT_TABS).optional().catch(undefined),
    platform: z.enum(PLATFORMS).optional().catch(undefined),
  }),
  component: lazyRouteComponent(() => import('./agent-page.tsx'), 'AgentPage'),
});

export const agentRoutes = [agentsRoute, agentRoute];
