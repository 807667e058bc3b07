// Environment variables and dependencies of applications.
import type { z } from 'zod';
import { publicUrl } from '@parley/platform';
import type { Deps as WebhookDeps } from '../webhooks/deps.ts';

export const portalEnv = {
  PUBLIC_URL: publicUrl
    .optional()
    .describe(
      'Public address of this service, for example https://voice.example.com. Portal links have a `url` below it; without it they have none',
    ),
};

export interface Deps extends WebhookDeps {
  readonly config: WebhookDeps['config'] & z.output<z.ZodObject<typeof portalEnv>>;
}
