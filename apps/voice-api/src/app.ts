// createApp(deps): the faces of voice-api and its health. Never listens.
import type { Express } from 'express';
import { voiceApiDialect } from '@parley/envelopes';
import { createServiceApp, storeReadiness } from '@parley/platform';
import type { Deps, Tx } from './deps.ts';

/** Version of the interface contract (seed: Versioning). */
const VERSION = '1.0.0';

export function createApp(deps: Deps): Express {
  return createServiceApp<Tx>(deps, {
    product: 'va',
    info: {
      title: 'Parley voice agent API',
      version: VERSION,
      description: 'Bots, conversations, analytics and webhooks of voice agents.',
    },
    dialect: voiceApiDialect,
    v1: [],
    productFace: [],
    transact: deps.transact,
    health: async () => ({ status: 'ok', store: await storeReadiness(deps), version: VERSION }),
    ready: async () => (await storeReadiness(deps)).ready,
  });
}
