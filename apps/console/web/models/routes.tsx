// The page of the model settings.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../root/routes.tsx';

export const modelsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/models',
  component: lazyRouteComponent(() => import('./models-page.tsx'), 'ModelsPage'),
});
