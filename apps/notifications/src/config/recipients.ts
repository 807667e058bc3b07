// Variables of recipients and their links.
import { z } from 'zod';

export const recipientsEnv = {
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .refine(
      (url) => /^(https:|http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/])/.test(`${url}/`),
      'must be https',
    )
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe(
      'Public address of this service, for example https://notify.example.com. Unsubscribe and tracking links begin with it. Without it, mail of categories that can be switched off and tracked sends are refused',
    ),
} as const;
