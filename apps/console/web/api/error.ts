// One error type for the error responses of all services (docs/console.md#refusals).
import { z } from 'zod';

/** What is wrong with one member of a request. */
export interface FieldProblem {
  readonly path: string;
  readonly message: string;
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  readonly fields: readonly FieldProblem[];
  /** The whole response body: some errors carry more, for example the validation of a flow. */
  readonly body: unknown;

  constructor(status: number, requestId: string | null, body: unknown) {
    const { code, message, fields } = read(status, body);
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.fields = fields;
    this.body = body;
  }
}

/** The credential lacks a scope. */
export const isForbiddenError = (error: Error | null): boolean =>
  error instanceof ApiError && error.status === 403;

const fields = z.array(z.object({ path: z.string(), message: z.string() })).catch([]);
/** Flow builder: RFC 9457. */
const problem = z.object({ code: z.string(), detail: z.string(), errors: fields });
/** Voice API. */
const envelope = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    details: z.object({ fields }).catch({ fields: [] }),
  }),
});
/** Notifications, and the console's own server. */
const oneString = z.object({ error: z.string(), code: z.string().optional() });

function read(status: number, body: unknown): { code: string; message: string; fields: FieldProblem[] } {
  const asProblem = problem.safeParse(body);
  if (asProblem.success) {
    const { code, detail, errors } = asProblem.data;
    return { code, message: detail, fields: errors };
  }
  const asEnvelope = envelope.safeParse(body);
  if (asEnvelope.success) {
    const { code, message, details } = asEnvelope.data.error;
    return { code: code.toLowerCase(), message, fields: details.fields };
  }
  const asString = oneString.safeParse(body);
  const message = asString.success ? asString.data.error : `The service answered ${status}.`;
  return { code: asString.data?.code ?? `http_${status}`, message, fields: [] };
}
