// The organisation page and its audit log.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { z } from 'zod';
import { listSearch } from '../lists/list-search.ts';
import { SERVICES } from '../api/clients.ts';
import { shellRoute } from '../root/routes.tsx';

const organizationRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/organization',
  component: lazyRouteComponent(() => import('./organization-page.tsx'), 'OrganizationPage'),
});

export const auditRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/organization/audit-log',
  validateSearch: z.object({
    service: z.enum(SERVICES).optional().catch(undefined),
    actor: z.string().optional().catch(undefined),
    ...listSearch,
  }),
  component: lazyRouteComponent(() => import('./audit-page.tsx'), 'AuditPage'),
});

export const organizationRoutes = [organizationRoute, auditRoute];
