// The list of exports.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { z } from 'zod';
import { listSearch } from '../lists/list-search.ts';
import { shellRoute } from '../root/routes.tsx';

export const exportsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/exports',
  validateSearch: z.object(listSearch),
  component: lazyRouteComponent(() => import('./exports-page.tsx'), 'ExportsPage'),
});

export const exportRoutes = [exportsRoute];
