// Alerts, by status.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { z } from 'zod';
import { shellRoute } from '../root/routes.tsx';

export const alertsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/alerts',
  validateSearch: z.object({
    status: z.enum(['open', 'acknowledged', 'resolved']).optional().catch(undefined),
  }),
  component: lazyRouteComponent(() => import('./alerts-page.tsx'), 'AlertsPage'),
});

export const alertRoutes = [alertsRoute];
