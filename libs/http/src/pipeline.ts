// One request, from its first byte to its log line: the one function that holds the control flow of every endpoint.
// credential -> scope -> body -> organisation -> schemas -> use case -> answer -> metric and canonical log line.
import type { Request, Response } from 'express';
import {
  AppError,
  bareInternal,
  codes,
  refusalOf,
  type Code,
  type Dialect,
  type FieldProblem,
} from '@parley/envelopes';
import type { Metrics } from '@parley/metrics';
import { isPostgresUnavailable, type Sql } from '@parley/postgres';
import type { Clock, Log, Sealer } from '@parley/runtime';
import { hasScope, type Caller } from './caller.ts';
import { Reply, type Endpoint, type EndpointTransaction, type Face } from './endpoint.ts';
import {
  claimIdempotencyKey,
  idempotentRequest,
  storeIdempotentReply,
  type Idempotent,
  type StoredReply,
} from './idempotency.ts';
import { parseRequest } from './parse-request.ts';
import { readJsonBody } from './read-body.ts';
import { requestContext, type RequestContext } from './request-context.ts';

/** Verifies the credential of a request. @throws AppError unauthorized, rate_limited or unavailable. */
export type Authenticate = (request: Request, face: Face) => Promise<Caller> | Caller;

export interface PipelineOptions<Tx> {
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly authenticate: Authenticate;
  /** Runs work in one database transaction of the service. */
  readonly transact: <T>(work: (tx: Tx, sql: Sql) => Promise<T>) => Promise<T>;
  readonly sealer: Sealer;
  /** Checks every answer against its declared schema: on in development and in tests, off in production. */
  readonly checkReplies: boolean;
}

interface Served {
  readonly request: Request;
  readonly response: Response;
  readonly context: RequestContext;
  readonly route: string;
  readonly startedAt: number;
  caller?: Caller;
}

/** Answers that end with their headers (RFC 9110 §6.4.1). */
const BODILESS = new Set([204, 304]);
const JSON_TYPE = 'application/json; charset=utf-8';
/** How long a caller should wait when Postgres is away: fail-over and restart take seconds. */
const UNAVAILABLE_RETRY_SECONDS = '2';

export function serveEndpoint<Tx>(
  options: PipelineOptions<Tx>,
  endpoint: Endpoint,
  face: Face,
  route: string,
) {
  return async (request: Request, response: Response): Promise<void> => {
    const served = begin(request, response, route);
    try {
      const caller = await options.authenticate(request, face);
      served.caller = caller;
      if (!hasScope(caller, endpoint.scope)) {
        throw new AppError('insufficient_scope', `this needs the scope "${endpoint.scope}"`);
      }
      const body = endpoint.body ? await readJsonBody(request, endpoint.bodyBytesMax) : undefined;
      const query = { ...request.query };
      const problems = [...takeOrganization(caller, body, '/'), ...takeOrganization(caller, query, 'query.')];
      if (problems.length > 0)
        throw new AppError('invalid_request', 'the request is not valid', { fields: problems });
      const values = parseRequest(endpoint, { params: request.params, query, body });
      const input = {
        ...(values as { params: never; query: never; body: never }),
        caller,
        face,
        request: served.context,
        header: (name: string) => headerOf(request, name),
        transaction: undefined as never,
      };
      const reply = endpoint.creates
        ? await runInTransaction(options, endpoint, input, request, served.context)
        : textReply(options, endpoint, served.context, await endpoint.run(input));
      send(options, served, reply.status, reply.text, JSON_TYPE, reply.headers);
    } catch (error) {
      refuse(options, served, error);
    }
  };
}

type Input = Parameters<Endpoint['run']>[0];

/** A creating POST: effect, stored answer and outbox rows commit together, or not at all. */
async function runInTransaction<Tx>(
  options: PipelineOptions<Tx>,
  endpoint: Endpoint,
  input: Input,
  request: Request,
  context: RequestContext,
): Promise<StoredReply> {
  const after: (() => void)[] = [];
  const key = headerOf(request, 'idempotency-key');
  const idempotent: Idempotent | undefined =
    key === undefined
      ? undefined
      : idempotentRequest(input.caller.organizationId, routeOf(request), key, [input.query, input.body]);

  const reply = await options.transact(async (tx, sql) => {
    if (idempotent) {
      const stored = await claimIdempotencyKey(sql, options.sealer, idempotent, options.clock());
      if (stored) return { ...stored, headers: { ...stored.headers, 'idempotent-replayed': 'true' } };
    }
    const transaction: EndpointTransaction<Tx> = { tx, sql, afterCommit: (work) => void after.push(work) };
    const fresh = textReply(
      options,
      endpoint,
      context,
      await endpoint.run({ ...input, transaction: transaction as never }),
    );
    if (idempotent) await storeIdempotentReply(sql, options.sealer, idempotent, fresh, options.clock());
    return fresh;
  });
  for (const work of after) ring(work, options.log, context);
  return reply;
}

