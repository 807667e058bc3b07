// The member of a send that asks for opens and clicks, and what its status says of them.
import { z } from 'zod';
import { notificationsDialect } from '@parley/envelopes';

const { timeSchema } = notificationsDialect;

export const track = z
  .strictObject({
    opens: z.boolean().default(false).describe('Of the HTML of a mail, by a picture: unreliable'),
    clicks: z
      .boolean()
      .default(false)
      .describe('Of links in the HTML of a mail, which lead through this service; of pushes, by a beacon'),
  })
  .describe('What readers do is recorded, and told to callback_url. Left out: nothing of it');
export type Tracking = z.output<typeof track>;

/** Of a channel, each there once it has happened. */
export const engagementMembers = {
  opened_at: timeSchema.optional().describe('First opened'),
  clicked_at: timeSchema.optional().describe('First clicked'),
  dismissed_at: timeSchema.optional().describe('First dismissed on a device'),
  clicks: z.int().optional().describe('Devices or users that clicked, at most 10,000'),
} as const;
