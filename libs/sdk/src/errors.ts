// The errors of this package. Three services have three error formats
// (docs/platform.md#wire-conventions); they become one hierarchy here.

/** Every error of this package, except the reason of an aborted signal. */
export class ParleyError extends Error {
  override readonly name: string = 'ParleyError';
}

/**
 * No complete answer: the network, a proxy, or an unavailable service. The call may have had an
 * effect.
 */
export class ConnectionError extends ParleyError {
  override readonly name: string = 'ConnectionError';
}

/** No complete answer in time. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError';
}

/** A webhook that is not from Parley, or too old. */
export class SignatureError extends ParleyError {
  override readonly name = 'SignatureError';
}

/** A problem with one member of a request. */
export interface FieldProblem {
  /**
   * A JSON pointer into the body (`/definition/nodes/0`), or `/query/limit`, `/path/flow_id`,
   * `/header/If-Match`.
   */
  readonly path: string;
  /** Absent for the body, which may have a member `query` of its own. */
  readonly in?: 'query' | 'path' | 'header';
  readonly message: string;
  readonly code?: string;
}

/** A service refused the call. */
export class ApiError extends ParleyError {
  override readonly name: string = 'ApiError';
  readonly status: number;
  /**
   * In lower case for every service: `not_found`. Notifications sends no codes, so there it follows
   * from the status.
   */
  readonly code: string;
  /** The id of the request in the service's log. */
  readonly requestId: string | null;
  readonly fields: readonly FieldProblem[];
  /** The whole answer. Some refusals have more members, such as `validation` or `cost`. */
  readonly body: unknown;
  readonly headers: Headers;

  constructor(response: Response, body: unknown) {
    const { code, message, fields } = parseRefusal(response.status, body);
    super(message);
    this.status = response.status;
    this.code = code;
    this.requestId = response.headers.get('x-request-id');
    this.fields = fields;
    this.body = body;
    this.headers = response.headers;
  }
}

/** 400. `fields` names the invalid members. */
export class InvalidRequestError extends ApiError {
  override readonly name = 'InvalidRequestError';
}
/** 401 */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError';
}
/** 403 */
export class PermissionError extends ApiError {
  override readonly name = 'PermissionError';
}
/** 404 */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError';
}
/** 409 and 412: a conflict with an existing or newer resource. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError';
}
/** 422: well-formed, but not acceptable. */
export class UnprocessableError extends ApiError {
  override readonly name = 'UnprocessableError';
}
/** 429, after all retries. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError';
}
/** 5xx, after all retries. */
export class ServiceError extends ApiError {
  override readonly name = 'ServiceError';
}

const CLASSES: Readonly<Record<number, typeof ApiError>> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  412: ConflictError,
  422: UnprocessableError,
  429: RateLimitError,
};

/** @param text the body, which may come from a proxy instead of Parley */
export function toApiError(response: Response, text: string): ApiError {
  let body: unknown = text;
  try {
    body = JSON.parse(text);
  } catch {
    // not JSON: used as text
  }
  const { status } = response;
  return new (CLASSES[status] ?? (status >= 500 ? ServiceError : ApiError))(response, body);
}

/** Codes for a service that sends none. */
const CODES: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  413: 'payload_too_large',
  422: 'unprocessable',
  429: 'rate_limited',
  500: 'internal',
  503: 'unavailable',
};

type Refusal = Pick<ApiError, 'code' | 'message' | 'fields'>;
/** Members of all formats. */
interface AnyDialect {
  readonly code?: string;
  readonly detail?: string;
  readonly errors?: readonly FieldProblem[];
  readonly error?:
    string | { code?: string; message?: string; details?: { fields?: readonly FieldProblem[] } };
}

function parseRefusal(status: number, body: unknown): Refusal {
  const { code, detail, errors, error } = (typeof body === 'object' && body ? body : {}) as AnyDialect;
  const plain = CODES[status] ?? `http_${status}`;
  if (typeof error === 'object' && error)
    return {
      code: error.code?.toLowerCase() ?? plain,
      message: error.message ?? plain,
      fields: error.details?.fields ?? [],
    };
  if (typeof error === 'string')
    return { code: code ?? plain, message: error, fields: status === 400 ? parseFields(error) : [] };
  return { code: code ?? plain, message: detail ?? `The service answered ${status}.`, fields: errors ?? [] };
}

/**
 * `/target/email: must be …; /query/limit: must be …`. A message may contain a semicolon too. No
 * body of notifications has a member named like a kind of parameter; a test checks it.
 */
function parseFields(text: string): FieldProblem[] {
  const fields: { -readonly [Member in keyof FieldProblem]: FieldProblem[Member] }[] = [];
  for (const part of text.split('; ')) {
    const [, path, place, message] = /^(body|(?:\/(query|path|header)(?=\/))?\/\S*): (.*)$/s.exec(part) ?? [];
    const last = fields.at(-1);
    if (path !== undefined)
      fields.push({
        path: path === 'body' ? '' : path,
        ...(place ? { in: place as NonNullable<FieldProblem['in']> } : {}),
        message: message!,
      });
    else if (last) last.message += `; ${part}`;
  }
  return fields;
}
