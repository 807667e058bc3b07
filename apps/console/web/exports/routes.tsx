// The list of exports.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { z } from 'zod';
import { shellRoute } from '../root/routes.tsx';

export const exportsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/exports',
  validateSearch: z.object({ cursor: z.string().optional().catch(undefined) }),
  component: lazyRouteComponent(() => import('./exports-page.tsx'), 'ExportsPage'),
});

export const exportRoutes = [exportsRoute];
