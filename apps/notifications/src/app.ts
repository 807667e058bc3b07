// Builds the HTTP application of notifications: its faces and health endpoints. Never listens.
import type { Express } from 'express';
import { notificationsDialect } from '@parley/envelopes';
import { createServiceApp } from '@parley/platform';
import { callbackWebhooks } from './callbacks/callback-webhooks.ts';
import type { Deps } from './deps.ts';
import { emailEndpoints, senderEndpoints } from './channels/email/routes.ts';
import { trackingEndpoints } from './engagements/routes.ts';
import { pushReadEndpoints } from './inbox/read-pushed-item.ts';
import { inboxEndpoints } from './inbox/routes.ts';
import { notifyEndpoints, productNotifyEndpoints } from './notifications/routes.ts';
import { pushEndpoints, pushHistoryEndpoints } from './channels/web-push/routes.ts';
import { preferenceEndpoints, recipientEndpoints, suppressionEndpoints } from './recipients/routes.ts';
import { templateEndpoints } from './templates/routes.ts';
import { topicEndpoints } from './topics/routes.ts';
import { workflowEndpoints } from './workflows/routes.ts';

/** Version of the interface (docs/notifications.md#versioning); web push adds 1.1 and 1.2. */
const VERSION = '1.0.0';
const VERSION_WITH_PUSH = '1.2.0';

export function createApp(deps: Deps): Express {
  const notify = notifyEndpoints(deps);
  const version = deps.push === null ? VERSION : VERSION_WITH_PUSH;
  return createServiceApp(deps, {
    service: 'notifications',
    product: 'nt',
    info: {
      title: 'Parley notifications',
      version,
      description: 'Sends notifications over several channels with one call, and stores the in-app inbox.',
    },
    dialect: notificationsDialect,
    v1: [
      ...notify,
      ...recipientEndpoints(deps),
      ...preferenceEndpoints(deps),
      ...suppressionEndpoints(deps),
      ...senderEndpoints(deps),
      ...templateEndpoints(deps),
      ...workflowEndpoints(deps),
      ...topicEndpoints(deps),
      ...inboxEndpoints(deps),
      ...emailEndpoints(deps),
      ...pushEndpoints(deps),
      ...pushReadEndpoints(deps),
      ...pushHistoryEndpoints(deps),
      ...trackingEndpoints(deps),
    ],
    productFace: productNotifyEndpoints(notify),
    webhooks: callbackWebhooks,
  });
}
