// Variables of the e-mail channel. libs/server/organizations has the settings of organisations.
import { z } from 'zod';
import { flag } from '@parley/server/runtime';

function address(url: string, docs: string) {
  return z
    .url({ protocol: /^https?$/ })
    .default(url)
    .describe(docs);
}

export const emailEnv = {
  SENDGRID_BASE_URL: address(
    'https://api.sendgrid.com',
    'Address of SendGrid; https://api.eu.sendgrid.com for accounts in the EU',
  ),
  MAILGUN_BASE_URL: address(
    'https://api.mailgun.net',
    'Address of Mailgun; https://api.eu.mailgun.net for domains in the EU',
  ),
  POSTMARK_BASE_URL: address('https://api.postmarkapp.com', 'Address of Postmark'),
  RESEND_BASE_URL: address('https://api.resend.com', 'Address of Resend'),
  EMAIL_RETRY_AMBIGUOUS: flag
    .default(false)
    .describe(
      'Retry mail after a time-out that may have happened after the provider accepted it. It may arrive twice',
    ),
  EMAIL_CAPTURE_DIR: z
    .string()
    .optional()
    .describe('Folder for *.eml files that replace sending; `.parley/mail` with NODE_ENV=development'),
} as const;

/** The folder of captured mail; undefined when mail is not captured. */
export function captureDir(config: {
  readonly NODE_ENV: string;
  readonly EMAIL_CAPTURE_DIR?: string | undefined;
}): string | undefined {
  return config.EMAIL_CAPTURE_DIR ?? (config.NODE_ENV === 'development' ? '.parley/mail' : undefined);
}

/** Maximum time-out of a mail provider. */
const MAIL_TIMEOUT_MS_MAX = 10_000;

/** Time-out of a mail provider: the whole request to SendGrid, or each step with a mail server. */
export function mailTimeoutMs(config: { readonly DELIVERY_TIMEOUT_MS: number }): number {
  return Math.min(config.DELIVERY_TIMEOUT_MS, MAIL_TIMEOUT_MS_MAX);
}
