// The endpoints for operators: /health, /ready, /metrics, /openapi.json and /docs. No credential; the ingress routes
// only /health and /openapi.json to the outside (docs/platform.md#operations-endpoints).
import express, { type Router } from 'express';
import type { Metrics } from '@parley/metrics';
import { ignoreFailure, type Log } from '@parley/runtime';
import { docsPage } from './docs-page.ts';
import { requestContext } from './request-context.ts';

/** The paths served here; each takes GET only. */
export const OPERATIONS = ['/health', '/ready', '/metrics', '/openapi.json', '/docs'];

export interface Operations {
  readonly title: string;
  readonly metrics: Metrics;
  readonly log: Log;
  /** The body of /health: 200 as long as the process lives, readiness inside. Must not throw. */
  readonly health: () => Promise<object>;
  /** Whether the service can serve. */
  readonly ready: () => Promise<boolean>;
  readonly openapi: () => object;
}

export function operationsRouter(operations: Operations): Router {
  const router = express.Router();
  router.use([...OPERATIONS], (request, response, next) => {
    const { requestId, traceparent } = requestContext(request.headers);
    response.set({ 'x-request-id': requestId, traceparent, 'x-content-type-options': 'nosniff' });
    next();
  });
  router.get('/health', async (_request, response) => {
    response.json(await operations.health());
  });
  router.get('/ready', async (_request, response) => {
    let ready = false;
    await ignoreFailure(
      operations.ready().then((answer) => void (ready = answer)),
      'not being able to tell is not being ready',
      operations.log,
    );
    response.status(ready ? 200 : 503).json({ status: ready ? 'ready' : 'not_ready' });
  });
  router.get('/metrics', async (_request, response) => {
    response.type('text/plain; version=0.0.4; charset=utf-8').send(await operations.metrics.text());
  });
  let openapi: string | undefined; // most processes are never asked
  router.get('/openapi.json', (_request, response) => {
    openapi ??= JSON.stringify(operations.openapi());
    response.type('json').send(openapi);
  });
  router.use(docsPage(operations.title));
  return router;
}
