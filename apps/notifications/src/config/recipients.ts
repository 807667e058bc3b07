// Variables of recipients and their links.
import { publicUrl } from '@parley/platform';

export const recipientsEnv = {
  PUBLIC_URL: publicUrl
    .optional()
    .describe(
      'Public address of this service, for example https://notify.example.com. Unsubscribe and tracking links begin with it. Without it, mail of categories that can be switched off and tracked sends are refused',
    ),
} as const;
