// /mcp: the tools of `parley mcp` over HTTP. Stateless, so any replica answers any request
// (docs/mcp.md#over-http).
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { Router, type Request, type Response } from 'express';
import type { ServiceKeys } from '@parley/server/console-access';
import { createMcpServer, createServices } from '@parley/mcp';
import { ignoreFailure, type ServiceName } from '@parley/server/runtime';
import type { Deps } from '../deps.ts';
import { refuse } from '../refusal.ts';
import { checkKeys, type Verdict } from '../session/check-keys.ts';
import { credentialsIn } from './bearer.ts';
import { createMessageLimit } from './in-flight.ts';

/** Less than the default timeout of MCP clients, 60 s. */
const ANSWER_WITHIN_MS = 50_000;

type Asking = Pick<Deps, 'addresses' | 'clock' | 'config' | 'log'>;

export function mcpRoutes(deps: Asking, answerWithinMs = ANSWER_WITHIN_MS): Router {
  const ours = new URL(deps.config.PUBLIC_URL).origin;
  const limitMessages = createMessageLimit();
  const router = Router();
  router.use(async (request, response) => {
    if (request.method !== 'POST')
      return refuse(
        response.set('allow', 'POST'),
        'wrong_method',
        'Use POST. This server keeps no sessions to stream from.',
      );
    const { origin } = request.headers;
    // DNS rebinding makes `Host` match `Origin`, so only our own origin counts.
    if (origin !== undefined && origin !== ours)
      return refuse(response, 'other_site', 'The request comes from a page of another site.');
    const keys = credentialsIn(request.headers.authorization, Object.keys(deps.addresses));
    if (keys === null)
      return unauthorized(
        response,
        'Send Authorization: Bearer <API key>. Join keys of several services with +.',
      );
    const organizationId = await whoseAre(keys, request, response, deps);
    if (organizationId === null) return;
    await limitMessages(organizationId, request, response, (message) =>
      answer(deps, { keys, message, withinMs: answerWithinMs }, request, response),
    );
  });
  return router;
}

function unauthorized(response: Response, words: string): void {
  refuse(response.set('www-authenticate', 'Bearer'), 'key_refused', words);
}

/** Checks the keys first, because some tools call no service. Null after refusing them. */
async function whoseAre(
  keys: ServiceKeys,
  request: Request,
  response: Response,
  { addresses }: Asking,
): Promise<string | null> {
  const verdicts = await checkKeys(keys, addresses, forwardedFor(request));
  const no: readonly Verdict[] = ['refused', 'forbidden', 'absent'];
  const [refused] = verdicts.find(([, verdict]) => no.includes(verdict)) ?? [];
  if (refused !== undefined)
    unauthorized(response, `${refused} does not accept this key. Check it or create a new one.`);
  else if (verdicts.some(([, verdict]) => verdict === 'limited'))
    refuse(response, 'too_many', 'This key has sent too many requests. Try again in a minute.');
  else if (verdicts.every(([, verdict]) => verdict === 'unreachable'))
    refuse(
      response,
      'service_unreachable',
      'No service for this key can be reached at the moment. Try again in a minute.',
    );
  // A key that cannot read does not know its organisation, so the key itself is the identity.
  else return verdicts.find(([, , organizationId]) => organizationId)?.[2] ?? Object.values(keys).join('+');
  return null;
}

interface Message {
  readonly keys: ServiceKeys;
  readonly message: unknown;
  readonly withinMs: number;
}

async function answer(
  { addresses, clock, log }: Asking,
  { keys, message, withinMs }: Message,
  request: Request,
  response: Response,
): Promise<void> {
  if (Array.isArray(message)) return refuse(response, 'invalid_request', 'Send one message per request.');
  const known = Object.entries(keys).map(([service, key]) => [
    service,
    { url: addresses[service as ServiceName]!, key },
  ]);
  const absent = (service: ServiceName) =>
    addresses[service]
      ? `The request has no key of ${service}. Join it to the other key with + in the Authorization header.`
      : `This console is not connected to ${service}.`;
  // The flow builder validates, so that long validations do not block this process.
  const ways = { headers: forwardedFor(request), validatesHere: false };
  const server = createMcpServer(createServices(Object.fromEntries(known) as never, absent, ways));
  const begunMs = clock();
  const late = setTimeout(() => {
    if (!response.headersSent)
      refuse(response, 'too_slow', `There was no response within ${withinMs} ms. Try again.`);
  }, withinMs);
  // Also ends requests to services when the client is gone.
  response.once('close', () => {
    clearTimeout(late);
    void ignoreFailure(server.close(), 'the response was sent, or the client is gone', log);
    log.info({ ...whatOf(message), status: response.statusCode, ms: clock() - begunMs }, 'mcp.answered');
  });
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  await transport.handleRequest(request, response, message);
}

/** Keys may be bound to client addresses. */
function forwardedFor(request: Request): Record<string, string> {
  const via = request.get('x-forwarded-for');
  return via === undefined ? {} : { 'x-forwarded-for': via };
}

/** For the log: method and tool name, never values. */
function whatOf(message: unknown): { method: string | undefined; tool: string | undefined } {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } };
  const named = (name: unknown) => (typeof name === 'string' ? name.slice(0, 64) : undefined);
  return { method: named(method), tool: named(params?.name) };
}
