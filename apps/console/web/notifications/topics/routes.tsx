// The list of topics, and one topic.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { z } from 'zod';
import { listSearch } from '../../lists/list-search.ts';
import { shellRoute } from '../../root/routes.tsx';

const validateSearch = z.object(listSearch);

export const topicsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/notifications/topics',
  validateSearch,
  component: lazyRouteComponent(() => import('./topics-page.tsx'), 'TopicsPage'),
});

export const topicRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/notifications/topics/$topicId',
  validateSearch,
  component: lazyRouteComponent(() => import('./topic-page.tsx'), 'TopicPage'),
});

export const topicRoutes = [topicsRoute, topicRoute];
