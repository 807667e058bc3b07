// Alerts, by status.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { z } from 'zod';
import { listSearch } from '../lists/list-search.ts';
import { shellRoute } from '../root/routes.tsx';

export const alertsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/alerts',
  validateSearch: z.object({
    columns: listSearch.columns,
    status: z.enum(['open', 'acknowledged', 'resolved']).optional().catch(undefined),
  }),
  component: lazyRouteComponent(() => import('./alerts-page.tsx'), 'AlertsPage'),
});

export const alertRoutes = [alertsRoute];
