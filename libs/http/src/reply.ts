// What is sent: a use case's result as text, and every answer with its headers, its metric and its log line.
import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Code, Dialect } from '@parley/envelopes';
import type { Metrics } from '@parley/metrics';
import type { Clock, Log } from '@parley/runtime';
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
  /** Checks every answer against its declared schema: on in development and in tests, off in production. */
  readonly checkReplies: boolean;
  readonly endAnswer: EndAnswer;
}

/** A request that is being served, and what is known of it by now. */
export interface Served {
  readonly request: Request;
  readonly response: Response;
  readonly context: RequestContext;
  readonly route: string;
  readonly startedAt: number;
  caller?: Caller;
  admission?: Admission;
}

export function begin(request: Request, response: Response, route: string): Served {
  return { request, response, route, context: requestContext(request.headers), startedAt: performance.now() };
}

/** An answer as it is sent, and as it is stored under an Idempotency-Key. */
export interface TextReply {
  readonly status: number;
  /** Bytes: of a document that is no text. */
  readonly text: string | Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

export type ToText = (result: unknown, context: RequestContext) => TextReply;

/** How the results of an endpoint become text. One that is not what its row declares is a bug, found in tests. */
export function textOf({ dialect, clock, checkReplies }: ReplyOptions, endpoint: Endpoint): ToText {
  const usual = Number(Object.keys(endpoint.replies)[0]); // the lowest: whole-number members stand in rising order
  return (result, { requestId }) => {
    const { data, status = usual, headers } = result instanceof Reply ? result : new Reply(result);
    if (checkReplies) check(endpoint, status, headers, data);
    if (endpoint.replies[status] === null) return { status, text: '', headers };
    if (isDocument(endpoint, headers)) return { status, text: data as string | Buffer, headers };
    return { status, text: JSON.stringify(dialect.success(data, { requestId, nowMs: clock() })), headers };
  };
}

/** A document is sent in the form that it was asked for; everything else is JSON. */
function isDocument({ produces }: Endpoint, headers: TextReply['headers']): boolean {
  return produces !== undefined || headers['content-type'] !== undefined;
}

/** Of the form of a request or an answer: the schemas say them. */
const OF_THE_FORM = new Set(['accept', 'content-type', 'content-length', 'cache-control', 'vary']);

const isDeclared = (declared: readonly string[] | undefined, name: string): boolean =>
  OF_THE_FORM.has(name) || declared?.some((one) => one.toLowerCase() === name) === true;

/** A header that the row does not name stands in no description. */
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

/** Answers that end with their headers (RFC 9110 §6.4.1). */
const BODILESS = new Set([204, 304]);
const JSON_TYPE = 'application/json; charset=utf-8';

export function send(
  { log, metrics, endAnswer }: Pick<ReplyOptions, 'log' | 'metrics' | 'endAnswer'>,
  served: Served,
  { status, text, headers }: TextReply,
  contentType = JSON_TYPE,
  code?: Code,
): void {
  const { request, response, context, route, caller } = served;
  served.admission?.release?.();
  if (response.headersSent) return void response.destroy(); // it cannot be answered otherwise any more
  if (headers === NO_HEADERS && text !== '')
    response.writeHead(status, usualHeaders(served, contentType, text));
  else {
    const all = headersOf(served, headers);
    if (text !== '') all['content-type'] ??= contentType;
    if (!BODILESS.has(status)) all['content-length'] = Buffer.byteLength(text);
    response.writeHead(status, all);
  }
  endAnswer(response, text);
  const ms = performance.now() - served.startedAt;
  metrics.observeRequest(request.method, route, status, ms / 1000);
  // `factsOf`, spelled out: every request pays for it.
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

/** `headersOf` an answer that adds none, in the form that Node sends without a look at each. */
function usualHeaders(
  { context, admission }: Served,
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
export function headersOf(
  { context, admission }: Served,
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

/** What log lines say of a request. */
export function factsOf({ request, context, route, caller }: Served) {
  return {
    request_id: context.requestId,
    trace: context.traceparent,
    method: request.method,
    route,
    organization_id: caller?.organizationId,
    principal: caller?.principal,
  };
}
