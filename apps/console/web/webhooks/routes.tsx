// Webhooks: the list, one with its deliveries, one delivery with every attempt, and the deliveries of all.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { z } from 'zod';
import { shellRoute } from '../shell/routes.tsx';
import { STRETCH_NAMES } from '../ui/filters.tsx';
import { DELIVERY_STATUSES, ERROR_CLASSES, EVENT_TYPES } from './catalogue.ts';

const cursor = z.string().optional().catch(undefined);

export const webhooksRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/webhooks',
  validateSearch: z.object({ cursor }),
  component: lazyRouteComponent(() => import('./webhooks-page.tsx'), 'WebhooksPage'),
});

export const webhookRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/webhooks/$webhookId',
  validateSearch: z.object({
    tab: z.enum(['deliveries', 'settings', 'signature']).optional().catch(undefined),
    status: z.enum(DELIVERY_STATUSES).optional().catch(undefined),
    event: z.enum(EVENT_TYPES).optional().catch(undefined),
    last: z.enum(STRETCH_NAMES).optional().catch(undefined),
    cursor,
  }),
  component: lazyRouteComponent(() => import('./webhook-page.tsx'), 'WebhookPage'),
});

export const deliveryRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/webhooks/$webhookId/deliveries/$deliveryId',
  component: lazyRouteComponent(() => import('./delivery-page.tsx'), 'DeliveryPage'),
});

const text = z.string().max(255).optional().catch(undefined);

const deliveriesSearch = z.object({
  conversation_id: text,
  event_id: text,
  webhook_id: text,
  event: z.enum(EVENT_TYPES).optional().catch(undefined),
  status: z.enum(DELIVERY_STATUSES).optional().catch(undefined),
  /** Of an answer that an attempt got. */
  http_status: z.coerce.number().int().min(100).max(599).optional().catch(undefined),
  /** Of an attempt that failed. */
  error_class: z.enum(ERROR_CLASSES).optional().catch(undefined),
  last: z.enum(STRETCH_NAMES).optional().catch(undefined),
  since: text,
  until: text,
  cursor,
});
export type DeliveriesSearch = z.output<typeof deliveriesSearch>;

export const deliveriesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/deliveries',
  validateSearch: deliveriesSearch,
  component: lazyRouteComponent(() => import('./deliveries-page.tsx'), 'DeliveriesPage'),
});

export const webhookRoutes = [webhooksRoute, webhookRoute, deliveryRoute, deliveriesRoute];
