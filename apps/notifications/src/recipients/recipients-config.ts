// The variables of recipients and their links.
import { z } from 'zod';

export const recipientsEnv = {
  NOTIFICATIONS_PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .refine(
      (url) => /^(https:|http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/])/.test(`${url}/`),
      'must be https',
    )
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe(
      'Address at which recipients reach this service, such as https://notify.example.com: what links to unsubscribe, and what is tracked, begin with. Without it mail of a category that can be switched off is not sent, nor what is to be tracked',
    ),
} as const;
