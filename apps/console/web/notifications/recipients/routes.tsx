// The recipients, the categories and the suppressed addresses.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { z } from 'zod';
import { listSearch } from '../../lists/list-search.ts';
import { shellRoute } from '../../root/routes.tsx';
import { SUPPRESSION_REASONS } from './api.ts';

export const recipientsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/notifications/recipients',
  validateSearch: z.object({
    user: z.string().max(255).optional().catch(undefined),
    ...listSearch,
  }),
  component: lazyRouteComponent(() => import('./recipients-page.tsx'), 'RecipientsPage'),
});

export const recipientRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/notifications/recipients/$userId',
  component: lazyRouteComponent(() => import('./recipient-page.tsx'), 'RecipientPage'),
});

const categoriesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/notifications/categories',
  component: lazyRouteComponent(() => import('./categories-page.tsx'), 'CategoriesPage'),
});

export const suppressionsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/notifications/suppressions',
  validateSearch: z.object({
    email: z.string().max(254).optional().catch(undefined),
    reason: z.enum(SUPPRESSION_REASONS).optional().catch(undefined),
    ...listSearch,
  }),
  component: lazyRouteComponent(() => import('./suppressions-page.tsx'), 'SuppressionsPage'),
});

export const recipientRoutes = [recipientsRoute, recipientRoute, categoriesRoute, suppressionsRoute];
