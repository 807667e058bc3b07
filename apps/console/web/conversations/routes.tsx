// The list of conversations, one conversation, and one of its turns explained.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { z } from 'zod';
import { shellRoute } from '../root/routes.tsx';
import { conversationSearch } from '../filters/conversation-search.ts';

export const conversationsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/conversations',
  validateSearch: conversationSearch,
  component: lazyRouteComponent(() => import('./conversations-page.tsx'), 'ConversationsPage'),
});

export const conversationRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/conversations/$conversationId',
  validateSearch: z.object({
    /** Cursor of the delivery list. */
    deliveries: z.string().optional().catch(undefined),
  }),
  component: lazyRouteComponent(() => import('./conversation-page.tsx'), 'ConversationPage'),
});

/** A chunk of its own, because it loads the canvas. */
export const whyRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/conversations/$conversationId/why',
  validateSearch: z.object({
    /** Number of the recorded turn in the transcript. */
    turn: z.int().min(1).optional().catch(undefined),
    /** The selected node. */
    node: z.string().max(128).optional().catch(undefined),
    show: z.literal('draft').optional().catch(undefined),
  }),
  component: lazyRouteComponent(() => import('./why/why-page.tsx'), 'WhyPage'),
});

export const conversationRoutes = [conversationsRoute, conversationRoute, whyRoute];
