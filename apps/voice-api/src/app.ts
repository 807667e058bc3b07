// createApp(deps) builds the routes of voice-api and its health checks. It never listens.
import type { Express } from 'express';
import { voiceApiDialect } from '@parley/envelopes';
import type { Endpoint } from '@parley/server/http';
import { createServiceApp } from '@parley/platform';
import { createPortalAuthenticator } from './applications/portal-authenticator.ts';
import { listPortalFiles } from './applications/portal-page.ts';
import { separatePortal } from './applications/portal-limit.ts';
import { applicationEndpoints } from './applications/routes.ts';
import { analyticsEndpoints } from './analytics/routes.ts';
import { countRequests } from './analytics/request-counter.ts';
import { botEndpoints } from './bots/routes.ts';
import { conversationChangeEndpoints } from './conversations/changes/routes.ts';
import { conversationEndpoints } from './conversations/routes.ts';
import { deliveryEndpoints } from './deliveries/routes.ts';
import { callerEndpoints } from './callers/routes.ts';
import type { Deps } from './deps.ts';
import { exportEndpoints } from './exports/routes.ts';
import { feedEndpoints } from './feed/routes.ts';
import { importEndpoints } from './imports/routes.ts';
import { retentionEndpoints } from './retention/routes.ts';
import { createPublicKeyReader } from './webhooks/public-keys.ts';
import { webhookEventDocs } from './webhook-format/webhook-events.ts';
import { webhookEndpoints } from './webhooks/routes.ts';

/** Version of the API contract (docs/voice-api.md#versioning). */
const VERSION = '1.0.0';

export function createApp(deps: Deps): Express {
  const authenticator = createPortalAuthenticator(deps.authenticator, deps);
  return createServiceApp(
    { ...deps, authenticator },
    {
      service: 'voice-api',
      product: 'va',
      info: {
        title: 'Parley voice agent API',
        version: VERSION,
        description: 'Bots, conversations, analytics and webhooks of voice agents.',
      },
      dialect: voiceApiDialect,
      v1: voiceEndpoints(deps),
      productFace: [],
      pages: listPortalFiles(),
      folders: { '/.well-known/webhook-keys': createPublicKeyReader(deps) },
      webhooks: webhookEventDocs,
      limit: countRequests(deps.requestCounter, separatePortal(deps.limits.limit)),
    },
  );
}

/** The endpoint table of `/v1`. */
export function voiceEndpoints(deps: Deps): Endpoint[] {
  return [
    ...conversationEndpoints(deps),
    ...conversationChangeEndpoints(deps),
    ...callerEndpoints(deps),
    ...retentionEndpoints(deps),
    ...importEndpoints(deps),
    ...exportEndpoints(deps),
    ...botEndpoints(deps),
    ...analyticsEndpoints(deps),
    ...applicationEndpoints(deps),
    ...webhookEndpoints(deps),
    ...deliveryEndpoints(deps),
    ...feedEndpoints(deps),
  ];
}
