// Refusals in the service's dialect. What is no refusal is a bug: it is logged whole, and the answer shows nothing of it.
import type { Request, Response } from 'express';
import { AppError, bareInternal, codes, refusalOf } from '@parley/envelopes';
import { isPostgresUnavailable, isRefusedValue } from '@parley/postgres';
import { NO_HEADERS } from './endpoint.ts';
import { begin, factsOf, send, type ReplyOptions, type Served } from './reply.ts';

/** How long a caller should wait when Postgres is away: fail-over and restart take seconds. */
const UNAVAILABLE_RETRY_SECONDS = '2';

export function refuse(options: ReplyOptions, served: Served, error: unknown): void {
  const known = asRefusal(error);
  if (!known) options.log.error({ err: error, ...factsOf(served) }, 'request.failed');
  else if (known.cause !== undefined)
    options.log.warn({ err: known.cause, ...factsOf(served) }, 'request.refused');
  const refusal = known ? refusalOf(known) : bareInternal;
  const meta = { requestId: served.context.requestId, nowMs: options.clock() };
  const reply = {
    status: codes[refusal.code].status,
    text: JSON.stringify(options.dialect.error(refusal, meta)),
    headers: known?.headers ?? NO_HEADERS,
  };
  send(options, served, reply, options.dialect.errorContentType, refusal.code);
}

/** 405, with what is possible at that path. */
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

/** What an error is to a caller; undefined: a bug. */
export function asRefusal(error: unknown): AppError | undefined {
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
