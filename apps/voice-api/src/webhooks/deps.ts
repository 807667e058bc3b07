import type { BaseDeps } from '../base-deps.ts';
import type { WebhookCache } from './webhook-cache.ts';

export interface Deps extends BaseDeps {
  /** Cached webhooks with unsealed secrets. */
  readonly webhookCache: WebhookCache;
}
