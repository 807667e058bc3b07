// The one way to refuse a request. Thrown by guards and use cases, rendered once by libs/http.
import { codes, type Code } from './codes.ts';
import { jsonPointer } from './json-pointer.ts';

/** What a request has beside its body, named as OpenAPI does. */
export const PARAMETER_PLACES = ['query', 'path', 'header'] as const;
export type RequestPart = 'body' | (typeof PARAMETER_PLACES)[number];

/** One offending place of a request, as `problemIn` names it. */
export interface FieldProblem {
  /** A JSON pointer: into the body, or `/query/limit`, `/path/flow_id`, `/header/If-Match`. */
  readonly path: string;
  /** Absent: the body, which may have a member `query` of its own. */
  readonly in?: Exclude<RequestPart, 'body'>;
  readonly message: string;
  readonly code?: string;
}

/** What is wrong with a part of a request: `steps` lead into the body, or to a parameter of that place. */
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

/** What goes from one thread to another: what came of work, a refusal as data. */
export type Answered<Output> =
  | { readonly output: Output }
  | {
      readonly refused: Required<Omit<AppErrorOptions, 'cause'>> & {
        readonly code: Code;
        readonly message: string;
      };
    };

/** @throws what the work throws and is no refusal. */
export async function answered<Output>(work: Promise<Output>): Promise<Answered<Output>> {
  try {
    return { output: await work };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, fields, details, headers } = error;
    return { refused: { code, message, fields, details, headers } };
  }
}

/** @throws AppError what was refused. */
export function outputOf<Output>(came: Answered<Output>): Output {
  if ('output' in came) return came.output;
  const { code, message, ...options } = came.refused;
  throw new AppError(code, message, options);
}
