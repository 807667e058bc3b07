// /api/<service>/…: passed on to the service with the credential of whoever is signed in, and its answer passed back as it comes, streams
// included (docs/console.md#shape). The console understands none of it.
import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Handler, Request, Response } from 'express';
import { SERVICES, type Log, type ServiceName } from '@parley/runtime';
import type { Deps } from '../deps.ts';
import { refuse } from '../refusal.ts';
import { authorizationFor } from '../session/session.ts';

/** Nothing for so long, in either direction: the slowest answer of a service takes half of it, and a stream has a sign of life every 15 s. */
const SILENT_MS_MAX = 60_000;

/** What of a service is reached from here: its APIs, their reference and its health, never its metrics. */
const OPEN = /^\/(?:v1|product\/v1|docs)\/|^\/(?:health|openapi\.json|docs)$/;

/** They belong to one connection (RFC 9110 §7.6.1), or to the way between browser and console. */
const NOT_SENT = new Set([
  ...[
    'connection',
    'keep-alive',
    'proxy-authenticate',
    'proxy-authorization',
    'te',
    'trailer',
    'transfer-encoding',
  ],
  ...['upgrade', 'host', 'cookie', 'authorization', 'origin', 'referer', 'forwarded', 'via'],
]);
const NOT_PASSED_BACK = new Set([
  ...[
    'connection',
    'keep-alive',
    'proxy-authenticate',
    'trailer',
    'transfer-encoding',
    'upgrade',
    'set-cookie',
  ],
  ...['content-security-policy', 'strict-transport-security', 'clear-site-data'],
]);

export interface Forwarding {
  readonly handler: Handler;
  /** Ends what is still going on: a stream would go on for ever. */
  close(): void;
}

export function createForwarding({
  addresses,
  log,
  sessions,
}: Pick<Deps, 'addresses' | 'log' | 'sessions'>): Forwarding {
  const agents = {
    'http:': new HttpAgent({ keepAlive: true }),
    'https:': new HttpsAgent({ keepAlive: true }),
  };
  const open = new Set<Response>();
  return {
    handler: async (request, response) => {
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
      open.add(response);
      response.once('close', () => open.delete(response));
      pass(request, response, { service, target: target.url, authorization, agents, log });
    },
    close: () => {
      for (const response of open) response.destroy();
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/** Where a request goes; undefined: nowhere. Dots are gone after `new URL`, so a path is judged as the service will read it. */
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
  readonly agents: { readonly 'http:': HttpAgent; readonly 'https:': HttpsAgent };
  readonly log: Log;
}

function pass(
  request: Request,
  response: Response,
  { service, target, authorization, agents, log }: Passing,
): void {
  const headers = {
    ...without(request.headers, NOT_SENT),
    ...(authorization === undefined ? {} : { authorization }),
  };
  const { method } = request;
  const upstream =
    target.protocol === 'https:'
      ? httpsRequest(target, { method, headers, agent: agents['https:'] })
      : httpRequest(target, { method, headers, agent: agents['http:'] });
  upstream.setTimeout(SILENT_MS_MAX, () => upstream.destroy(new Error('silent for too long')));
  upstream.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, without(answer.headers, NOT_PASSED_BACK));
    response.flushHeaders(); // a stream may have nothing to say for a while
    answer.pipe(response);
    answer.on('error', () => response.destroy());
  });
  upstream.on('error', (error) => {
    if (response.headersSent) return void response.destroy();
    log.warn({ err: error, service }, 'service.unreachable');
    refuse(response, 'service_unreachable', `${service} cannot be reached at the moment.`);
  });
  response.once('close', () => upstream.destroy()); // a page that was closed ends its stream
  request.pipe(upstream);
}

function without(headers: IncomingHttpHeaders, left: ReadonlySet<string>): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !left.has(name)));
}
