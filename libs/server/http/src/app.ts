// Builds the Express app of a service from its endpoint tables. Does not listen: `listen` does.
import { basename, dirname } from 'node:path';
import cors from 'cors';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { AppError } from '@parley/envelopes';
import { createEndAnswer } from './answers.ts';
import { createLargeBodies } from './body/large-bodies.ts';
import { buildAsyncApi } from './asyncapi.ts';
import { endpointRouter } from './endpoint-router.ts';
import { isPortalToken } from './portal-token.ts';
import { REQUEST_HEADERS, RESPONSE_HEADERS } from './known-headers.ts';
import { buildOpenApi, type ApiInfo, type WebhookDescription, type FaceTable } from './openapi.ts';
import { OPERATIONS, operationsRouter, type Operations } from './operations.ts';
import type { PipelineOptions } from './pipeline.ts';
import { refuse, refuseMethod } from './refusal.ts';
import { begin } from './reply.ts';
import { getStreams } from './stream.ts';

export interface HttpAppOptions
  extends
    Omit<PipelineOptions, 'streams' | 'largeBodies' | 'endAnswer'>,
    Omit<Operations, 'title' | 'openapi'> {
  readonly info: ApiInfo;
  /** Every face with its endpoints; none in a process that only consumes queues. */
  readonly faces: readonly FaceTable[];
  /** Files of public pages by path, served with GET. */
  readonly pages?: Readonly<Record<string, PageFile>>;
  /** What /openapi.json lists as sent by the service. */
  readonly webhooks?: readonly WebhookDescription[];
  /** Browser origins that may call the API. */
  readonly corsOrigins: readonly string[];
  /** Number of proxies to trust for the client's address. */
  readonly trustProxy: number;
}

export interface PageFile {
  /** Absolute. Its ending gives the content type. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Browsers ask at each use whether a file changed, so that script and page are of one release. */
function servePageFile({ path, headers }: PageFile): RequestHandler {
  // With a root, a hidden folder above it does not hide the file.
  const options = { root: dirname(path), cacheControl: false };
  return (_request, response, next) =>
    response
      .set({ ...headers, 'x-content-type-options': 'nosniff', 'cache-control': 'no-cache' })
      .sendFile(basename(path), options, (error) => error && !response.headersSent && next());
}

/** Route name of unmatched paths in metrics and logs: real paths would create endless labels. */
const NO_ROUTE = '(none)';

export function createHttpApp(given: HttpAppOptions): Express {
  const app = express();
  const options = {
    ...given,
    streams: getStreams(app),
    largeBodies: createLargeBodies(),
    endAnswer: createEndAnswer(),
  };
  app.disable('x-powered-by');
  // hashing every answer costs more than it saves; versioned resources set their own
  app.disable('etag');
  app.set('trust proxy', options.trustProxy);
  app.set('query parser', 'simple');
  app.set('case sensitive routing', true);
  app.set('strict routing', true); // a trailing slash is another path

  app.use(crossOriginOfPortal(options.faces));
  if (options.corsOrigins.length > 0) app.use(crossOrigin(options.corsOrigins));
  app.use(endpointRouter(options, options.faces));
  const { info, dialect, faces, limit, webhooks = [] } = options;
  const openapi = () => buildOpenApi(info, dialect, faces, { limited: limit !== undefined, webhooks });
  const asyncapi = () => buildAsyncApi(info, webhooks, openapi());
  const sends = webhooks.length > 0 && faces.length > 0;
  const documents = { ...options.documents, ...(sends && { '/asyncapi.json': asyncapi }) };
  app.use(operationsRouter({ ...options, documents, title: options.info.title, openapi }));
  const pages = options.pages ?? {};
  for (const [path, file] of Object.entries(pages)) app.get(path, servePageFile(file));
  for (const path of [...OPERATIONS, ...Object.keys(documents), ...Object.keys(pages)])
    app.all(path, (request, response) => refuseMethod(options, request, response, 'GET, HEAD', path));
  app.use((request, response) => {
    refuse(
      { ...options, dialect: findDialect(options, request.path) },
      begin(request, response, NO_ROUTE),
      new AppError('not_found', `there is nothing at ${request.path}`),
    );
  });
  // Errors outside of the endpoints: a path with invalid percent-encoding.
  const onError: ErrorRequestHandler = (error, request, response, _next) => {
    const dialect = findDialect(options, request.path);
    refuse({ ...options, dialect }, begin(request, response, NO_ROUTE), error);
  };
  app.use(onError);
  return app;
}

/** Clients of a face read its errors, also where it has no endpoint. */
function findDialect({ faces, dialect }: HttpAppOptions, path: string): HttpAppOptions['dialect'] {
  return faces.find(({ base }) => path.startsWith(`${base}/`))?.dialect ?? dialect;
}

const CORS_RULES = {
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  allowedHeaders: [
    'Authorization',
    'Content-Type',
    'X-Organization-Id', // libs/auth
    'X-Request-Id',
    'traceparent',
    ...Object.keys(REQUEST_HEADERS),
  ],
  exposedHeaders: Object.keys(RESPONSE_HEADERS),
  maxAge: 600,
};

/** Only browsers send Origin. Other requests and their answers stay untouched. */
function crossOrigin(origins: readonly string[]): RequestHandler {
  const answer = cors({ ...CORS_RULES, origin: [...origins] });
  return (request, response, next) =>
    request.headers.origin === undefined ? next() : answer(request, response, next);
}

/**
 * The portal is shown on pages of any origin. Such a page may read answers to a portal link, which
 * it holds itself; no browser adds one to a request.
 */
function crossOriginOfPortal(faces: readonly FaceTable[]): RequestHandler {
  const paths = faces.flatMap(({ base, endpoints }) =>
    endpoints.flatMap(({ path, portal }) => (portal ? [toPattern(`${base}${path}`)] : [])),
  );
  const answer = cors({ ...CORS_RULES, origin: '*' });
  return (request, response, next) => {
    const { origin, authorization } = request.headers;
    if (origin === undefined || !(request.method === 'OPTIONS' || isPortalToken(authorization)))
      return next();
    return paths.some((path) => path.test(request.path)) ? answer(request, response, next) : next();
  };
}

/** `/webhooks/{webhook_id}`: its literal parts are word characters, `/` and `-`. */
function toPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}
