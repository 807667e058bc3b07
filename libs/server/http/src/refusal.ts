// Sends errors in the service's dialect. Anything but an AppError is a bug: logged in full, and
// hidden from the answer.
import type { Request, Response } from 'express';
import { AppError, internalErrorBody, codes, toErrorBody } from '@parley/envelopes';
import { isPostgresUnavailable, isRefusedValue } from '@parley/server/postgres';
import { NO_HEADERS } from './endpoint.ts';
import { begin, toLogFacts, send, type ReplyOptions, type ServedRequest } from './reply.ts';

/** How long callers should wait while Postgres is away: a fail-over or restart takes seconds. */
const UNAVAILABLE_RETRY_SECONDS = '2';

export function refuse(options: ReplyOptions, served: ServedRequest, error: unknown): void {
  const known = toAppError(error);
  if (!known) options.log.error({ err: error, ...toLogFacts(served) }, 'request.failed');
  else if (known.cause !== undefined)
    options.log.warn({ err: known.cause, ...toLogFacts(served) }, 'request.refused');
  const refusal = known ? toErrorBody(known) : internalErrorBody;
  const meta = { requestId: served.context.requestId, nowMs: options.clock() };
  const reply = {
    status: codes[refusal.code].status,
    text: JSON.stringify(options.dialect.error(refusal, meta)),
    headers: known?.headers ?? NO_HEADERS,
  };
  send(options, served, reply, options.dialect.errorContentType, refusal.code);
}

/** 405, with the allowed methods. */
export function refuseMethod(
  options: ReplyOptions,
  request: Request,
  response: Response,
  allow: string,
  route: string,
): void {
  const message = `${request.method} is not possible here; possible: ${allow}`;
  const error = new AppError('method_not_allowed', message, { headers: { allow } });
  refuse(options, begin(request, response, route), error);
}

/** The error as its caller gets it; undefined for a bug. */
export function toAppError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  if (isPostgresUnavailable(error)) {
    return new AppError('unavailable', 'the database cannot do this at the moment', {
      headers: { 'retry-after': UNAVAILABLE_RETRY_SECONDS },
      cause: error,
    });
  }
  if (isRefusedValue(error))
    return new AppError(
      'invalid_request',
      'the database cannot work with a value of the request, such as a text to search for: simplify it',
      { cause: error },
    );
  if (error instanceof URIError)
    return new AppError('invalid_request', 'the path is not valid percent-encoded UTF-8');
  return undefined;
}
