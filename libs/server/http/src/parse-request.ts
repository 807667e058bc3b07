// Validates a request by its schemas and reports every offending member with its path
// (docs/platform.md#refusals).
import type { z } from 'zod';
import { AppError, problemIn, type FieldProblem, type RequestPart } from '@parley/envelopes';
import type { Caller } from './caller.ts';
import { parseJsonBody, type BodyDoubts } from './body/read-body.ts';
import { findUnstorableText } from './body/refused-json.ts';
import type { UnreadBody } from './endpoint.ts';

/** Maximum number of problems reported for one request. */
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
 * The organisation comes from the credential. A request may repeat it in the body or the query and
 * must then agree (docs/platform.md#tenants). Removes the member, so that schemas need not know it.
 * @throws AppError organization_mismatch, invalid_request
 */
export function removeOrganization(caller: Caller, part: unknown, place: RequestPart): void {
  if (typeof part !== 'object' || part === null || Array.isArray(part) || !('organization_id' in part))
    return;
  const members = part as Record<string, unknown>;
  const given = members['organization_id'];
  delete members['organization_id'];
  if (given === undefined || given === null) return;
  if (typeof given !== 'string') {
    const problem = problemIn(place, ['organization_id'], 'must be a string', 'invalid_type');
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
    body: parsePart(schemas.body, raw.body, 'body', problems),
  };
  if (problems.length > 0) {
    throw new AppError('invalid_request', 'the request is not valid', {
      fields: problems.slice(0, PROBLEMS_MAX),
    });
  }
  return values;
}

/** The body of `runLarge`, as `run` would get it. @throws AppError as for an invalid request */
export function judgeBody<Body>(
  schema: z.ZodType<Body>,
  caller: Caller,
  { bytes, headers }: UnreadBody,
  doubts?: BodyDoubts,
): Body {
  const body = parseJsonBody(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), headers, doubts);
  removeOrganization(caller, body, 'body');
  return parseRequest({ body: schema }, { params: {}, query: {}, body }).body as Body;
}

/** Parameters can hold NUL (`%00`) as well; the body was checked when it was read. */
function findUnstorable(parameters: unknown, place: RequestPart, problems: FieldProblem[]): void {
  for (const name in parameters as Record<string, unknown>) {
    const value = (parameters as Record<string, unknown>)[name];
    for (const text of Array.isArray(value) ? [name, ...(value as unknown[])] : [name, value]) {
      const why = findUnstorableText(String(text));
      if (why === null) continue;
      problems.push(problemIn(place, [name], `contains ${why}, which cannot be stored`, 'invalid_text'));
    }
  }
}

/**
 * Of a value with more members only the first problem is reported: 100,000 of them take 200 ms. The
 * members are counted only when there is a problem.
 */
const MEMBERS_MAX = 2_000;

/** zod has it for `validate` alone, which does not say what is wrong. */
const FIRST_PROBLEM: z.core.ParseContextInternal<z.core.$ZodIssue> = { abortEarly: true };

/**
 * Parses a value by a schema; undefined with `problems` when it refuses. Also for use cases that
 * check item by item.
 */
export function parsePart(
  schema: z.ZodType | undefined,
  value: unknown,
  place: RequestPart,
  problems: FieldProblem[],
): unknown {
  if (!schema) return undefined;
  const first = schema.safeParse(value, FIRST_PROBLEM);
  if (first.success) return first.data;
  const all = hasMoreMembers(value, MEMBERS_MAX) ? first : schema.safeParse(value);
  for (const issue of (all.error ?? first.error).issues) {
    for (const problem of toProblems(issue, place)) problems.push(problem);
    if (problems.length >= PROBLEMS_MAX) break;
  }
  return undefined;
}

/** Counts items and members at any depth, and stops at `count`. */
function hasMoreMembers(value: unknown, count: number): boolean {
  const left = [value];
  let found = 0;
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const members: readonly unknown[] = Array.isArray(next) ? next : Object.values(next);
    found += members.length;
    if (found > count) return true;
    for (const member of members) if (typeof member === 'object' && member !== null) left.push(member);
  }
  return false;
}

/** One issue of zod as the problems that a caller reads. */
function toProblems(issue: z.core.$ZodIssue, place: RequestPart): FieldProblem[] {
  if (issue.code === 'unrecognized_keys') {
    const message = place === 'body' ? 'is not a known member' : 'is not a known parameter';
    return issue.keys
      .slice(0, PROBLEMS_MAX)
      .map((key) => problemIn(place, [...issue.path, key], message, 'unknown_member'));
  }
  if (issue.code === 'invalid_union') {
    const meant = findMeantForm(issue.errors);
    if (meant !== null)
      return meant
        .slice(0, PROBLEMS_MAX)
        .flatMap((inner) => toProblems({ ...inner, path: [...issue.path, ...inner.path] }, place));
  }
  return [problemIn(place, issue.path, issue.message, issue.code)];
}

/**
 * The problems of the only form whose type the value has: of a list that may be a text, too, those
 * of the list.
 */
function findMeantForm(forms: readonly z.core.$ZodIssue[][]): readonly z.core.$ZodIssue[] | null {
  const isOtherForm = ({ code, path }: z.core.$ZodIssue) =>
    path.length === 0 && (code === 'invalid_type' || code === 'invalid_value');
  const meant = forms.filter((issues) => !issues.some(isOtherForm));
  return meant.length === 1 ? meant[0]! : null;
}
