// The start page.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../root/routes.tsx';

export const homeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./home-page.tsx'), 'HomePage'),
});
