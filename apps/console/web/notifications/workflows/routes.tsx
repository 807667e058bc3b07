// The list of workflows, and one workflow.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { z } from 'zod';
import { listSearch } from '../../lists/list-search.ts';
import { shellRoute } from '../../root/routes.tsx';

export const workflowsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/notifications/workflows',
  validateSearch: z.object(listSearch),
  component: lazyRouteComponent(() => import('./workflows-page.tsx'), 'WorkflowsPage'),
});

export const workflowRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/notifications/workflows/$workflowId',
  /** Default: the published version, else the newest. */
  validateSearch: z.object({ version: z.coerce.number().int().min(1).optional().catch(undefined) }),
  component: lazyRouteComponent(() => import('./workflow-page.tsx'), 'WorkflowPage'),
});

export const workflowRoutes = [workflowsRoute, workflowRoute];
