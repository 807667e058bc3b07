// The endpoints for operators: /health, /ready, /metrics, /openapi.json and /docs, and the
// documents of a service. They need no credential. The ingress exposes only /health, /openapi.json
// and the documents (docs/platform.md#operations-endpoints).
import express, { type Router } from 'express';
import { OPENMETRICS_CONTENT_TYPE, PROMETHEUS_CONTENT_TYPE, type Metrics } from '@parley/metrics';
import { ignoreFailure, type Log } from '@parley/server/runtime';
import { docsPage } from './docs-page.ts';
import { requestContext } from './request-context.ts';

/** The paths served here; each takes GET only. */
export const OPERATIONS = ['/health', '/ready', '/metrics', '/openapi.json', '/docs'];

export interface Operations {
  readonly title: string;
  readonly metrics: Metrics;
  readonly log: Log;
  /**
   * The body of /health: 200 while the process lives, with the readiness inside. Must not throw.
   */
  readonly health: () => Promise<object>;
  /**
   * False: the process cannot recover, so /health is 503 and Kubernetes replaces it. Default:
   * always true.
   */
  readonly isAlive?: () => boolean;
  /** Whether the service can serve. */
  readonly ready: () => Promise<boolean>;
  readonly openapi: () => object;
  /** JSON documents by path, such as a schema. Built on the first request. */
  readonly documents?: Readonly<Record<string, () => object>>;
  /**
   * JSON documents by the path of their folder and a name, read at each request; null: there is
   * none of that name.
   */
  readonly folders?: Readonly<Record<string, (name: string) => Promise<object | null>>>;
}

/** A scraper that takes this format gets it: only here a bucket has its exemplar. */
const OPEN_METRICS = /(^|,)\s*application\/openmetrics-text\s*(;|,|$)/;

/** How long clients may cache a document of a folder. */
const FOLDER_CACHE_SECONDS = 60;

export function operationsRouter(operations: Operations): Router {
  const router = express.Router({ strict: true, caseSensitive: true });
  const documents = { ...operations.documents, '/openapi.json': operations.openapi };
  const folders = Object.entries(operations.folders ?? {});
  const paths = [...OPERATIONS, ...Object.keys(documents), ...folders.map(([path]) => path)];
  router.use(paths, (request, response, next) => {
    const { requestId, traceparent } = requestContext(request.headers);
    response.set({ 'x-request-id': requestId, traceparent, 'x-content-type-options': 'nosniff' });
    next();
  });
  router.get('/health', async (_request, response) => {
    response.status((operations.isAlive?.() ?? true) ? 200 : 503).json(await operations.health());
  });
  router.get('/ready', async (_request, response) => {
    let ready = false;
    await ignoreFailure(
      operations.ready().then((answer) => void (ready = answer)),
      'failing to check counts as not ready',
      operations.log,
    );
    response.status(ready ? 200 : 503).json({ status: ready ? 'ready' : 'not_ready' });
  });
  router.get('/metrics', async (request, response) => {
    const { metrics } = operations;
    if (OPEN_METRICS.test(request.headers.accept ?? ''))
      response.type(OPENMETRICS_CONTENT_TYPE).send(await metrics.openMetricsText());
    else response.type(PROMETHEUS_CONTENT_TYPE).send(await metrics.text());
  });
  for (const [path, document] of Object.entries(documents)) {
    let text: string | undefined; // most processes never serve it
    router.get(path, (_request, response) => {
      text ??= JSON.stringify(document());
      response.type('json').send(text);
    });
  }
  for (const [path, read] of folders) {
    router.get(`${path}/:name`, async (request, response, next) => {
      const document = await read(request.params.name);
      if (document === null) return next();
      response.set('cache-control', `public, max-age=${FOLDER_CACHE_SECONDS}`).json(document);
    });
  }
  router.use(docsPage(operations.title));
  return router;
}
