// A refusal of a service as the page knows it: one shape over the three dialects (docs/console.md#refusals).
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
  /** The whole answer: some refusals carry more, such as the validation of a flow. */
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

const fields = z.array(z.object({ path: z.string(), message: z.string() })).catch([]);
/** The flow builder's: RFC 9457. */
const problem = z.object({ code: z.string(), detail: z.string(), errors: fields });
/** The voice API's. */
const envelope = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    details: z.object({ fields }).catch({ fields: [] }),
  }),
});
/** That of notifications, and of the console itself. */
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
