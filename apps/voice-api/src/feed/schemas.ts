// Wire shapes of the feed and of conversation streams (docs/voice-api.md#feed,
// docs/voice-api.md#conversation-streams).
import { z } from 'zod';
import { voiceApiDialect } from '@parley/envelopes';
import { parsePosition } from '@parley/server/event-streams';
import { anyEvent } from '../webhook-format/webhook-events.ts';

const ITEMS_MAX = 100;
/** Well below the request timeouts of load balancers. */
const WAIT_SECONDS_MAX = 30;
const TICKET_CHARACTERS_MAX = 255;
const LAST_EVENT_ID_CHARACTERS_MAX = 64;

/** Position of the writing transaction, sequence in the conversation, and id of an event. */
export const SEQUENCE = /^([\d.]+)-(?:(?:(\d{1,9})-)?(evt_[0-9a-z]{26}))?$/;
const isSequence = (text: string) => parsePosition(SEQUENCE.exec(text)?.[1] ?? '') !== null;
const POSITION_CHARACTERS_MAX = 128;

export const feedQuery = z.strictObject({
  after: z
    .string()
    .max(POSITION_CHARACTERS_MAX)
    .refine((text) => text === 'now' || isSequence(text), 'must be a `sequence` of this feed, or `now`')
    .optional()
    .describe(
      'Position to read after: a `sequence` or `next_after`. `now` returns no events, only the current position. Default: the oldest stored event',
    ),
  limit: z.coerce.number().int().min(1).max(ITEMS_MAX).default(ITEMS_MAX),
  wait: z.coerce
    .number()
    .int()
    .min(0)
    .max(WAIT_SECONDS_MAX)
    .default(0)
    .describe('Seconds to wait for an event if there is none'),
});

export const feed = z
  .strictObject({
    items: z.array(anyEvent({ sequence: z.string().describe('Position in the feed') })),
    next_after: z.string().describe('Value of `after` for the next request'),
    has_more: z.boolean(),
  })
  .meta({ id: 'EventFeed' });

export const streamQuery = z.strictObject({
  ticket: z.string().max(TICKET_CHARACTERS_MAX).optional().describe('Replaces the Authorization header'),
  last_event_id: z
    .string()
    .max(LAST_EVENT_ID_CHARACTERS_MAX)
    .optional()
    .describe('Replaces the Last-Event-ID header, for a newly created EventSource'),
});

export const streamTicket = z
  .strictObject({ ticket: z.string(), expires_at: voiceApiDialect.timeSchema })
  .meta({ id: 'StreamTicket' });

export const noBody = z.strictObject({});
