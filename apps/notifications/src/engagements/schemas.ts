// Request member that enables tracking, and status members with its results.
import { z } from 'zod';
import { notificationsDialect } from '@parley/envelopes';

const { timeSchema } = notificationsDialect;

export const track = z
  .strictObject({
    opens: z.boolean().default(false).describe('Opens of HTML mails, by a picture. Unreliable'),
    clicks: z
      .boolean()
      .default(false)
      .describe('Clicks on links in HTML mails, redirected by this service, and on pushes, by a beacon'),
  })
  .describe('Engagements to record and to report to callback_url. Default: none');
export type Tracking = z.output<typeof track>;

/** Members of a channel's status, present once the event happened. */
export const engagementMembers = {
  opened_at: timeSchema.optional().describe('Time of the first open'),
  clicked_at: timeSchema.optional().describe('Time of the first click'),
  dismissed_at: timeSchema.optional().describe('Time of the first dismissal on a device'),
  clicks: z.int().optional().describe('Devices or users that clicked, at most 10,000'),
} as const;
