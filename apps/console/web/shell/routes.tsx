// The sign-in page, and all missing addresses.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { z } from 'zod';
import { NotFound } from '../root/root.tsx';
import { rootRoute, shellRoute } from '../root/routes.tsx';
import { SIGNED_IN_PATH, SignedIn } from '../session/session-end.tsx';

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

export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: SIGNED_IN_PATH,
  component: SignedIn,
});

/** Any other address, shown inside the frame. */
export const notFoundRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '$',
  component: NotFound,
});
