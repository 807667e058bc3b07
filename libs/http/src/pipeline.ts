// One request, from its first byte to its log line: the one function that holds the control flow of every endpoint.
// credential -> scope -> body -> organisation -> schemas -> use case -> answer -> metric and canonical log line.
import type { Request, Response } from 'express';
import { z } from 'zod';
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
import { verifyOwn } from './credential.ts';
import { NO_HEADERS, Reply, type Endpoint, type EndpointTransaction, type Face } from './endpoint.ts';
import {
  claimIdempotencyKey,
  idempotentRequest,
  storeIdempotentReply,
  type Idempotent,
  type StoredReply,
} from './idempotency.ts';
import { held, type Admission, type Limit } from './limit.ts';
import { parseRequest } from './parse-request.ts';
import { jsonOf, readJsonBody } from './read-body.ts';
import { requestContext, type RequestContext } from './request-context.ts';
import { StreamReply, type Streams } from './stream.ts';

/** Verifies the credential of a request. @throws AppError unauthorized, rate_limited or unavailable. */
export type Authenticate = (request: Request, face: Face) => Promise<Caller> | Caller;

export interface PipelineOptions<Tx> {
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly authenticate: Authenticate;
  /** Admits every request whose credential is valid; without it nothing is limited. */
  readonly limit?: Limit | undefined;
  /** Answers that go on; createHttpApp makes it. */
  readonly streams?: Streams;
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
  admission?: Admission;
}

/** Answers that end with their headers (RFC 9110 §6.4.1). */
const BODILESS = new Set([204, 304]);
const JSON_TYPE = 'application/json; charset=utf-8';
/** How long a caller should wait when Postgres is away: fail-over and restart take seconds. */
const UNAVAILABLE_RETRY_SECONDS = '2';

/** What the path and the query of a request hold, percent-decoded. */
export interface Matched {
  readonly params: Readonly<Record<string, unknown>>;
  /** A parameter that was given several times is an array. */
  readonly query: Record<string, unknown>;
}

export function serveEndpoint<Tx>(
  options: PipelineOptions<Tx>,
  endpoint: Endpoint,
  face: Face,
  route: string,
) {
  const usual = Number(Object.keys(endpoint.replies)[0]); // the lowest: whole-number members stand in rising order
  return async (request: Request, response: Response, matched: Matched): Promise<void> => {
    const served = begin(request, response, route);
    try {
      const own = endpoint.credential
        ? await verifyOwn(endpoint, endpoint.credential, request, matched)
        : null;
      const verified = own ? own.caller : options.authenticate(request, face);
      const caller = verified instanceof Promise ? await verified : verified;
      served.caller = caller;
      if (options.limit) {
        const asked = options.limit(caller, endpoint);
        const admission = asked instanceof Promise ? await asked : asked;
        if (admission) served.admission = held(admission, response);
      }
      if (!hasScope(caller, endpoint.scope)) {
        throw new AppError('insufficient_scope', `this needs the scope "${endpoint.scope}"`);
      }
      const body = !endpoint.body
        ? undefined
        : own?.bytes
          ? jsonOf(own.bytes, request.headers)
          : await readJsonBody(request, endpoint.bodyBytesMax);
      const { params, query } = matched;
      const problem = takeOrganization(caller, body, '/') ?? takeOrganization(caller, query, 'query.');
      if (problem) throw new AppError('invalid_request', 'the request is not valid', { fields: [problem] });
      const values = parseRequest(endpoint, { params, query, body });
      const input = {
        params: values.params as never,
        query: values.query as never,
        body: values.body as never,
        caller,
        face,
        request: served.context,
        header: (name: string) => headerOf(request, name),
        transaction: undefined as never,
      };
      let reply: StoredReply;
      if (endpoint.creates) {
        reply = await runInTransaction(options, endpoint, usual, input, request, served.context);
      } else {
        const result = await endpoint.run(input);
        if (result instanceof StreamReply) {
          const recheck = own ? undefined : () => options.authenticate(request, face);
          await openStream(options, served, result, recheck);
          return;
        }
        reply = textReply(options, endpoint, usual, served.context, result);
      }
      send(options, served, reply.status, reply.text, JSON_TYPE, reply.headers);
    } catch (error) {
      refuse(options, served, error);
    }
  };
}

