// Wire shapes of the feed and of the streams of conversations (docs/voice-api.md#feed, docs/voice-api.md#conversation-streams).
import { z } from 'zod';
import { voiceApiDialect } from '@parley/envelopes';
import { anyEvent } from '../webhooks/told-events.ts';

const ITEMS_MAX = 100;
/** Well within what load balancers let a request wait. */
const WAIT_SECONDS_MAX = 30;
const TICKET_CHARACTERS_MAX = 255;
const LAST_EVENT_ID_CHARACTERS_MAX = 64;

/** The transaction that wrote an event, and its id. */
export const SEQUENCE = /^(\d{1,18})-((?:evt_[0-9a-z]{26})?)$/;

export const feedQuery = z.strictObject({
  after: z
    .string()
    .max(64)
    .refine((text) => text === 'now' || SEQUENCE.test(text), 'must be a `sequence` of this feed, or `now`')
    .optional()
    .describe(
      'A `sequence` or `next_after`; `now`: nothing yet, only the place. Default: the oldest that is kept',
    ),
  limit: z.coerce.number().int().min(1).max(ITEMS_MAX).default(ITEMS_MAX),
  wait: z.coerce
    .number()
    .int()
    .min(0)
    .max(WAIT_SECONDS_MAX)
    .default(0)
    .describe('Seconds to wait for the next event where there is none'),
});

export const feed = z
  .strictObject({
    items: z.array(anyEvent({ sequence: z.string().describe('The place in the feed') })),
    next_after: z.string().describe('`after` of the next request'),
    has_more: z.boolean(),
  })
  .meta({ id: 'EventFeed' });

export const streamQuery = z.strictObject({
  ticket: z
    .string()
    .max(TICKET_CHARACTERS_MAX)
    .optional()
    .describe('In the place of an Authorization header'),
  last_event_id: z
    .string()
    .max(LAST_EVENT_ID_CHARACTERS_MAX)
    .optional()
    .describe('In the place of a Last-Event-ID header, for an EventSource that is opened anew'),
});

export const streamTicket = z
  .strictObject({ ticket: z.string(), expires_at: voiceApiDialect.timeSchema })
  .meta({ id: 'StreamTicket' });

export const noBody = z.strictObject({});
