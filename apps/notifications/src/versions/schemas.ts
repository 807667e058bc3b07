// Wire schemas that everything with versions shares.
import { z } from 'zod';
import { notificationsDialect } from '@parley/envelopes';

const { timeSchema } = notificationsDialect;

export const contentId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'must be 1 to 64 characters of A–Z, a–z, 0–9, ., _ and -');

const VERSION_MAX = 1_000_000;
export const versionNumber = z.int().min(1).max(VERSION_MAX);

export const headMembers = {
  latest_version: z.int(),
  published_version: z.int().nullable(),
  created_at: timeSchema,
  updated_at: timeSchema,
} as const;

export const versionQuery = z.strictObject({
  version: z.coerce
    .number()
    .int()
    .min(1)
    .max(VERSION_MAX)
    .optional()
    .describe('Default: the published version, else the latest'),
});

export const publishMember = z
  .boolean()
  .default(true)
  .describe('false: sends continue with the published version');
