// The notification pages: composer, sent notifications, user inbox and web push.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { z } from 'zod';
import { listSearch, text } from '../lists/list-search.ts';
import { shellRoute } from '../root/routes.tsx';
import { PERIODS } from '../ui/filters.tsx';
import { CHANNELS, RECURRING_STATUSES, SEND_STATUSES } from './channels.ts';
import { recipientRoutes } from './recipients/routes.tsx';
import { templateRoutes } from './templates/routes.tsx';
import { topicRoutes } from './topics/routes.tsx';
import { workflowRoutes } from './workflows/routes.tsx';

export const composeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/notifications',
  /** Initial values of the composer. */
  validateSearch: z.object({ user: text, topic: text, template: text }),
  component: lazyRouteComponent(() => import('./compose/compose-page.tsx'), 'ComposePage'),
});

export const inboxRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/notifications/inbox',
  validateSearch: z.object({
    user: z.string().max(255).optional().catch(undefined),
    view: z.enum(['unread', 'archived']).optional().catch(undefined),
  }),
  component: lazyRouteComponent(() => import('./inbox-page.tsx'), 'InboxPage'),
});

export const sentListRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/notifications/sent',
  validateSearch: z.object({
    q: text,
    user: text,
    channel: z.enum(CHANNELS).optional().catch(undefined),
    status: z.enum(SEND_STATUSES).optional().catch(undefined),
    last: z.enum(PERIODS).optional().catch(undefined),
    ...listSearch,
  }),
  component: lazyRouteComponent(() => import('./sent-page.tsx'), 'SentPage'),
});

export const sendersRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/notifications/senders',
  component: lazyRouteComponent(() => import('./senders-page.tsx'), 'SendersPage'),
});

export const recurringRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/notifications/recurring',
  validateSearch: z.object({
    status: z.enum(RECURRING_STATUSES).optional().catch(undefined),
    ...listSearch,
  }),
  component: lazyRouteComponent(() => import('./recurring/recurring-page.tsx'), 'RecurringPage'),
});

export const pushRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/notifications/push',
  validateSearch: z.object({ user: text, ...listSearch }),
  component: lazyRouteComponent(() => import('./push-page.tsx'), 'PushPage'),
});

export const notificationRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/notifications/sent/$notificationId',
  /** For a send to a topic: filters of its members' notifications. */
  validateSearch: z.object({
    user: text,
    status: z.enum(SEND_STATUSES).optional().catch(undefined),
    ...listSearch,
  }),
  component: lazyRouteComponent(() => import('./notification-page.tsx'), 'NotificationPage'),
});

export const notificationRoutes = [
  composeRoute,
  sentListRoute,
  recurringRoute,
  sendersRoute,
  inboxRoute,
  pushRoute,
  notificationRoute,
  ...templateRoutes,
  ...workflowRoutes,
  ...recipientRoutes,
  ...topicRoutes,
];
