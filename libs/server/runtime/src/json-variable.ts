// JSON in an environment variable.
import { z } from 'zod';

/** Parses the text; pipe it into the schema of its content. */
export const jsonVariable = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'must be a JSON object' });
    return z.NEVER;
  }
});
