// Wire shapes of what is done to conversations after the call, one by one and by filter (docs/voice-api.md#changing-conversations).
import { z } from 'zod';
import { afterCall, anyMetadata } from '../events/after-call.rules.ts';
import { conversationFilter } from '../lists/filters.ts';

/** A cursor holds an id of 255 characters, of up to three bytes each, in base64. */
const CURSOR_CHARACTERS_MAX = 1_200;

const { tags, ...takenAway } = afterCall;
const nullable = Object.fromEntries(
  Object.entries(takenAway).map(([name, schema]) => [name, schema.nullable()]),
) as { [Name in keyof typeof takenAway]: z.ZodNullable<(typeof takenAway)[Name]> };

const hasMembers = (given: object) => Object.keys(given).length > 0;

export const conversationUpdate = z
  .strictObject({ metadata: anyMetadata.optional(), tags, ...nullable })
  .refine(hasMembers, 'must change something')
  .meta({
    id: 'ConversationUpdate',
    description:
      'Members that are absent stay, others are replaced, null takes them away. What is set so no event changes any more.',
  });
export type ConversationUpdate = z.output<typeof conversationUpdate>;

/** Everything is meant by no filter: that is not said by leaving something out. */
const filter = conversationFilter.refine(hasMembers, 'must have at least one member');
const going = {
  dry_run: z.boolean().default(false).describe('Only say how many are meant'),
  cursor: z.string().max(CURSOR_CHARACTERS_MAX).optional().describe('`next_cursor` of the answer before'),
};

export const bulkUpdate = z
  .strictObject({ filter, changes: conversationUpdate, ...going })
  .meta({ id: 'ConversationBulkUpdate' });
export const bulkDelete = z.strictObject({ filter, ...going }).meta({ id: 'ConversationBulkDelete' });

export const erased = z
  .strictObject({
    conversations: z.int(),
    turns: z.int(),
    recorded_turns: z.int(),
    events: z.int(),
    webhook_events: z.int(),
    deliveries: z.int(),
    callers: z.int().describe('Callers of whom nothing is left but that there was one'),
  })
  .meta({ id: 'Erased' });
export type Erased = z.output<typeof erased>;

export const deletedConversation = z.strictObject({ id: z.string(), deleted: z.literal(true), erased });

const gone = {
  dry_run: z.boolean(),
  matched: z.int().describe('Of a dry run: all, up to 100,000; else those of this answer'),
  matched_is_at_least: z.literal(true).optional(),
  next_cursor: z.string().nullable().describe('There may be more: send it again with this `cursor`'),
};
export const bulkUpdated = z.strictObject(gone).meta({ id: 'ConversationBulkUpdated' });
export const bulkDeleted = z
  .strictObject({ ...gone, erased: erased.optional().describe('Not of a dry run') })
  .meta({ id: 'ConversationBulkDeleted' });
