// Builds the Express app of the flow builder: its faces and its health. Never listens.
import type { Express } from 'express';
import { flowBuilderDialect, openAiDialect } from '@parley/envelopes';
import { definitionSchema } from '@parley/flow-analysis';
import type { Endpoint } from '@parley/server/http';
import { createServiceApp } from '@parley/platform';
import type { Deps } from './deps.ts';
import { assistantEndpoints } from './assistant/routes.ts';
import { chatEndpoints } from './chat/routes.ts';
import { explainEndpoints } from './explain/routes.ts';
import { flowEndpoints } from './flows/routes.ts';
import { modelEndpoints } from './models/routes.ts';
import { conversationEndpoints } from './conversations/routes.ts';
import { turnEndpoints } from './turns/routes.ts';

/** Version of the API contract (docs/flow-language.md#versioning). */
const VERSION = '1.0.0';

/** The endpoints of flows, on /v1 and on the product face. */
export function flowBuilderEndpoints(deps: Deps): Endpoint[] {
  return [
    ...turnEndpoints(deps), // first: it is the hot one, and the router tries routes in order
    ...flowEndpoints(deps),
    ...conversationEndpoints(deps),
    ...explainEndpoints(deps),
    ...modelEndpoints(deps),
    ...assistantEndpoints(deps),
  ];
}

export function createApp(deps: Deps): Express {
  const endpoints = flowBuilderEndpoints(deps);
  return createServiceApp(deps, {
    service: 'flow-builder',
    product: 'fb',
    info: {
      title: 'Parley flow builder',
      version: VERSION,
      description: 'Stores, versions, validates and executes conversation flows.',
    },
    dialect: flowBuilderDialect,
    v1: endpoints,
    productFace: endpoints,
    otherFaces: [
      { face: 'openai', base: '/openai/v1', endpoints: chatEndpoints(deps), dialect: openAiDialect },
    ],
    documents: { '/schemas/flow-definition.json': definitionSchema },
    health: async () => ({ classifier: await deps.gateways.deployment.classifier.health() }),
  });
}
