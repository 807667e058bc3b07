// The only way to refuse a request. Guards and use cases throw it, libs/server/http renders it.
import { codes, type Code } from './codes.ts';
import { jsonPointer } from './json-pointer.ts';

/** The parts of a request besides its body, named as in OpenAPI. */
export const PARAMETER_PLACES = ['query', 'path', 'header'] as const;
export type RequestPart = 'body' | (typeof PARAMETER_PLACES)[number];

/** One offending place of a request, as `problemIn` builds it. */
export interface FieldProblem {
  /** A JSON pointer: into the body, or `/query/limit`, `/path/flow_id`, `/header/If-Match`. */
  readonly path: string;
  /** Absent: the body, which may have a member `query` of its own. */
  readonly in?: Exclude<RequestPart, 'body'>;
  readonly message: string;
  readonly code?: string;
}

/**
 * A problem of a part of a request: `steps` lead into the body, or to a parameter of that place.
 */
export function problemIn(
  part: RequestPart,
  steps: readonly PropertyKey[],
  message: string,
  code?: string,
): FieldProblem {
  const place =
    part === 'body' ? { path: jsonPointer(steps) } : { path: jsonPointer([part, ...steps]), in: part };
  return { ...place, message, ...(code === undefined ? {} : { code }) };
}

export interface AppErrorOptions {
  /** Every offending place, if the error has places. */
  readonly fields?: readonly FieldProblem[];
  /**
   * Further members for the caller, such as `validation` of flow_has_errors. Never internal facts.
   */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Response headers of the error: Allow, Retry-After, WWW-Authenticate. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The underlying failure: logged, never shown. */
  readonly cause?: unknown;
}

/** An error with a code of the table. The caller sees `message`. */
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

/** Passes from one thread to another: the result of work, an AppError as data. */
export type WorkResult<Output> =
  | { readonly output: Output }
  | {
      readonly refused: Required<Omit<AppErrorOptions, 'cause'>> & {
        readonly code: Code;
        readonly message: string;
      };
    };

/** @throws any error of the work but an AppError. */
export async function toWorkResult<Output>(work: Promise<Output>): Promise<WorkResult<Output>> {
  try {
    return { output: await work };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, fields, details, headers } = error;
    return { refused: { code, message, fields, details, headers } };
  }
}

/** @throws AppError if the result is one. */
export function unwrapResult<Output>(came: WorkResult<Output>): Output {
  if ('output' in came) return came.output;
  const { code, message, ...options } = came.refused;
  throw new AppError(code, message, options);
}
