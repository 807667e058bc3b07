// The route tree: each feature folder exports its own routes.
import type { QueryClient } from '@tanstack/react-query';
import { createRouter } from '@tanstack/react-router';
import { agentRoutes } from './agents/routes.tsx';
import { alertRoutes } from './alerts/routes.tsx';
import { analyticsRoutes } from './analytics/routes.tsx';
import { conversationRoutes } from './conversations/routes.tsx';
import { deliveriesRoutes } from './deliveries/routes.tsx';
import { exportRoutes } from './exports/routes.tsx';
import { flowRoutes } from './flows/routes.tsx';
import { homeRoute } from './home/routes.tsx';
import { keyRoutes } from './keys/routes.tsx';
import { modelsRoute } from './models/routes.tsx';
import { retentionRoute } from './retention/routes.tsx';
import { notificationRoutes } from './notifications/routes.tsx';
import { organizationRoutes } from './organization/routes.tsx';
import { webhookRoutes } from './webhooks/routes.tsx';
import { peopleRoute } from './people/routes.tsx';
import { rootRoute, shellRoute } from './root/routes.tsx';
import { notFoundRoute, signedInRoute, signInRoute } from './shell/routes.tsx';
import { Shell } from './shell/shell.tsx';
import { focusPage } from './ui/focus.ts';

shellRoute.update({ component: Shell });

const routeTree = rootRoute.addChildren([
  signInRoute,
  signedInRoute,
  shellRoute.addChildren([
    homeRoute,
    peopleRoute,
    modelsRoute,
    retentionRoute,
    notFoundRoute,
    ...agentRoutes,
    ...flowRoutes,
    ...conversationRoutes,
    ...keyRoutes,
    ...alertRoutes,
    ...analyticsRoutes,
    ...webhookRoutes,
    ...deliveriesRoutes,
    ...exportRoutes,
    ...notificationRoutes,
    ...organizationRoutes,
  ]),
]);

export function makeRouter(queryClient: QueryClient) {
  const router = createRouter({
    routeTree,
    context: { queryClient },
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0, // the query client caches, not the router
    scrollRestoration: true,
  });
  // The link or button that led here is gone with its page.
  router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
    if (fromLocation !== undefined && pathChanged) focusPage();
  });
  return router;
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
