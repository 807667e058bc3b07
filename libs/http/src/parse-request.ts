// A request against its schemas: every offending member is reported at once, with its path (docs/platform.md#refusals).
import type { z } from 'zod';
import { AppError, jsonPointer, type FieldProblem } from '@parley/envelopes';
import type { Caller } from './caller.ts';
import { unstorable } from './body/refused-json.ts';

/** Places reported of one request. */
const PROBLEMS_MAX = 100;

export interface Parts {
  readonly params?: z.ZodType | undefined;
  readonly query?: z.ZodType | undefined;
  readonly body?: z.ZodType | undefined;
}

export interface Values {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/**
 * The organisation comes from the credential. A request may repeat it, in the body or the query, and must then agree
 * (docs/platform.md#tenants). The member is taken away: no schema needs to know it.
 * @throws AppError organization_mismatch, invalid_request
 */
export function takeOrganization(caller: Caller, part: unknown, place: string): void {
  if (typeof part !== 'object' || part === null || Array.isArray(part) || !('organization_id' in part))
    return;
  const members = part as Record<string, unknown>;
  const given = members['organization_id'];
  delete members['organization_id'];
  if (given === undefined || given === null) return;
  if (typeof given !== 'string') {
    const problem = { path: `${place}organization_id`, message: 'must be a string', code: 'invalid_type' };
    throw new AppError('invalid_request', 'the request is not valid', { fields: [problem] });
  }
  if (given !== caller.organizationId)
    throw new AppError('organization_mismatch', 'organization_id is not the organisation of the credential');
}

/** @throws AppError invalid_request naming every offending member of path, query and body. */
export function parseRequest(schemas: Parts, raw: Values): Values {
  const problems: FieldProblem[] = [];
  findUnstorable(raw.params, 'path', problems);
  findUnstorable(raw.query, 'query', problems);
  const values = {
    params: parsePart(schemas.params, raw.params, 'path', problems),
    query: parsePart(schemas.query, raw.query, 'query', problems),
    body: parsePart(schemas.body, raw.body, '', problems),
  };
  if (problems.length > 0) {
    throw new AppError('invalid_request', 'the request is not valid', {
      fields: problems.slice(0, PROBLEMS_MAX),
    });
  }
  return values;
}

/** Parameters carry `%00` as easily as a body carries a NUL; the body was looked through when it was read. */
function findUnstorable(parameters: unknown, place: string, problems: FieldProblem[]): void {
  for (const name in parameters as Record<string, unknown>) {
    const value = (parameters as Record<string, unknown>)[name];
    for (const text of Array.isArray(value) ? [name, ...(value as unknown[])] : [name, value]) {
      const why = unstorable(String(text));
      if (why === null) continue;
      const message = `contains ${why}, which cannot be stored`;
      problems.push({ path: `${place}.${name}`, message, code: 'invalid_text' });
    }
  }
}

/** What a schema makes of a value; undefined with `problems` when it refuses. For a use case that judges item by item too. */
export function parsePart(
  schema: z.ZodType | undefined,
  value: unknown,
  place: string,
  problems: FieldProblem[],
): unknown {
  if (!schema) return undefined;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) {
    for (const problem of problemsOf(issue, place)) problems.push(problem);
    if (problems.length >= PROBLEMS_MAX) break;
  }
  return undefined;
}

/** One issue of zod as the problems a caller reads: a body's place is a JSON pointer, a parameter's is `query.limit`. */
function problemsOf(issue: z.core.$ZodIssue, place: string): FieldProblem[] {
  const at = (path: readonly PropertyKey[]) =>
    place === '' ? jsonPointer(path) : [place, ...path].map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, PROBLEMS_MAX).map((key) => ({
      path: at([...issue.path, key]),
      message: place === '' ? 'is not a known member' : 'is not a known parameter',
      code: 'unknown_member',
    }));
  }
  return [{ path: at(issue.path), message: issue.message, code: issue.code }];
}
