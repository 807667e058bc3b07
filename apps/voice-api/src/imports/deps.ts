// Dependencies of imports.
import type { z } from 'zod';
import type { flowSecretsEnv } from '@parley/outbound';
import type { Deps as ConversationDeps } from '../conversations/deps.ts';

export interface Deps extends ConversationDeps {
  readonly config: ConversationDeps['config'] & z.output<z.ZodObject<typeof flowSecretsEnv>>;
}
