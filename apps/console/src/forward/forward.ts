// /api/<service>/…: forwards a request to the service with the person's credential, and streams the
// response back. undici frames every request (docs/console.md#requests-that-are-passed-on).
import { PassThrough } from 'node:stream';
import type { Handler, Request, Response } from 'express';
import { Agent, Client, request as send } from 'undici';
import { SERVICES, type Log, type ServiceName } from '@parley/server/runtime';
import type { Deps } from '../deps.ts';
import { refuse } from '../refusal.ts';
import { credentialHeaders } from '../session/session.ts';
import { hasBody, framingProblem, toBrowser, toService } from './framing.ts';

/**
 * Maximum silence in either direction. The slowest response takes half of it, and streams send
 * heartbeats every 15 s.
 */
const SILENT_MS_MAX = 60_000;

/** Reachable paths: APIs, reference and health, never metrics. */
const OPEN = /^\/(?:v1|product\/v1|docs)\/|^\/(?:health|openapi\.json|docs)$/;

export interface Forwarding {
  readonly handler: Handler;
  /** Ends requests in flight, because a stream has no end. */
  close(): void;
}

export function createForwarding({
  addresses,
  log,
  sessions,
}: Pick<Deps, 'addresses' | 'log' | 'sessions'>): Forwarding {
  const shared = new Agent(WAITS);
  /** Open responses with the id of their session. */
  const open = new Map<Response, string>();
  sessions.onEnd((id) => {
    for (const [response, openedBy] of open) if (openedBy === id) response.destroy();
  });
  return {
    handler: async (request, response) => {
      const problem = framingProblem(request);
      if (problem) return refuse(response.set('connection', 'close'), 'invalid_request', problem);
      const service = SERVICES.find((name) => name === request.params['service']);
      const address = service && addresses[service];
      if (!service) return refuse(response, 'nothing_here', 'There is no such service.');
      if (!address)
        return refuse(
          response,
          'service_absent',
          `This console is not connected to ${service}. Ask the operator to set its address.`,
        );
      const target = targetOf(address, request.url);
      if (!target)
        return refuse(response, 'nothing_here', `The console does not forward this path of ${service}.`);
      const credential = credentialHeaders(await sessions.read(request), service);
      if (!credential && target.path !== '/health')
        return refuse(
          response,
          'not_signed_in',
          `You are not signed in to ${service}. Sign in with a key of this service.`,
        );
      open.set(response, request.sessionID);
      response.once('close', () => open.delete(response));
      await pass(request, response, {
        service,
        target: target.url,
        credential: credential ?? {},
        shared,
        log,
      });
    },
    close: () => {
      for (const response of open.keys()) response.destroy();
      void shared.destroy();
    },
  };
}

/** No timeouts in undici, because this file ends silent requests. */
const WAITS = { headersTimeout: 0, bodyTimeout: 0 };

/**
 * One connection per request with a body, so that no other request follows if the service frames
 * the body differently. It does not send `Connection: close`: a service that refuses a body early
 * would then close before undici reads the response.
 */
const singleConnection = (target: URL): Client => new Client(target.origin, WAITS);

/**
 * The target of a request; undefined if not allowed. `new URL` resolves dots, so the check sees the
 * path as the service does.
 */
export function targetOf(address: string, path: string): { url: URL; path: string } | undefined {
  const base = address.replace(/\/+$/, '');
  if (!path.startsWith('/') || !URL.canParse(base + path)) return undefined;
  const url = new URL(base + path);
  const { origin, pathname } = new URL(base);
  const prefix = pathname === '/' ? '' : pathname;
  if (url.origin !== origin || !url.pathname.startsWith(`${prefix}/`)) return undefined;
  const inside = url.pathname.slice(prefix.length);
  return OPEN.test(inside) ? { url, path: inside } : undefined;
}

interface Passing {
  readonly service: ServiceName;
  readonly target: URL;
  readonly credential: Readonly<Record<string, string>>;
  readonly shared: Agent;
  readonly log: Log;
}

async function pass(
  request: Request,
  response: Response,
  { service, target, credential, shared, log }: Passing,
): Promise<void> {
  const abort = new AbortController();
  const silence = setTimeout(() => abort.abort(new Error('silent for too long')), SILENT_MS_MAX);
  const heard = () => void silence.refresh();
  const sends = hasBody(request);
  const single = sends ? singleConnection(target) : undefined;
  // Closing the page ends its stream.
  response.once('close', () => {
    clearTimeout(silence);
    abort.abort();
    void single?.destroy();
  });
  try {
    const answer = await send(target, {
      method: request.method,
      headers: { ...toService(request.headers), ...credential },
      // Through a stream: undici destroys the body on an early response, which would destroy
      // the browser's socket.
      body: sends ? request.on('data', heard).pipe(new PassThrough()) : null,
      dispatcher: single ?? shared,
      signal: abort.signal,
    });
    answer.body.on('data', heard).on('error', () => response.destroy());
    response.writeHead(answer.statusCode, toBrowser(answer.headers));
    response.flushHeaders(); // a stream may send its first event much later
    answer.body.pipe(response);
  } catch (error) {
    if (response.headersSent || response.destroyed) return void response.destroy();
    log.warn({ err: error, service }, 'service.unreachable');
    refuse(
      response,
      'service_unreachable',
      `${service} cannot be reached at the moment. Try again in a minute.`,
    );
  }
}
