// Checks every JSON body and parameter before a schema sees it (docs/platform.md#limits).
import { jsonPointer, type FieldProblem } from '@parley/envelopes';

/** Deeper nesting helps nobody and endangers the stack in every recursive step. */
export const JSON_DEPTH_MAX = 64;
/** Maximum number of problems reported for one body. */
export const PROBLEMS_MAX = 100;

/**
 * What cannot be accepted: text that Postgres cannot store, and nesting deeper than JSON_DEPTH_MAX,
 * each with its JSON pointer.
 */
export function findRefusedJson(value: unknown): FieldProblem[] {
  const problems: FieldProblem[] = [];
  look(value, [], problems);
  return problems;
}

/** NUL, and either half of a surrogate pair. */
const UNSTORABLE_ESCAPE = /\\u(?:0000|d[89a-f])/i;

/**
 * Whether JSON in valid UTF-8 may hold something that `refusedIn` finds. A look at the text
 * excludes nearly every body at a fraction of the cost: NUL and half a pair need escapes, and
 * nesting is bounded by the number of brackets. `depth`: if counted.
 */
export function mayBeRefused(text: string, depth?: number): boolean {
  const isDeep = depth === undefined ? hasMoreThan(JSON_DEPTH_MAX, text, '{', '[') : depth > JSON_DEPTH_MAX;
  return isDeep || (text.includes('\\u') && UNSTORABLE_ESCAPE.test(text));
}

function hasMoreThan(count: number, text: string, ...characters: readonly string[]): boolean {
  let left = count;
  for (const character of characters) {
    for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) {
      if (--left < 0) return true;
    }
  }
  return false;
}

function look(value: unknown, path: string[], problems: FieldProblem[]): void {
  if (typeof value === 'string') {
    const why = findUnstorableText(value);
    if (why) report(problems, path, `contains ${why}, which cannot be stored`, CODES[why]);
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
      // nothing to find: no path is built
      if (typeof item === 'number' || typeof item === 'boolean') continue;
      path.push(String(index));
      look(item, path, problems);
      path.pop();
    }
    return;
  }
  const members = value as Record<string, unknown>;
  for (const name of Object.keys(members)) {
    path.push(name);
    const why = findUnstorableText(name);
    if (why) report(problems, path, `has ${why} in its name, which cannot be stored`);
    look(members[name], path, problems);
    path.pop();
  }
}

/** What Postgres cannot store of `text`; null when it can store all of it. */
export function findUnstorableText(text: string): string | null {
  if (text.includes('\0')) return 'a NUL character';
  // In the lib types of ES2024; every Node version that we support has it.
  const { isWellFormed } = text as { isWellFormed?: () => boolean };
  return isWellFormed?.call(text) === false ? HALF_A_PAIR : null;
}

const HALF_A_PAIR = 'half a surrogate pair';
/** Codes of problems that a client can repair. */
const CODES: Readonly<Record<string, string>> = { [HALF_A_PAIR]: 'half_surrogate' };

function report(problems: FieldProblem[], path: readonly string[], message: string, code?: string): void {
  if (problems.length >= PROBLEMS_MAX) return;
  problems.push({ path: jsonPointer(path), message, ...(code === undefined ? {} : { code }) });
}
