// Turns the result of a use case into text, and sends every answer with its headers, metric and log
// line.
import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Code, Dialect } from '@parley/envelopes';
import type { Metrics } from '@parley/metrics';
import type { Clock, Log } from '@parley/server/runtime';
import { findRecordedTrace, startRequestSpan, type Span } from '@parley/server/tracing';
import type { EndAnswer } from './answers.ts';
import type { Caller } from './caller.ts';
import { NO_HEADERS, Reply, type Endpoint } from './endpoint.ts';
import type { Admission } from './limit.ts';
import { requestContext, type RequestContext } from './request-context.ts';

export interface ReplyOptions {
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /**
   * Checks every answer against its declared schema: on in development and tests, off in
   * production.
   */
  readonly checkReplies: boolean;
  readonly endAnswer: EndAnswer;
}

/** A request that is being served, and what is known about it so far. */
export interface ServedRequest {
  readonly request: Request;
  readonly response: Response;
  readonly context: RequestContext;
  readonly route: string;
  readonly startedAt: number;
  /** Undefined unless traces are exported. */
  readonly span: Span | undefined;
  caller?: Caller;
  admission?: Admission;
}

export function begin(request: Request, response: Response, route: string): ServedRequest {
  const given = requestContext(request.headers);
  const { traceparent } = given;
  const span = startRequestSpan(traceparent, traceparent === request.headers.traceparent, () => ({
    name: `${request.method} ${route}`,
    kind: 'server',
    attributes: {
      'http.request.method': request.method,
      'http.route': route,
      'parley.request_id': given.requestId,
    },
  }));
  const context = span === undefined ? given : { ...given, traceparent: span.traceparent };
  return { request, response, route, context, span, startedAt: performance.now() };
}

/** Ends the span of a request with the answer it got. */
export function endSpan({ span, caller }: ServedRequest, status: number, code?: Code): void {
  span?.end(
    { 'http.response.status_code': status, 'parley.organization_id': caller?.organizationId },
    status >= 500 ? (code ?? String(status)) : undefined,
  );
}

/** An answer as it is sent, and as it is stored under an Idempotency-Key. */
export interface TextReply {
  readonly status: number;
  /** Bytes for a document that is not text. */
  readonly text: string | Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

export type ToText = (result: unknown, context: RequestContext) => TextReply;

/**
 * Converts the results of an endpoint to text. A result that its row does not declare is a bug,
 * found in tests.
 */
export function createToText({ dialect, clock, checkReplies }: ReplyOptions, endpoint: Endpoint): ToText {
  // the lowest: whole-number members are in ascending order
  const usual = Number(Object.keys(endpoint.replies)[0]);
  return (result, { requestId }) => {
    const { data, status = usual, headers } = result instanceof Reply ? result : new Reply(result);
    if (checkReplies) check(endpoint, status, headers, data);
    if (endpoint.replies[status] === null) return { status, text: '', headers };
    if (isDocument(endpoint, headers)) return { status, text: data as string | Buffer, headers };
    return { status, text: JSON.stringify(dialect.success(data, { requestId, nowMs: clock() })), headers };
  };
}

/** A document is sent as it is; everything else is JSON. */
function isDocument({ produces }: Endpoint, headers: TextReply['headers']): boolean {
  return produces !== undefined || headers['content-type'] !== undefined;
}

/** Headers about form, which the schemas cover. */
const OF_THE_FORM = new Set(['accept', 'content-type', 'content-length', 'cache-control', 'vary']);

const isDeclared = (declared: readonly string[] | undefined, name: string): boolean =>
  OF_THE_FORM.has(name) || declared?.some((one) => one.toLowerCase() === name) === true;

/** Undeclared headers are missing in every description. */
export function checkRead({ operationId, reads }: Endpoint, name: string): void {
  if (!isDeclared(reads, name)) throw new Error(`${operationId} reads ${name}, which it does not declare`);
}

function check(endpoint: Endpoint, status: number, headers: TextReply['headers'], data: unknown): void {
  const { operationId, produces = [], alternatives = [], sends } = endpoint;
  const schema = endpoint.replies[status];
  if (schema === undefined) throw new Error(`${operationId} answered ${status}, which it does not declare`);
  const undeclared = Object.keys(headers).find((name) => !isDeclared(sends, name));
  if (undeclared) throw new Error(`${operationId} answers ${undeclared}, which it does not declare`);
  const document = isDocument(endpoint, headers);
  const type = headers['content-type']?.split(';')[0] ?? 'no content type';
  if (document && ![...produces, ...alternatives].includes(type))
    throw new Error(`${operationId} answered ${type}, which it does not declare`);
  if (document && endpoint.alternatives) z.string().parse(data);
  else if (!Buffer.isBuffer(data)) schema?.parse(JSON.parse(JSON.stringify(data)));
}

/** Answers without a body (RFC 9110 §6.4.1). */
const BODILESS = new Set([204, 304]);
const JSON_TYPE = 'application/json; charset=utf-8';

export function send(
  { log, metrics, endAnswer }: Pick<ReplyOptions, 'log' | 'metrics' | 'endAnswer'>,
  served: ServedRequest,
  { status, text, headers }: TextReply,
  contentType = JSON_TYPE,
  code?: Code,
): void {
  const { request, response, context, route, caller } = served;
  served.admission?.release?.();
  if (response.headersSent) return void response.destroy(); // too late for another answer
  if (headers === NO_HEADERS && text !== '')
    response.writeHead(status, buildUsualHeaders(served, contentType, text));
  else {
    const all = buildHeaders(served, headers);
    if (text !== '') all['content-type'] ??= contentType;
    if (!BODILESS.has(status)) all['content-length'] = Buffer.byteLength(text);
    response.writeHead(status, all);
  }
  endAnswer(response, text);
  endSpan(served, status, code);
  const ms = performance.now() - served.startedAt;
  metrics.observeRequest(
    request.method,
    route,
    status,
    ms / 1000,
    findRecordedTrace(served.span?.traceparent),
  );
  // `toLogFacts`, inlined: every request pays for it.
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
  log.info(facts, 'request.served');
}

/**
 * `buildHeaders` for an answer without headers of its own, in the form that Node sends unchecked.
 */
function buildUsualHeaders(
  { context, admission }: ServedRequest,
  contentType: string,
  text: TextReply['text'],
): string[] {
  const headers = [
    'x-request-id',
    context.requestId,
    'traceparent',
    context.traceparent,
    'cache-control',
    admission?.headers['cache-control'] ?? 'no-store',
    'x-content-type-options',
    'nosniff',
    'content-type',
    contentType,
    'content-length',
    String(Buffer.byteLength(text)),
  ];
  for (const name in admission?.headers) {
    if (name !== 'cache-control') headers.push(name, admission.headers[name]!);
  }
  return headers;
}

/** Headers of every answer, and its own. */
export function buildHeaders(
  { context, admission }: ServedRequest,
  own: TextReply['headers'],
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

/** What log lines say about a request. */
export function toLogFacts({ request, context, route, caller }: ServedRequest) {
  return {
    request_id: context.requestId,
    trace: context.traceparent,
    method: request.method,
    route,
    organization_id: caller?.organizationId,
    principal: caller?.principal,
  };
}
