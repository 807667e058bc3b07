// The root of all pages, and the frame around those that need somebody signed in. Every noun hangs its routes below `shellRoute`.
import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { z } from 'zod';
import { PLACES } from './navigation.ts';
import { Failed, Missing, Root } from './root.tsx';
import { sessionQuery } from './session.ts';
import { Shell } from './shell.tsx';

export interface RouterContext {
  readonly queryClient: QueryClient;
}

export const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: Root,
  notFoundComponent: Missing,
  errorComponent: Failed,
});

const signInSearch = z.object({
  /** Where the person wanted to go: a path of this page. */
  next: z
    .string()
    .regex(/^\/(?!\/)/)
    .optional()
    .catch(undefined),
  /** Why the identity provider signed nobody in. */
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
  notFoundComponent: Missing,
  errorComponent: Failed,
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

/** An address that nothing has: said inside of the frame. */
export const missingRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '$',
  component: Missing,
});
