// A person across services.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { z } from 'zod';
import { shellRoute } from '../root/routes.tsx';

export const peopleRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/people',
  validateSearch: z.object({
    /** Phone number, e-mail address or user id. The router parses plain digits as a number. */
    who: z.coerce.string().max(255).optional().catch(undefined),
  }),
  component: lazyRouteComponent(() => import('./people-page.tsx'), 'PeoplePage'),
});