/** The effect is committed: whatever fails now, the answer stays. What was not rung is found by the sweepers. */
function ring(work: () => void, log: Log, { requestId }: RequestContext): void {
  try {
    work();
  } catch (error) {
    log.error({ err: error, request_id: requestId }, 'request.after_commit_failed');
  }
}

/** Method and whole path: the faces of a service share their paths, and a slash at the end changes nothing. */
function routeOf(request: Request): string {
  return `${request.method} ${request.baseUrl}${request.path.replace(/\/$/, '')}`;
}

/** The use case's result as status and text. A result that is not what the table declares is a bug, found in tests. */
function textReply<Tx>(
  options: PipelineOptions<Tx>,
  endpoint: Endpoint,
  context: RequestContext,
  result: unknown,
): StoredReply {
  const { data, status, headers } = result instanceof Reply ? result : new Reply(result);
  const sent = status ?? Number(Object.keys(endpoint.replies)[0]); // whole-number members stand in rising order
  const schema = endpoint.replies[sent];
  if (options.checkReplies) {
    if (schema === undefined)
      throw new Error(`${endpoint.operationId} answered ${sent}, which it does not declare`);
    schema?.parse(JSON.parse(JSON.stringify(data)));
    const type = headers['content-type']?.split(';')[0];
    if (endpoint.produces && !endpoint.produces.includes(type ?? ''))
      throw new Error(
        `${endpoint.operationId} answered ${type ?? 'no content type'}, which it does not declare`,
      );
  }
  if (schema === null) return { status: sent, text: '', headers };
  if (endpoint.produces) return { status: sent, text: data as string, headers }; // a document, in the form it was asked for
  const meta = { requestId: context.requestId, nowMs: options.clock() };
  return { status: sent, text: JSON.stringify(options.dialect.success(data, meta)), headers };
}

/**
 * The organisation comes from the credential. A request may repeat it, in the body or the query, and must then agree
 * (platform §3). The member is taken away: no schema needs to know it.
 */
function takeOrganization(caller: Caller, part: unknown, place: string): FieldProblem[] {
  if (typeof part !== 'object' || part === null || Array.isArray(part) || !('organization_id' in part))
    return [];
  const members = part as Record<string, unknown>;
  const given = members['organization_id'];
  delete members['organization_id'];
  if (given === undefined || given === null) return [];
  if (typeof given !== 'string') {
    return [{ path: `${place}organization_id`, message: 'must be a string', code: 'invalid_type' }];
  }
  if (given !== caller.organizationId) {
    throw new AppError('organization_mismatch', 'organization_id is not the organisation of the credential');
  }
  return [];
}

export function begin(request: Request, response: Response, route: string): Served {
  return { request, response, route, context: requestContext(request.headers), startedAt: performance.now() };
}

/** Answers a refusal in the service's dialect; anything that is not a refusal is a bug and shows nothing. */
export function refuse<Tx>(
  options: Pick<PipelineOptions<Tx>, 'dialect' | 'clock' | 'log' | 'metrics'>,
  served: Served,
  error: unknown,
): void {
  const known = asRefusal(error);
  if (!known) options.log.error({ err: error, ...factsOf(served) }, 'request.failed');
  else if (known.cause !== undefined)
    options.log.warn({ err: known.cause, ...factsOf(served) }, 'request.refused');
  const refusal = known ? refusalOf(known) : bareInternal;
  const { status } = codes[refusal.code];
  const body = options.dialect.error(refusal, {
    requestId: served.context.requestId,
    nowMs: options.clock(),
  });
  const { errorContentType } = options.dialect;
  send(options, served, status, JSON.stringify(body), errorContentType, known?.headers ?? {}, refusal.code);
}

function asRefusal(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  if (isPostgresUnavailable(error)) {
    return new AppError('unavailable', 'the database cannot be reached at the moment', {
      headers: { 'retry-after': UNAVAILABLE_RETRY_SECONDS },
      cause: error,
    });
  }
  if (error instanceof URIError)
    return new AppError('invalid_request', 'the path is not valid percent-encoded UTF-8');
  return undefined;
}

function send<Tx>(
  options: Pick<PipelineOptions<Tx>, 'log' | 'metrics'>,
  served: Served,
  status: number,
  text: string,
  contentType: string,
  headers: Readonly<Record<string, string>>,
  code?: Code,
): void {
  const { response, context } = served;
  if (!response.headersSent) {
    const base: Record<string, string | number> = {
      'x-request-id': context.requestId,
      traceparent: context.traceparent,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    };
    if (text !== '') base['content-type'] ??= contentType;
    if (!BODILESS.has(status)) base['content-length'] = Buffer.byteLength(text);
    response.writeHead(status, base);
  }
  response.end(text);
  const ms = performance.now() - served.startedAt;
  options.metrics.observeRequest(served.request.method, served.route, status, ms / 1000);
  options.log.info({ ...factsOf(served), status, ms: Math.round(ms * 1000) / 1000, code }, 'request.served');
}

function factsOf({ request, context, route, caller }: Served) {
  return {
    request_id: context.requestId,
    trace: context.traceparent,
    method: request.method,
    route,
    organization_id: caller?.organizationId,
    principal: caller?.principal,
  };
}

function headerOf(request: Request, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
