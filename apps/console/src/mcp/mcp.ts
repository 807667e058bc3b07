// /mcp: the tools of `parley mcp` over HTTP. A request is answered with JSON and nothing is kept
// after it, so any replica answers the next one (docs/mcp.md#over-http).
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { Router, type Request, type Response } from 'express';
import type { ServiceKeys } from '@parley/server/console-access';
import { createMcpServer, servicesAt } from '@parley/mcp';
import { ignoreFailure, type ServiceName } from '@parley/server/runtime';
import type { Deps } from '../deps.ts';
import { refuse } from '../refusal.ts';
import { checkKeys, type Verdict } from '../session/check-keys.ts';
import { credentialsIn } from './bearer.ts';
import { createInHand } from './in-hand.ts';

/** Clients wait a minute, by their SDK's default. */
const ANSWER_WITHIN_MS = 50_000;

type Asking = Pick<Deps, 'addresses' | 'clock' | 'config' | 'log'>;

export function mcpRoutes(deps: Asking, answerWithinMs = ANSWER_WITHIN_MS): Router {
  const ours = new URL(deps.config.CONSOLE_URL).origin;
  const inHand = createInHand();
  const router = Router();
  router.use(async (request, response) => {
    if (request.method !== 'POST')
      return refuse(
        response.set('allow', 'POST'),
        'wrong_method',
        'only POST: nothing is kept to stream from',
      );
    const { origin } = request.headers;
    // A name that was made to lead here is the host of its page too: only our own counts.
    if (origin !== undefined && origin !== ours)
      return refuse(response, 'other_site', 'the request comes from the page of another site');
    const keys = credentialsIn(request.headers.authorization, Object.keys(deps.addresses));
    if (keys === null)
      return unauthorized(
        response,
        'Authorization: Bearer <API key>; keys of several services are joined by +',
      );
    const organizationId = await whoseAre(keys, request, response, deps);
    if (organizationId === null) return;
    await inHand(organizationId, request, response, (message) =>
      answer(deps, { keys, message, withinMs: answerWithinMs }, request, response),
    );
  });
  return router;
}

function unauthorized(response: Response, words: string): void {
  refuse(response.set('www-authenticate', 'Bearer'), 'key_refused', words);
}

/**
 * Some tools ask no service, so the keys are tried before anything is read. Null: they were
 * refused.
 */
async function whoseAre(
  keys: ServiceKeys,
  request: Request,
  response: Response,
  { addresses }: Asking,
): Promise<string | null> {
  const verdicts = await checkKeys(keys, addresses, forwardedFor(request));
  const no: readonly Verdict[] = ['refused', 'forbidden', 'absent'];
  const [refused] = verdicts.find(([, verdict]) => no.includes(verdict)) ?? [];
  if (refused !== undefined) unauthorized(response, `${refused} takes no such key.`);
  else if (verdicts.some(([, verdict]) => verdict === 'limited'))
    refuse(response, 'too_many', 'A service has had too many requests with this key.');
  else if (verdicts.every(([, verdict]) => verdict === 'unreachable'))
    refuse(response, 'service_unreachable', 'No service that knows this key can be reached at the moment.');
  // Who may not read is not told whose a key is: then each key stands for itself.
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
  if (Array.isArray(message)) return refuse(response, 'invalid_request', 'one message a request');
  const known = Object.entries(keys).map(([service, key]) => [
    service,
    { url: addresses[service as ServiceName]!, key },
  ]);
  const absent = (service: ServiceName) =>
    addresses[service]
      ? `no key of ${service} came along: join it to the other one with + in the Authorization header`
      : `this console knows no ${service}`;
  // Everybody waits for this process: what takes time is done where there are threads for it.
  const ways = { headers: forwardedFor(request), validatesHere: false };
  const server = createMcpServer(servicesAt(Object.fromEntries(known) as never, absent, ways));
  const begunMs = clock();
  const late = setTimeout(() => {
    if (!response.headersSent) refuse(response, 'too_slow', `there was no answer within ${withinMs} ms`);
  }, withinMs);
  // Also where the client went away: what is still asked of a service ends.
  response.once('close', () => {
    clearTimeout(late);
    void ignoreFailure(server.close(), 'the answer was sent, or nobody waits for it', log);
    log.info({ ...whatOf(message), status: response.statusCode, ms: clock() - begunMs }, 'mcp.answered');
  });
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  await transport.handleRequest(request, response, message);
}

/** As the services see it through the forward: keys may be bound to addresses. */
function forwardedFor(request: Request): Record<string, string> {
  const via = request.get('x-forwarded-for');
  return via === undefined ? {} : { 'x-forwarded-for': via };
}

/** For the log: what was asked, in names and never in values. */
function whatOf(message: unknown): { method: string | undefined; tool: string | undefined } {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } };
  const named = (name: unknown) => (typeof name === 'string' ? name.slice(0, 64) : undefined);
  return { method: named(method), tool: named(params?.name) };
}
