// /api/<service>/…: passes a request on to the service with the person's credential, and the answer
// back as it comes, streams included. undici frames every request that it sends
// (docs/console.md#requests-that-are-passed-on).
import { PassThrough } from 'node:stream';
import type { Handler, Request, Response } from 'express';
import { Agent, Client, request as send } from 'undici';
import { SERVICES, type Log, type ServiceName } from '@parley/server/runtime';
import type { Deps } from '../deps.ts';
import { refuse } from '../refusal.ts';
import { authorizationFor } from '../session/session.ts';
import { hasBody, framingProblem, toBrowser, toService } from './framing.ts';

/**
 * Nothing for so long, in either direction: the slowest answer of a service takes half of it, and a
 * stream has a sign of life every 15 s.
 */
const SILENT_MS_MAX = 60_000;

/**
 * What of a service is reached from here: its APIs, their reference and its health, never its
 * metrics.
 */
const OPEN = /^\/(?:v1|product\/v1|docs)\/|^\/(?:health|openapi\.json|docs)$/;

export interface Forwarding {
  readonly handler: Handler;
  /** Ends what is still going on: a stream has no end of its own. */
  close(): void;
}

export function createForwarding({
  addresses,
  log,
  sessions,
}: Pick<Deps, 'addresses' | 'log' | 'sessions'>): Forwarding {
  const shared = new Agent(WAITS);
  /** By the session that opened it. */
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
      if (!service) return refuse(response, 'nothing_here', 'there is no such service');
      if (!address)
        return refuse(
          response,
          'service_absent',
          `There is no ${service} here: this console was set up without it. The rest of it works.`,
        );
      const target = targetOf(address, request.url);
      if (!target)
        return refuse(response, 'nothing_here', `nothing of ${service} is reached at this address`);
      const authorization = authorizationFor(await sessions.read(request), service);
      if (!authorization && target.path !== '/health')
        return refuse(response, 'not_signed_in', `You are not signed in to ${service}.`);
      open.set(response, request.sessionID);
      response.once('close', () => open.delete(response));
      await pass(request, response, { service, target: target.url, authorization, shared, log });
    },
    close: () => {
      for (const response of open.keys()) response.destroy();
      void shared.destroy();
    },
  };
}

/** This file ends what is silent, so undici does not. */
const WAITS = { headersTimeout: 0, bodyTimeout: 0 };

/**
 * A connection for one request with a body. Where the service would read the end of a body
 * differently, nobody's request follows on it. It does not announce its end: a service that refuses
 * a body unread would close it at once, and undici would fail at the rest before it reads the
 * refusal.
 */
const singleConnection = (target: URL): Client => new Client(target.origin, WAITS);

/**
 * Where a request goes; undefined: nowhere. Dots are gone after `new URL`, so a path is judged as
 * the service will read it.
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
  readonly authorization: string | undefined;
  readonly shared: Agent;
  readonly log: Log;
}

async function pass(
  request: Request,
  response: Response,
  { service, target, authorization, shared, log }: Passing,
): Promise<void> {
  const abort = new AbortController();
  const silence = setTimeout(() => abort.abort(new Error('silent for too long')), SILENT_MS_MAX);
  const heard = () => void silence.refresh();
  const sends = hasBody(request);
  const single = sends ? singleConnection(target) : undefined;
  // A page that was closed ends its stream.
  response.once('close', () => {
    clearTimeout(silence);
    abort.abort();
    void single?.destroy();
  });
  try {
    const answer = await send(target, {
      method: request.method,
      headers: { ...toService(request.headers), ...(authorization === undefined ? {} : { authorization }) },
      // A stream between: undici destroys the body that it is given when a service answers early,
      // and with it would go the answer's socket.
      body: sends ? request.on('data', heard).pipe(new PassThrough()) : null,
      dispatcher: single ?? shared,
      signal: abort.signal,
    });
    answer.body.on('data', heard).on('error', () => response.destroy());
    response.writeHead(answer.statusCode, toBrowser(answer.headers));
    response.flushHeaders(); // a stream may have nothing to say for a while
    answer.body.pipe(response);
  } catch (error) {
    if (response.headersSent || response.destroyed) return void response.destroy();
    log.warn({ err: error, service }, 'service.unreachable');
    refuse(response, 'service_unreachable', `${service} cannot be reached at the moment.`);
  }
}
