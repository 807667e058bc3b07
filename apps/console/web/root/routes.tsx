// The root route, and the route around all pages that need a session.
import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, redirect } from '@tanstack/react-router';
import { sessionQuery } from '../session/session.ts';
import { LoadError, NotFound, Root } from './root.tsx';

export interface RouterContext {
  readonly queryClient: QueryClient;
}

export const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: Root,
  notFoundComponent: NotFound,
  errorComponent: LoadError,
});

/** The router adds the frame as its component, because the frame imports pages. */
export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  beforeLoad: async ({ context, location }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery);
    if (session.with === null || session.ended)
      throw redirect({ to: '/sign-in', search: { next: location.href } });
  },
  notFoundComponent: NotFound,
  errorComponent: LoadError,
});
