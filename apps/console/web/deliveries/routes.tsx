// The deliveries of all webhooks. A single delivery is a page of its webhook
// (../webhooks/routes.tsx).
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../root/routes.tsx';
import { deliveriesSearch } from '../filters/delivery-search.ts';

export const deliveriesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/deliveries',
  validateSearch: deliveriesSearch,
  component: lazyRouteComponent(() => import('./deliveries-page.tsx'), 'DeliveriesPage'),
});

export const deliveriesRoutes = [deliveriesRoute];
