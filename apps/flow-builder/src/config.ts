// The environment of flow-builder. The table in README.md is generated from it.
import type { z } from 'zod';
import { limits } from '@parley/flow-engine';
import { serviceConfig } from '@parley/platform';
import { integer } from '@parley/runtime';

export const config = serviceConfig({
  FLOW_STEPS_MAX: integer(1, 10_000)
    .default(limits.stepsMax)
    .describe('Most node visits of one turn, first and last included'),
});

export type Config = z.output<typeof config>;
