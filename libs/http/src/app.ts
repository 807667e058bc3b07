// Makes the Express app of a service out of its endpoint tables. Never listens: tests use it as it is.
import cors from 'cors';
import express, {
  type ErrorRequestHandler,
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import { AppError } from '@parley/envelopes';
import { endpointRouter } from './endpoint-router.ts';
import { openApiDocument, type ApiInfo, type FaceTable } from './openapi.ts';
import { OPERATIONS, operationsRouter, type Operations } from './operations.ts';
import { begin, refuse, refuseMethod, type PipelineOptions } from './pipeline.ts';
import { streamsOf } from './stream.ts';

export interface HttpAppOptions<Tx> extends PipelineOptions<Tx>, Omit<Operations, 'title' | 'openapi'> {
  readonly info: ApiInfo;
  /** Every face with its endpoints; none in a process that only works queues. */
  readonly faces: readonly FaceTable[];
  /** Browser origins that may call the API. */
  readonly corsOrigins: readonly string[];
  /** How many proxies in front are believed for the client's address. */
  readonly trustProxy: number;
}

/** Route name of what matches no endpoint, in metrics and logs: concrete paths would make endless labels. */
const NO_ROUTE = '(none)';

export function createHttpApp<Tx>(options: HttpAppOptions<Tx>): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag'); // hashing every answer costs more than it saves; versioned resources set their own
  app.set('trust proxy', options.trustProxy);
  app.set('query parser', 'simple');
  app.set('case sensitive routing', true);

  if (options.corsOrigins.length > 0) app.use(crossOrigin(options.corsOrigins));
  const endpoints = endpointRouter({ ...options, streams: streamsOf(app) }, options.faces);
  app.use(endpoints);
  shortcut(app, endpoints, options);
  const limited = options.limit !== undefined;
  const openapi = () => openApiDocument(options.info, options.dialect, options.faces, limited);
  app.use(operationsRouter({ ...options, title: options.info.title, openapi }));
  for (const path of OPERATIONS)
    app.all(path, (request, response) => refuseMethod(options, request, response, 'GET, HEAD', path));
  app.use((request, response) => {
    refuse(
      options,
      begin(request, response, NO_ROUTE),
      new AppError('not_found', `there is nothing at ${request.path}`),
    );
  });
  // What Express itself refuses: a path that is not valid percent-encoding.
  const onError: ErrorRequestHandler = (error, request, response, _next) => {
    refuse(options, begin(request, response, NO_ROUTE), error);
  };
  app.use(onError);
  return app;
}

/** What Express does with a request; it calls this of itself, though its types do not say so. */
interface Handling {
  handle(request: Request, response: Response, done: NextFunction): unknown;
}

/**
 * Endpoints are served before Express has looked at the request: it adds nothing for them. Not so where a browser asks from another
 * origin (CORS is Express's), and where the request was not born with Express's prototypes (listen.ts), which Express then sets.
 */
function shortcut<Tx>(app: Express, endpoints: RequestHandler, options: HttpAppOptions<Tx>): void {
  const cors = options.corsOrigins.length > 0;
  const handling = app as unknown as Handling;
  const byExpress = handling.handle.bind(app);
  handling.handle = (request, response, done) => {
    if ((cors && request.headers.origin !== undefined) || Object.getPrototypeOf(request) !== app.request)
      return byExpress(request, response, done);
    const served = endpoints(request, response, () => byExpress(request, response, done));
    // An endpoint answers for its failures itself; if even that fails, the request is lost and not the process.
    if (served instanceof Promise)
      served.catch((error: unknown) => {
        options.log.error({ err: error }, 'request.not_answered');
        response.destroy();
      });
  };
}

function crossOrigin(origins: readonly string[]): RequestHandler {
  return cors({
    origin: [...origins],
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: [
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'If-Match',
      'X-Request-Id',
      'traceparent',
    ],
    exposedHeaders: [
      'ETag',
      'Location',
      'X-Request-Id',
      'Retry-After',
      'Idempotent-Replayed',
      'RateLimit',
      'RateLimit-Policy',
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'X-RateLimit-Mode',
    ],
    maxAge: 600,
  });
}
