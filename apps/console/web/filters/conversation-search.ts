// The URL parameters of the list of conversations.
import { z } from 'zod';
import { listSearch, text } from '../lists/list-search.ts';
import { PERIODS } from '../ui/filters.tsx';
import type { operations } from '@parley/sdk/voice-api';

export type ConversationQuery = NonNullable<operations['listConversations']['parameters']['query']>;

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
export const SORTS = ['started_at', 'created_at', 'ended_at', 'duration_seconds', 'turn_count'] as const;

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

export const conversationSearch = z.object({
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
  error_code: text,
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
  ...listSearch,
});
export type ConversationSearch = z.output<typeof conversationSearch>;
