// The configuration that every service shares: its type, and the base of its schema.
import { z } from 'zod';
import { platformEnv, platformRules } from '@parley/server/runtime';

/** A service's schema: shared and own variables, with the rules between the shared ones. */
export function serviceConfig<Own extends z.ZodRawShape>(own: Own) {
  return z
    .object({ ...platformEnv, ...own })
    .superRefine((config, context) => platformRules(config as never, context));
}

/** The address that links of a service begin with, without a slash at its end. */
export const publicUrl = z
  .url({ protocol: /^https?$/ })
  .refine((url) => /^(https:|http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/])/.test(`${url}/`), 'must be https')
  .transform((url) => url.replace(/\/+$/, ''));

/** The shared part, as parsed. */
export type PlatformConfig = z.output<z.ZodObject<typeof platformEnv>>;
