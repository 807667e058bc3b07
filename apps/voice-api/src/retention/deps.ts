// Environment variables and dependencies of retention.
import type { z } from 'zod';
import { integer } from '@parley/server/runtime';
import type { BaseDeps } from '../base-deps.ts';
import type { RulesCache } from './stored-rules.ts';

export const retentionEnv = {
  RETENTION_DAYS: integer(0, 3_650)
    .default(0)
    .describe(
      'Days after which transcripts, recorded turns, recordings and raw reports of organisations and bots without a rule of their own are removed; 0: never',
    ),
};

export interface Deps extends BaseDeps {
  readonly config: BaseDeps['config'] & z.output<z.ZodObject<typeof retentionEnv>>;
  readonly retentionRules: RulesCache;
}
