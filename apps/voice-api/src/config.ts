// The environment of voice-api. The table in README.md is generated from it.
import type { z } from 'zod';
import { serviceConfig } from '@parley/platform';

export const config = serviceConfig({});

export type Config = z.output<typeof config>;
