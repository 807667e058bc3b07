// The sign-in page, the start page, and all missing addresses.
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { z } from 'zod';
import { PLACES } from './navigation.ts';
import { NotFound } from '../root/root.tsx';
import { rootRoute, shellRoute } from '../root/routes.tsx';
import { sessionQuery } from '../session/session.ts';

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
