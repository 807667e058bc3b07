// The list of conversations, one conversation, and one of its turns explained.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { z } from 'zod';
import { shellRoute } from '../shell/routes.tsx';
import { PERIODS } from '../ui/filters.tsx';
import type { ConversationQuery } from './api.ts';

const text = z.string().max(255).optional().catch(undefined);

export const STATUSES = [
  'initiated',
  'in_progress',
  'processing',
  'completed',
  'failed',
  'no_answer',
  'busy',
  'canceled',
] as const;
export const CHANNELS = ['phone', 'web', 'sip', 'chat'] as const;
export const DIRECTIONS = ['inbound', 'outbound'] as const;
export const SORTS = ['created_at', 'started_at', 'ended_at', 'duration_seconds'] as const;

/** The router parses a plain `true` in a URL as a boolean. */
const asText = (value: unknown) => (typeof value === 'boolean' ? String(value) : value);

/** The compiler checks that none is missing. */
type EndReason = NonNullable<ConversationQuery['end_reason']>[number];
const END_REASONS: Readonly<Record<EndReason, true>> = {
  user_hangup: true,
  bot_hangup: true,
  flow_completed: true,
  handed_off: true,
  transferred: true,
  silence: true,
  max_duration: true,
  voicemail: true,
  no_answer: true,
  busy: true,
  canceled: true,
  timed_out: true,
  error: true,
  other: true,
};
export const ENDS = Object.keys(END_REASONS) as [EndReason, ...EndReason[]];

const seconds = z.coerce.number().min(0).max(604_800).optional().catch(undefined);

const conversationSearch = z.object({
  q: text,
  status: z.enum(STATUSES).optional().catch(undefined),
  channel: z.enum(CHANNELS).optional().catch(undefined),
  direction: z.enum(DIRECTIONS).optional().catch(undefined),
  bot_id: text,
  from: text,
  to: text,
  language: text,
  /** Comma-separated; a conversation must have all. */
  tags: text,
  /** `name=value`. */
  metadata: z
    .string()
    .max(640)
    .regex(/^[^=]+=/)
    .optional()
    .catch(undefined),
  flow_id: text,
  flow_version: z.int().min(1).optional().catch(undefined),
  end_reason: z.enum(ENDS).optional().catch(undefined),
  has_error: z.preprocess(asText, z.enum(['true', 'false']).optional().catch(undefined)),
  duration_min: seconds,
  duration_max: seconds,
  last: z.enum(PERIODS).optional().catch(undefined),
  started_after: text,
  started_before: text,
  ended_after: text,
  ended_before: text,
  updated_after: text,
  updated_before: text,
  sort: z.enum(SORTS).optional().catch(undefined),
  order: z.enum(['asc', 'desc']).optional().catch(undefined),
  cursor: z.string().optional().catch(undefined),
});
export type ConversationSearch = z.output<typeof conversationSearch>;

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
