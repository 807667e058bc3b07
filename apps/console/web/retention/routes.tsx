// The page of the retention rules.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { z } from 'zod';
import { shellRoute } from '../root/routes.tsx';

export const retentionRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/organization/retention',
  validateSearch: z.object({
    /** A bot; absent: the organisation. */
    agent: z.string().max(255).optional().catch(undefined),
  }),
  component: lazyRouteComponent(() => import('./retention-page.tsx'), 'RetentionPage'),
});
