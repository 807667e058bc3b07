// The one way to refuse a request. Thrown by guards and use cases, rendered once by libs/http.
import { codes, type Code } from './codes.ts';

/** One offending place of a request: `path` is a JSON pointer into the body, or `query.limit`, `header.If-Match`. */
export interface FieldProblem {
  readonly path: string;
  readonly message: string;
  readonly code?: string;
}

export interface AppErrorOptions {
  /** Every offending place, where the refusal has places. */
  readonly fields?: readonly FieldProblem[];
  /** Further members shown to the caller, such as `validation` of flow_has_errors. Never anything internal. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Response headers that belong to the refusal: Allow, Retry-After, WWW-Authenticate. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What went wrong underneath: logged, never shown. */
  readonly cause?: unknown;
}

/** A refusal with a code of the table. `message` is shown to the caller. */
export class AppError extends Error {
  readonly code: Code;
  readonly fields: readonly FieldProblem[];
  readonly details: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: Code, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.fields = options.fields ?? [];
    this.details = options.details ?? {};
    this.headers = options.headers ?? {};
  }

  get status(): number {
    return codes[this.code].status;
  }
}
