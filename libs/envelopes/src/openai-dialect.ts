// The dialect of OpenAI's API, for the face that its clients call (docs/openai.md#errors).
import { z } from 'zod';
import { codes, type Code } from './codes.ts';
import { flowBuilderDialect, type Dialect } from './dialects.ts';

/** OpenAI's kind of an error. Codes that are not named here are the fault of the request. */
function toErrorType(code: Code): string {
  const { status } = codes[code];
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

/** Success is the bare resource; an error is in `error`, where every OpenAI client looks for it. */
export const openAiDialect: Dialect = {
  ...flowBuilderDialect,
  error: ({ code, message, fields, details }, { requestId }) => ({
    error: {
      message: fields[0] ? `${message}: ${fields[0].path} ${fields[0].message}` : message,
      type: toErrorType(code),
      param: fields[0]?.path ?? null,
      code,
      request_id: requestId,
      errors: fields,
      ...details,
    },
  }),
  errorContentType: 'application/json; charset=utf-8',
  errorSchema: z
    .object({
      error: z.looseObject({
        message: z.string(),
        type: z.string(),
        param: z.string().nullable(),
        code: z.enum(Object.keys(codes)),
        request_id: z.string(),
      }),
    })
    .meta({ id: 'OpenAiError', description: 'An error as OpenAI spells it.' }),
};