/** How often the credential of an open stream is verified again: a revoked key must not go on reading. */
const RECHECK_EVERY_MS = 15_000;

/**
 * An answer that goes on (stream.ts). It is counted when it opens, since its length says nothing of how fast we answer; its log
 * line comes when it ends. `recheck` verifies its Bearer credential again.
 */
async function openStream<Tx>(
  options: PipelineOptions<Tx>,
  served: Served,
  reply: StreamReply,
  recheck: (() => Promise<Caller> | Caller) | undefined,
): Promise<void> {
  const { request, response, context, startedAt } = served;
  const { contentType, headers } = reply;
  if (!options.streams) throw new Error('this app has no streams');
  response.writeHead(200, { ...baseHeaders(served, headers), 'content-type': contentType });
  options.metrics.observeRequest(request.method, served.route, 200, (performance.now() - startedAt) / 1000);
  let timer: NodeJS.Timeout | undefined;
  const stream = options.streams.open(response, () => {
    clearInterval(timer);
    const ms = Math.round(performance.now() - startedAt);
    options.log.info({ ...factsOf(served), status: 200, ms, streamed: true }, 'request.served');
  });
  if (request.method === 'HEAD') return stream.end();
  if (recheck && !stream.signal.aborted) {
    timer = setInterval(() => {
      const again = Promise.resolve().then(recheck);
      again.catch((error: unknown) => {
        // Not being able to tell (database or identity provider away) ends nothing.
        if (error instanceof AppError && error.code === 'unauthorized') stream.end();
      });
    }, RECHECK_EVERY_MS).unref();
  }
  try {
    response.flushHeaders();
    await reply.open(stream);
  } catch (error) {
    options.log.error({ err: error, request_id: context.requestId }, 'stream.failed');
    stream.end();
  }
}

type Input = Parameters<Endpoint['run']>[0];

