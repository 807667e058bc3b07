// The environment of conversations.
import { z } from 'zod';

export const conversationEnv = {
  TRANSCRIPT_SETTLE: z.coerce
    .number('must be a number of seconds from 0 to 3600')
    .min(0)
    .max(3_600)
    .default(5)
    .describe('Seconds after the end of a conversation at which its state and its transcript are final'),
};
