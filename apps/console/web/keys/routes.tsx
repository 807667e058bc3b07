// The API keys page.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { z } from 'zod';
import { listSearch } from '../lists/list-search.ts';
import { SERVICES } from '../api/clients.ts';
import { shellRoute } from '../root/routes.tsx';

export const keysRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/keys',
  validateSearch: z.object({
    service: z.enum(SERVICES).optional().catch(undefined),
    ...listSearch,
  }),
  component: lazyRouteComponent(() => import('./keys-page.tsx'), 'KeysPage'),
});

export const keyRoutes = [keysRoute];