/** A creating POST: effect, stored answer and outbox rows commit together, or not at all. */
async function runInTransaction<Tx>(
  options: PipelineOptions<Tx>,
  endpoint: Endpoint,
  usual: number,
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

  if (endpoint.commitsAlone && !idempotent)
    return textReply(options, endpoint, usual, context, await endpoint.run(input));

  const reply = await options.transact(async (tx, sql) => {
    if (idempotent) {
      const stored = await claimIdempotencyKey(sql, options.sealer, idempotent, options.clock());
      if (stored) return { ...stored, headers: { ...stored.headers, 'idempotent-replayed': 'true' } };
    }
    const transaction: EndpointTransaction<Tx> = { tx, sql, afterCommit: (work) => void after.push(work) };
    const fresh = textReply(
      options,
      endpoint,
      usual,
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
  return `${request.method} ${pathOf(request).replace(/\/$/, '')}`;
}

/** As it was asked for, without the query. */
function pathOf({ url }: Request): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}

/** The use case's result as status and text. A result that is not what the table declares is a bug, found in tests. */
function textReply<Tx>(
  options: PipelineOptions<Tx>,
  endpoint: Endpoint,
  usual: number,
  context: RequestContext,
  result: unknown,
): StoredReply {
  const { data, status, headers } = result instanceof Reply ? result : new Reply(result);
  const sent = status ?? usual;
  const schema = endpoint.replies[sent];
  const type = headers['content-type']?.split(';')[0];
  const isDocument = endpoint.produces !== undefined || type !== undefined;
  if (options.checkReplies) {
    if (schema === undefined)
      throw new Error(`${endpoint.operationId} answered ${sent}, which it does not declare`);
    const documents = [...(endpoint.produces ?? []), ...(endpoint.alternatives ?? [])];
    if (isDocument && !documents.includes(type ?? ''))
      throw new Error(
        `${endpoint.operationId} answered ${type ?? 'no content type'}, which it does not declare`,
      );
    if (isDocument && endpoint.alternatives) z.string().parse(data);
    else schema?.parse(JSON.parse(JSON.stringify(data)));
  }
  if (schema === null) return { status: sent, text: '', headers };
  if (isDocument) return { status: sent, text: data as string, headers }; // in the form it was asked for
  const meta = { requestId: context.requestId, nowMs: options.clock() };
  return { status: sent, text: JSON.stringify(options.dialect.success(data, meta)), headers };
}

/**
 * The organisation comes from the credential. A request may repeat it, in the body or the query, and must then agree
 * (platform §3). The member is taken away: no schema needs to know it.
 */
function takeOrganization(caller: Caller, part: unknown, place: string): FieldProblem | undefined {
  if (typeof part !== 'object' || part === null || Array.isArray(part) || !('organization_id' in part))
    return undefined;
  const members = part as Record<string, unknown>;
  const given = members['organization_id'];
  delete members['organization_id'];
  if (given === undefined || given === null) return undefined;
  if (typeof given !== 'string') {
    return { path: `${place}organization_id`, message: 'must be a string', code: 'invalid_type' };
  }
  if (given !== caller.organizationId) {
    throw new AppError('organization_mismatch', 'organization_id is not the organisation of the credential');
  }
  return undefined;
}

export function begin(request: Request, response: Response, route: string): Served {
  return { request, response, route, context: requestContext(request.headers), startedAt: performance.now() };
}

/** 405, with what is possible at that path. */
export function refuseMethod<Tx>(
  options: PipelineOptions<Tx>,
  request: Request,
  response: Response,
  allow: string,
  route: string,
): void {
  const message = `${request.method} is not possible here; possible: ${allow}`;
  refuse(
    options,
    begin(request, response, route),
    new AppError('method_not_allowed', message, { headers: { allow } }),
  );
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
  send(
    options,
    served,
    status,
    JSON.stringify(body),
    errorContentType,
    known?.headers ?? NO_HEADERS,
    refusal.code,
  );
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
  const { request, response, context, route, caller } = served;
  served.admission?.release?.();
  if (!response.headersSent) {
    if (headers === NO_HEADERS && !served.admission && text !== '')
      response.writeHead(status, usualHeaders(context, contentType, text));
    else {
      const base = baseHeaders(served, headers);
      if (text !== '') base['content-type'] ??= contentType;
      if (!BODILESS.has(status)) base['content-length'] = Buffer.byteLength(text);
      response.writeHead(status, base);
    }
  }
  response.end(text);
  const ms = performance.now() - served.startedAt;
  options.metrics.observeRequest(request.method, route, status, ms / 1000);
  // Spelled out (see factsOf): every request pays for it.
  const facts = {
    request_id: context.requestId,
    trace: context.traceparent,
    method: request.method,
    route,
    organization_id: caller?.organizationId,
    principal: caller?.principal,
    status,
    ms: Math.round(ms * 1000) / 1000,
    code,
  };
  options.log.info(facts, 'request.served');
}

/** `baseHeaders` of an answer that adds none, in the form that Node sends without a look at each. */
function usualHeaders(
  { requestId, traceparent }: RequestContext,
  contentType: string,
  text: string,
): string[] {
  return [
    'x-request-id',
    requestId,
    'traceparent',
    traceparent,
    'cache-control',
    'no-store',
    'x-content-type-options',
    'nosniff',
    'content-type',
    contentType,
    'content-length',
    String(Buffer.byteLength(text)),
  ];
}

/** Headers of every answer. */
function baseHeaders(
  { context, admission }: Served,
  own: Readonly<Record<string, string>>,
): Record<string, string | number> {
  return {
    'x-request-id': context.requestId,
    traceparent: context.traceparent,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...admission?.headers,
    ...own,
  };
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
