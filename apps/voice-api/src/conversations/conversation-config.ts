// Environment variables of conversations.
import { z } from 'zod';

export const conversationEnv = {
  TRANSCRIPT_SETTLE: z.coerce
    .number('must be a number of seconds from 0 to 3600')
    .min(0)
    .max(3_600)
    .default(5)
    .describe('Seconds from the end of a conversation until its state and transcript are final'),
};
