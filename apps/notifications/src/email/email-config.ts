// The variables of the e-mail channel, beside the organisation settings (libs/organizations).
import { z } from 'zod';
import { flag, integer } from '@parley/runtime';

export const emailEnv = {
  SENDGRID_BASE_URL: z
    .url({ protocol: /^https?$/ })
    .default('https://api.sendgrid.com')
    .describe('Where SendGrid is; https://api.eu.sendgrid.com for accounts in the EU'),
  EMAIL_TIMEOUT_MS: integer(100, 15_000)
    .default(10_000)
    .describe(
      'Time (ms) for a mail provider to answer: the whole request to SendGrid, each step with a mail server',
    ),
  EMAIL_RETRY_AMBIGUOUS: flag
    .default(false)
    .describe(
      'Send mail again after a time-out that leaves open whether the provider took it; it may arrive twice',
    ),
  EMAIL_CAPTURE_DIR: z
    .string()
    .optional()
    .describe(
      'Folder that mail is written to as *.eml in place of being sent; `.parley/mail` when NODE_ENV=development',
    ),
} as const;

/** Where mail is captured; undefined where it is not. */
export function captureDir(config: {
  readonly NODE_ENV: string;
  readonly EMAIL_CAPTURE_DIR?: string | undefined;
}): string | undefined {
  return config.EMAIL_CAPTURE_DIR ?? (config.NODE_ENV === 'development' ? '.parley/mail' : undefined);
}
