// Wire schemas of recurring sends (docs/notifications.md#recurring-sends).
import { z } from 'zod';
import { notificationsDialect, pageQuery } from '@parley/envelopes';

const { timeSchema } = notificationsDialect;

export const RECURRING_STATUSES = ['active', 'ended', 'canceled', 'failed'] as const;

const members = {
  rrule: z.string(),
  timezone: z.string(),
  status: z.enum(RECURRING_STATUSES).describe('failed: ten occurrences in a row were refused'),
  next_at: timeSchema.nullable().describe('The next occurrence'),
  occurrences: z.int().describe('Occurrences so far. Each is a notification with this `parent_id`'),
  last_error: z.string().nullable().describe('Why the last occurrence was refused'),
} as const;

export const recurringStatus = z.strictObject(members).meta({ id: 'RecurringStatus' });

export const recurringPage = z.strictObject({
  items: z.array(
    z
      .strictObject({
        notification_id: z.string(),
        subject: z.string(),
        created_at: timeSchema,
        ...members,
      })
      .meta({ id: 'RecurringSend' }),
  ),
  next_cursor: z.string().nullable(),
});

export const recurringListQuery = z.strictObject({
  ...pageQuery(),
  status: z.enum(RECURRING_STATUSES).optional().describe('Default: all'),
});
