// createApp(deps): session, forwarding to the services, MCP and the page. Does not listen.
import express, { type ErrorRequestHandler, type Express } from 'express';
import type { Deps } from './deps.ts';
import { createForwarding } from './forward/forward.ts';
import { mcpRoutes } from './mcp/mcp.ts';
import { createPage } from './page/page.ts';
import { neverCached, sameOriginWrites, secureHeaders } from './page/policy.ts';
import { refuse } from './refusal.ts';
import { sessionRoutes } from './sign-in/routes.ts';
import { SessionsUnavailable } from './session/session.ts';

export interface ConsoleApp {
  readonly app: Express;
  /** Ends forwarded streams, so that a stop does not wait for them. */
  close(): void;
}

export function createApp(deps: Deps): ConsoleApp {
  const forwarding = createForwarding(deps);
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.use(secureHeaders);
  for (const path of ['/health', '/ready'])
    app.get(path, (_request, response) => void response.json({ status: 'ok' }));
  app.use(sameOriginWrites);
  app.use(['/session', '/api'], deps.sessions.handler);
  app.use('/session', neverCached, sessionRoutes(deps));
  app.use('/api/:service', forwarding.handler);
  app.use('/mcp', neverCached, mcpRoutes(deps));
  // MCP clients look for OAuth metadata, scrapers for metrics. There are none, and the page must
  // not answer.
  app.use(['/.well-known', '/metrics'], (request, response) =>
    refuse(response, 'nothing_here', `There is nothing at ${request.originalUrl}.`),
  );
  app.use(createPage(deps.pageFolder));
  const onError: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
    if (error instanceof SessionsUnavailable) {
      deps.log.warn({ err: error.cause }, 'sessions.unavailable');
      const words = 'Sessions cannot be reached at the moment. Try again in a few seconds.';
      return refuse(response.set('retry-after', '2'), 'sessions_unavailable', words);
    }
    const status = (error as { status?: unknown }).status;
    if (status === 413) return refuse(response, 'too_large', 'The body is too long. Send at most 8 KiB.');
    if (typeof status === 'number' && status < 500)
      return refuse(response, 'invalid_request', 'The request is malformed. Send a valid JSON body.');
    deps.log.error({ err: error }, 'request.failed');
    response.status(500).json({ error: 'The console failed to answer. Try again.', code: 'internal' });
  };
  app.use(onError);
  return { app, close: () => forwarding.close() };
}
