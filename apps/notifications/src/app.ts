// createApp(deps): the faces of notifications and its health. Never listens.
import type { Express } from 'express';
import { notificationsDialect } from '@parley/envelopes';
import { createServiceApp, storeReadiness } from '@parley/platform';
import type { Deps, Tx } from './deps.ts';

/** Version of the interface contract (seed: Versioning). */
const VERSION = '1.0.0';

export function createApp(deps: Deps): Express {
  return createServiceApp<Tx>(deps, {
    product: 'nt',
    info: {
      title: 'Parley notifications',
      version: VERSION,
      description: 'One send operation over chat, e-mail, webhook, in-app and web push.',
    },
    dialect: notificationsDialect,
    v1: [],
    productFace: [],
    transact: deps.transact,
    health: async () => ({ status: 'ok', store: await storeReadiness(deps), version: VERSION }),
    ready: async () => (await storeReadiness(deps)).ready,
  });
}
