// Variables of the in-app inbox.
import { integer } from '@parley/server/runtime';

export const inboxEnv = {
  INBOX_RETENTION_DAYS: integer(1, 3_650)
    .default(365)
    .describe('Days after which inbox items are deleted, read or not'),
} as const;
