// Notifications: write one, follow one, and the inbox as a user sees it.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { z } from 'zod';
import { shellRoute } from '../shell/routes.tsx';

const composeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/notifications',
  component: lazyRouteComponent(() => import('./compose-page.tsx'), 'ComposePage'),
});

export const inboxRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/notifications/inbox',
  validateSearch: z.object({
    user: z.string().max(255).optional().catch(undefined),
    status: z.enum(['unread', 'read']).optional().catch(undefined),
    cursor: z.string().optional().catch(undefined),
  }),
  component: lazyRouteComponent(() => import('./inbox-page.tsx'), 'InboxPage'),
});

export const notificationRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/notifications/sent/$notificationId',
  component: lazyRouteComponent(() => import('./notification-page.tsx'), 'NotificationPage'),
});

export const notificationRoutes = [composeRoute, inboxRoute, notificationRoute];
