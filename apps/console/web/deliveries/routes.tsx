// The deliveries of all webhooks. A single delivery is a page of its webhook
// (../webhooks/routes.tsx).
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { z } from 'zod';
import { shellRoute } from '../shell/routes.tsx';
import { PERIODS } from '../ui/filters.tsx';
import { DELIVERY_STATUSES, ERROR_CLASSES, EVENT_TYPES } from '../webhooks/catalogue.ts';

const text = z.string().max(255).optional().catch(undefined);

const deliveriesSearch = z.object({
  conversation_id: text,
  event_id: text,
  webhook_id: text,
  event: z.enum(EVENT_TYPES).optional().catch(undefined),
  status: z.enum(DELIVERY_STATUSES).optional().catch(undefined),
  /** The response of any attempt. */
  http_status: z.coerce.number().int().min(100).max(599).optional().catch(undefined),
  /** The failure of any attempt. */
  error_class: z.enum(ERROR_CLASSES).optional().catch(undefined),
  last: z.enum(PERIODS).optional().catch(undefined),
  since: text,
  until: text,
  cursor: z.string().optional().catch(undefined),
});
export type DeliveriesSearch = z.output<typeof deliveriesSearch>;

export const deliveriesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/deliveries',
  validateSearch: deliveriesSearch,
  component: lazyRouteComponent(() => import('./deliveries-page.tsx'), 'DeliveriesPage'),
});

export const deliveriesRoutes = [deliveriesRoute];
