// Wire shapes of the in-app store (docs/notifications.md#in-app-inbox, docs/notifications.md#event-stream).
import { z } from 'zod';
import { notificationsDialect, pageQuery } from '@parley/envelopes';
import { storedId } from '../caller-id.ts';
import { category } from './item-content.ts';

const ID_CHARACTERS_MAX = 255;
/** Ids of one `seen`: a page of the list. */
const SEEN_IDS_MAX = 100;
const LAST_EVENT_ID_CHARACTERS_MAX = 64;

const { timeSchema: time, timeInput, timeQuery } = notificationsDialect;

const userId = storedId
  .optional()
  .describe('Whose inbox, with an API key; with an identity token it is its `sub`');

export const itemParams = z.strictObject({ id: z.string().max(ID_CHARACTERS_MAX) });
export const userQuery = z.strictObject({ user_id: userId });

/** An empty id, which some clients drop with its slash, must not delete a whole inbox. */
export const deleteAllQuery = userQuery.extend({
  all: z.literal('true', 'must be true: this deletes every notification of the inbox'),
});

export const itemListQuery = z.strictObject({
  user_id: userId,
  status: z.enum(['unread', 'read', 'all']).default('all'),
  state: z
    .enum(['inbox', 'archived', 'snoozed', 'all'])
    .default('inbox')
    .describe('inbox: neither archived nor snoozed'),
  category: category.optional(),
  created_after: timeQuery.optional().describe('Epoch seconds; only later ones'),
  created_before: timeQuery.optional().describe('Epoch seconds; only earlier ones'),
  ...pageQuery(),
});

export const item = z
  .strictObject({
    id: z.string(),
    notification_id: z.string(),
    organization_id: z.string(),
    user_id: z.string().nullable().describe('Null: for every user of the organisation'),
    title: z.string(),
    body: z.string(),
    url: z.string().nullable(),
    data: z.unknown().describe('Whatever the sender gave; null when nothing'),
    actions: z.array(
      z.strictObject({ label: z.string(), url: z.string().optional(), id: z.string().optional() }),
    ),
    category: z.string().nullable(),
    icon: z.string().nullable(),
    status: z.enum(['unread', 'read']),
    seen_at: time.nullable(),
    read_at: time.nullable(),
    archived_at: time.nullable(),
    snoozed_until: time.nullable().describe('A time that has passed: it is in the inbox again'),
    created_at: time,
    expires_at: time.nullable(),
  })
  .meta({ id: 'InAppNotification' });

const counts = {
  unread_count: z.int().describe('Of the whole inbox, without what is archived or snoozed'),
  unseen_count: z.int().describe('Of the whole inbox, without what is archived or snoozed'),
};

export const itemPage = z.strictObject({
  items: z.array(item),
  next_cursor: z.string().nullable(),
  ...counts,
});
export const changedItems = z.strictObject({
  updated: z.int().describe('Items that were not in that state before'),
  ...counts,
});

export const seenRequest = z
  .strictObject({
    ids: z
      .array(z.string().max(ID_CHARACTERS_MAX))
      .min(1)
      .max(SEEN_IDS_MAX)
      .optional()
      .describe('Default: every item of the inbox'),
  })
  .meta({ id: 'SeenRequest' });

export const countQuery = z.strictObject({ user_id: userId, category: category.optional() });
export const inboxCounts = z.strictObject(counts).meta({ id: 'InboxCounts' });

export const snoozeRequest = z
  .strictObject({
    until: timeInput
      .nullable()
      .describe('Epoch seconds, at most 365 days ahead: back in the inbox then; null: at once'),
  })
  .meta({ id: 'SnoozeRequest' });

export const noBody = z.strictObject({});

export const readRequest = z
  .strictObject({
    clicked: z
      .boolean()
      .default(false)
      .describe('true: its url or one of its actions was followed, which is recorded as a click'),
  })
  .meta({ id: 'ReadRequest' });

export const streamQuery = z.strictObject({
  user_id: userId,
  ticket: z.string().max(ID_CHARACTERS_MAX).optional().describe('In the place of an Authorization header'),
  last_event_id: z
    .string()
    .max(LAST_EVENT_ID_CHARACTERS_MAX)
    .optional()
    .describe('In the place of a Last-Event-ID header, for an EventSource that is opened anew'),
});

export const streamTicket = z
  .strictObject({ ticket: z.string(), expires_at: time })
  .meta({ id: 'StreamTicket' });
