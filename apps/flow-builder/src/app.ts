// createApp(deps): the faces of flow-builder and its health. Never listens.
import type { Express } from 'express';
import { flowBuilderDialect, openAiDialect } from '@parley/envelopes';
import { definitionSchema } from '@parley/flow-engine';
import { createServiceApp } from '@parley/platform';
import type { Deps } from './deps.ts';
import { chatEndpoints } from './chat/routes.ts';
import { explainEndpoints } from './explain/routes.ts';
import { flowEndpoints } from './flows/routes.ts';

/** Version of the interface contract (docs/flow-language.md#versioning). */
const VERSION = '1.0.0';

export function createApp(deps: Deps): Express {
  const endpoints = [...flowEndpoints(deps), ...explainEndpoints(deps)];
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
    health: async () => {
      const { classifier } = deps.gateways;
      return { classifier: { ready: await classifier.ready(), kind: classifier.kind } };
    },
  });
}
