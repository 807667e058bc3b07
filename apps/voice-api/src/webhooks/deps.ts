import type { Deps as RetentionDeps } from '../retention/deps.ts';
import type { WebhookCache } from './webhook-cache.ts';

export interface Deps extends RetentionDeps {
  /** Cached webhooks with unsealed secrets. */
  readonly webhookCache: WebhookCache;
}
