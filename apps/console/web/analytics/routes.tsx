// The analytics page.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { z } from 'zod';
import { shellRoute } from '../root/routes.tsx';
import { DIMENSIONS, SPANS, type Dimension } from './window.rules.ts';

export const analyticsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/analytics',
  validateSearch: z.object({
    span: z.enum(SPANS).optional().catch(undefined),
    from: z.iso.date().optional().catch(undefined),
    to: z.iso.date().optional().catch(undefined),
    bot_id: z.string().max(255).optional().catch(undefined),
    by: z
      .enum(Object.keys(DIMENSIONS) as Dimension[])
      .optional()
      .catch(undefined),
  }),
  component: lazyRouteComponent(() => import('./analytics-page.tsx'), 'AnalyticsPage'),
});

export const analyticsRoutes = [analyticsRoute];
