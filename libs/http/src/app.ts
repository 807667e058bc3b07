// Makes the Express app of a service out of its endpoint tables. Never listens: `listen` does.
import cors from 'cors';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { AppError } from '@parley/envelopes';
import { createEndAnswer } from './answers.ts';
import { createLargeBodies } from './body/large-bodies.ts';
import { endpointRouter } from './endpoint-router.ts';
import { REQUEST_HEADERS, RESPONSE_HEADERS } from './known-headers.ts';
import { openApiDocument, type ApiInfo, type DescribedWebhook, type FaceTable } from './openapi.ts';
import { OPERATIONS, operationsRouter, type Operations } from './operations.ts';
import type { PipelineOptions } from './pipeline.ts';
import { refuse, refuseMethod } from './refusal.ts';
import { begin } from './reply.ts';
import { streamsOf } from './stream.ts';

export interface HttpAppOptions
  extends
    Omit<PipelineOptions, 'streams' | 'largeBodies' | 'endAnswer'>,
    Omit<Operations, 'title' | 'openapi'> {
  readonly info: ApiInfo;
  /** Every face with its endpoints; none in a process that only works queues. */
  readonly faces: readonly FaceTable[];
  /** What /openapi.json says that the service sends. */
  readonly webhooks?: readonly DescribedWebhook[];
  /** Browser origins that may call the API. */
  readonly corsOrigins: readonly string[];
  /** How many proxies in front are believed for the client's address. */
  readonly trustProxy: number;
}

/** Route name of what matches no endpoint, in metrics and logs: concrete paths would make endless labels. */
const NO_ROUTE = '(none)';

export function createHttpApp(given: HttpAppOptions): Express {
  const app = express();
  const options = {
    ...given,
    streams: streamsOf(app),
    largeBodies: createLargeBodies(),
    endAnswer: createEndAnswer(),
  };
  app.disable('x-powered-by');
  app.disable('etag'); // hashing every answer costs more than it saves; versioned resources set their own
  app.set('trust proxy', options.trustProxy);
  app.set('query parser', 'simple');
  app.set('case sensitive routing', true);
  app.set('strict routing', true); // what names another path, a trailing slash included, is another path

  if (options.corsOrigins.length > 0) app.use(crossOrigin(options.corsOrigins));
  app.use(endpointRouter(options, options.faces));
  const { info, dialect, faces, limit, webhooks = [] } = options;
  const openapi = () => openApiDocument(info, dialect, faces, { limited: limit !== undefined, webhooks });
  app.use(operationsRouter({ ...options, title: options.info.title, openapi }));
  for (const path of [...OPERATIONS, ...Object.keys(options.documents ?? {})])
    app.all(path, (request, response) => refuseMethod(options, request, response, 'GET, HEAD', path));
  app.use((request, response) => {
    refuse(
      options,
      begin(request, response, NO_ROUTE),
      new AppError('not_found', `there is nothing at ${request.path}`),
    );
  });
  // What failed outside of the endpoints: a path that is not valid percent-encoding.
  const onError: ErrorRequestHandler = (error, request, response, _next) => {
    refuse(options, begin(request, response, NO_ROUTE), error);
  };
  app.use(onError);
  return app;
}

/** Only a browser sends Origin: nobody else's request is looked at, nor its answer given more headers. */
function crossOrigin(origins: readonly string[]): RequestHandler {
  const answer = cors({
    origin: [...origins],
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: [
      'Authorization',
      'Content-Type',
      'X-Request-Id',
      'traceparent',
      ...Object.keys(REQUEST_HEADERS),
    ],
    exposedHeaders: Object.keys(RESPONSE_HEADERS),
    maxAge: 600,
  });
  return (request, response, next) =>
    request.headers.origin === undefined ? next() : answer(request, response, next);
}
