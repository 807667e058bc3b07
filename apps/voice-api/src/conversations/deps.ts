// Environment variables and dependencies of conversations.
import { z } from 'zod';
import type { flowSecretsEnv } from '@parley/outbound';
import type { Deps as DeliveryDeps } from '../deliveries/deps.ts';
import type { CountEvents } from './event-counter.ts';
import type { LargeReads } from './read-transcripts.ts';

export const conversationEnv = {
  TRANSCRIPT_SETTLE: z.coerce
    .number('must be a number of seconds from 0 to 3600')
    .min(0)
    .max(3_600)
    .default(5)
    .describe('Seconds from the end of a conversation until its state and transcript are final'),
};

export interface Deps extends DeliveryDeps {
  readonly config: DeliveryDeps['config'] &
    z.output<z.ZodObject<typeof conversationEnv>> &
    z.output<z.ZodObject<typeof flowSecretsEnv>>;
  readonly largeReads: LargeReads;
  readonly countEvents: CountEvents;
}
