// What every JSON body goes through before a schema sees it (platform §4, Limits).
import type { FieldProblem } from '@parley/envelopes';

/** Deeper nesting serves nobody and makes every recursive step a risk to the stack. */
export const JSON_DEPTH_MAX = 64;
/** Offending places reported of one body; more of the same kind help nobody. */
const PROBLEMS_MAX = 100;

/** Members that could reach a prototype. They are dropped, wherever they stand. */
const DROPPED = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Removes dangerous members in place and reports what cannot be accepted: NUL in a string (Postgres cannot store it)
 * and nesting deeper than JSON_DEPTH_MAX. Every problem carries its JSON pointer.
 */
export function cleanJson(value: unknown): FieldProblem[] {
  const problems: FieldProblem[] = [];
  clean(value, [], problems);
  return problems;
}

function clean(value: unknown, path: string[], problems: FieldProblem[]): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) report(problems, path, 'contains a NUL character, which cannot be stored');
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (path.length >= JSON_DEPTH_MAX) {
    report(problems, path, `is nested deeper than ${JSON_DEPTH_MAX} levels`);
    return;
  }
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const item: unknown = value[index];
      if (typeof item === 'number' || typeof item === 'boolean') continue; // nothing to clean: no path is built
      path.push(String(index));
      clean(item, path, problems);
      path.pop();
    }
    return;
  }
  const members = value as Record<string, unknown>;
  for (const name of Object.keys(members)) {
    if (DROPPED.has(name)) {
      delete members[name];
      continue;
    }
    path.push(name);
    if (name.includes('\0')) report(problems, path, 'has a NUL character in its name, which cannot be stored');
    clean(members[name], path, problems);
    path.pop();
  }
}

function report(problems: FieldProblem[], path: readonly string[], message: string): void {
  if (problems.length < PROBLEMS_MAX) problems.push({ path: jsonPointer(path), message });
}

/** A path as a JSON pointer (RFC 6901). */
export function jsonPointer(path: readonly PropertyKey[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
