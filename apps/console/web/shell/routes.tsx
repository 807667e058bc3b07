// The root route, the sign-in page, and the route around all pages that need a session.
import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { z } from 'zod';
import { PLACES } from './navigation.ts';
import { LoadError, NotFound, Root } from './root.tsx';
import { sessionQuery } from './session.ts';
import { Shell } from './shell.tsx';

export interface RouterContext {
  readonly queryClient: QueryClient;
}

export const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: Root,
  notFoundComponent: NotFound,
  errorComponent: LoadError,
});

const signInSearch = z.object({
  /** Where to go after sign-in: a path of the console. */
  next: z
    .string()
    .regex(/^\/(?!\/)/)
    .optional()
    .catch(undefined),
  /** Why sign-in at the identity provider failed. */
  problem: z
    .enum([
      'provider',
      'expired',
      'refused',
      'organization',
      'lifetime',
      'clock',
      'services',
      'rights',
      'token',
    ])
    .optional()
    .catch(undefined),
});

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: signInSearch,
  component: lazyRouteComponent(() => import('./sign-in.tsx'), 'SignIn'),
});

export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  beforeLoad: async ({ context, location }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery);
    if (session.with === null) throw redirect({ to: '/sign-in', search: { next: location.href } });
  },
  component: Shell,
  notFoundComponent: NotFound,
  errorComponent: LoadError,
});

export const homeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  beforeLoad: async ({ context }) => {
    const { services } = await context.queryClient.ensureQueryData(sessionQuery);
    const places = PLACES.flatMap((group) => group.places);
    const first = places.find(({ service }) => service !== undefined && services.includes(service));
    throw redirect({ to: first?.to ?? '/flows' });
  },
});

/** Any other address, shown inside the frame. */
export const notFoundRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '$',
  component: NotFound,
});
