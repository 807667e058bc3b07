// Wire schemas of the in-app inbox (docs/notifications.md#in-app-inbox,
// docs/notifications.md#event-stream).
import { z } from 'zod';
import { notificationsDialect, pageQuery } from '@parley/envelopes';
import { storedId } from '../callers/caller-id.ts';
import { categoryId } from '../callers/caller-id.ts';

const ID_CHARACTERS_MAX = 255;
/** Ids of one `seen` request: a page of the list. */
const SEEN_IDS_MAX = 100;
const LAST_EVENT_ID_CHARACTERS_MAX = 64;

const { timeSchema: time, timeInput, timeQuery } = notificationsDialect;

const userId = storedId
  .optional()
  .describe('User of the inbox, with an API key. Default with an identity token: its `sub`');

export const itemParams = z.strictObject({ id: z.string().max(ID_CHARACTERS_MAX) });
export const userQuery = z.strictObject({ user_id: userId });

/** Some clients drop an empty id with its slash; that must not delete a whole inbox. */
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
  category: categoryId.optional(),
  created_after: timeQuery.optional().describe('Epoch seconds. Only items created after this time'),
  created_before: timeQuery.optional().describe('Epoch seconds. Only items created before this time'),
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
    data: z.unknown().describe('Data of the sender; null when absent'),
    actions: z.array(
      z.strictObject({ label: z.string(), url: z.string().optional(), id: z.string().optional() }),
    ),
    category: z.string().nullable(),
    icon: z.string().nullable(),
    status: z.enum(['unread', 'read']),
    seen_at: time.nullable(),
    read_at: time.nullable(),
    archived_at: time.nullable(),
    snoozed_until: time.nullable().describe('A time in the past: the item is back in the inbox'),
    created_at: time,
    expires_at: time.nullable(),
  })
  .meta({ id: 'InAppNotification' });

const counts = {
  unread_count: z.int().describe('Of the whole inbox, without archived and snoozed items'),
  unseen_count: z.int().describe('Of the whole inbox, without archived and snoozed items'),
};

export const itemPage = z.strictObject({
  items: z.array(item),
  next_cursor: z.string().nullable(),
  ...counts,
});
export const changedItems = z.strictObject({
  updated: z.int().describe('Items whose state changed'),
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

export const countQuery = z.strictObject({ user_id: userId, category: categoryId.optional() });
export const inboxCounts = z.strictObject(counts).meta({ id: 'InboxCounts' });

export const snoozeRequest = z
  .strictObject({
    until: timeInput
      .nullable()
      .describe('Epoch seconds, at most 365 days ahead, when the item returns to the inbox; null: now'),
  })
  .meta({ id: 'SnoozeRequest' });

export const noBody = z.strictObject({});

export const readRequest = z
  .strictObject({
    clicked: z
      .boolean()
      .default(false)
      .describe('true: the reader followed its url or an action. Recorded as a click'),
  })
  .meta({ id: 'ReadRequest' });

export const streamQuery = z.strictObject({
  user_id: userId,
  ticket: z.string().max(ID_CHARACTERS_MAX).optional().describe('Replaces the Authorization header'),
  last_event_id: z
    .string()
    .max(LAST_EVENT_ID_CHARACTERS_MAX)
    .optional()
    .describe('Replaces the Last-Event-ID header, for an EventSource that your page opens again'),
});

export const streamTicket = z
  .strictObject({ ticket: z.string(), expires_at: time })
  .meta({ id: 'StreamTicket' });
