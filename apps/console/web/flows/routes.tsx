// The list of flows, one flow, the comparison of two versions, and the paths of callers.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../root/routes.tsx';
import { callersSearch, compareSearch, flowListSearch, flowSearch } from './page-search.ts';

const flowsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/flows',
  validateSearch: flowListSearch,
  component: lazyRouteComponent(() => import('./list/flow-list-page.tsx'), 'FlowListPage'),
});

const flowRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/flows/$flowId',
  validateSearch: flowSearch,
  component: lazyRouteComponent(() => import('./page/flow-page.tsx'), 'FlowPage'),
});

const compareRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/flows/$flowId/compare',
  validateSearch: compareSearch,
  component: lazyRouteComponent(() => import('./versions/compare-page.tsx'), 'ComparePage'),
});

const callersRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/flows/$flowId/callers',
  validateSearch: callersSearch,
  component: lazyRouteComponent(() => import('./callers/callers-page.tsx'), 'CallersPage'),
});

export const flowRoutes = [flowsRoute, flowRoute, compareRoute, callersRoute];
