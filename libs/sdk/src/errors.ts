// Everything that a call may fail with, one tree: the three services refuse in three dialects (docs/platform.md#wire-conventions), and
// who catches should not have to know them.

/** Whatever this package throws, except the reason of a signal that the caller aborted. */
export class ParleyError extends Error {
  override readonly name: string = 'ParleyError';
}

/** No whole answer came: the network, a proxy, a service that is away. Whether the call had an effect is unknown. */
export class ConnectionError extends ParleyError {
  override readonly name: string = 'ConnectionError';
}

/** No whole answer came in time. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError';
}

/** A received webhook that is not from Parley, or too old. */
export class SignatureError extends ParleyError {
  override readonly name = 'SignatureError';
}

/** What is wrong with one member of a request. */
export interface FieldProblem {
  /** A JSON pointer: into the body (`/definition/nodes/0`), or `/query/limit`, `/path/flow_id`, `/header/If-Match`. */
  readonly path: string;
  /** Absent: the body, which may have a member `query` of its own. */
  readonly in?: 'query' | 'path' | 'header';
  readonly message: string;
  readonly code?: string;
}

/** A service refused. */
export class ApiError extends ParleyError {
  override readonly name: string = 'ApiError';
  readonly status: number;
  /** In lower case, whatever the service: `not_found`. Notifications sends none, so there it follows from the status. */
  readonly code: string;
  /** Finds the request in the log of the service. */
  readonly requestId: string | null;
  readonly fields: readonly FieldProblem[];
  /** The whole answer: some refusals say more, such as `validation` or `cost`. */
  readonly body: unknown;
  readonly headers: Headers;

  constructor(response: Response, body: unknown) {
    const { code, message, fields } = refusalIn(response.status, body);
    super(message);
    this.status = response.status;
    this.code = code;
    this.requestId = response.headers.get('x-request-id');
    this.fields = fields;
    this.body = body;
    this.headers = response.headers;
  }
}

/** 400: malformed; `fields` says where. */
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
/** 409 and 412: something else is there, or newer. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError';
}
/** 422: well-formed, and refused for what it means. */
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

/** @param text the body of the answer, which may be none of Parley's: a proxy's page. */
export function apiErrorOf(response: Response, text: string): ApiError {
  let body: unknown = text;
  try {
    body = JSON.parse(text);
  } catch {
    // shown as it is
  }
  const { status } = response;
  return new (CLASSES[status] ?? (status >= 500 ? ServiceError : ApiError))(response, body);
}

/** The codes of a service that sends none. */
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
/** Every member that a dialect may have. */
interface AnyDialect {
  readonly code?: string;
  readonly detail?: string;
  readonly errors?: readonly FieldProblem[];
  readonly error?:
    string | { code?: string; message?: string; details?: { fields?: readonly FieldProblem[] } };
}

function refusalIn(status: number, body: unknown): Refusal {
  const { code, detail, errors, error } = (typeof body === 'object' && body ? body : {}) as AnyDialect;
  const plain = CODES[status] ?? `http_${status}`;
  if (typeof error === 'object' && error)
    return {
      code: error.code?.toLowerCase() ?? plain,
      message: error.message ?? plain,
      fields: error.details?.fields ?? [],
    };
  if (typeof error === 'string')
    return { code: code ?? plain, message: error, fields: status === 400 ? fieldsIn(error) : [] };
  return { code: code ?? plain, message: detail ?? `The service answered ${status}.`, fields: errors ?? [] };
}

/**
 * `/target/email: must be …; /query/limit: must be …`. A semicolon may also stand in what is said of a place. No body of notifications has
 * a member that is named like a place of parameters: a test looks.
 */
function fieldsIn(text: string): FieldProblem[] {
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
