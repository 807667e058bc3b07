// The list of webhooks, one webhook, one of its deliveries, and applications.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { z } from 'zod';
import { listSearch, text } from '../lists/list-search.ts';
import { shellRoute } from '../root/routes.tsx';
import { PERIODS } from '../ui/filters.tsx';
import { DELIVERY_STATUSES, EVENT_TYPES } from './catalogue.ts';

export const webhooksRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/webhooks',
  validateSearch: z.object({ application: text, ...listSearch }),
  component: lazyRouteComponent(() => import('./webhooks-page.tsx'), 'WebhooksPage'),
});

export const webhookRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/webhooks/$webhookId',
  validateSearch: z.object({
    tab: z.enum(['deliveries', 'settings', 'signature']).optional().catch(undefined),
    status: z.enum(DELIVERY_STATUSES).optional().catch(undefined),
    event: z.enum(EVENT_TYPES).optional().catch(undefined),
    last: z.enum(PERIODS).optional().catch(undefined),
    ...listSearch,
  }),
  component: lazyRouteComponent(() => import('./webhook-page.tsx'), 'WebhookPage'),
});

export const deliveryRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/webhooks/$webhookId/deliveries/$deliveryId',
  component: lazyRouteComponent(() => import('./delivery-page.tsx'), 'DeliveryPage'),
});

export const applicationsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/applications',
  validateSearch: z.object(listSearch),
  component: lazyRouteComponent(() => import('./applications-page.tsx'), 'ApplicationsPage'),
});

export const webhookRoutes = [applicationsRoute, webhooksRoute, webhookRoute, deliveryRoute];
