// What every JSON body and every parameter goes through before a schema sees it (docs/platform.md#limits).
import { jsonPointer, type FieldProblem } from '@parley/envelopes';

/** Deeper nesting serves nobody and makes every recursive step a risk to the stack. */
export const JSON_DEPTH_MAX = 64;
/** Offending places reported of one body; more of the same kind help nobody. */
export const PROBLEMS_MAX = 100;

/** What cannot be accepted: text that Postgres cannot store, and nesting deeper than JSON_DEPTH_MAX, each with its JSON pointer. */
export function refusedIn(value: unknown): FieldProblem[] {
  const problems: FieldProblem[] = [];
  look(value, [], problems);
  return problems;
}

/** NUL, and either half of a pair. */
const UNSTORABLE_ESCAPE = /\\u(?:0000|d[89a-f])/i;

/**
 * Whether the JSON in `text`, valid UTF-8, might hold something that `refusedIn` finds. Nearly no body does, and the text tells so at a
 * fraction of what walking the value costs: NUL and half a pair can only be written as escapes, and nothing is nested deeper than
 * there are opening brackets. `depth`: where somebody has counted it.
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
    const why = unstorable(value);
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
      if (typeof item === 'number' || typeof item === 'boolean') continue; // nothing to find: no path is built
      path.push(String(index));
      look(item, path, problems);
      path.pop();
    }
    return;
  }
  const members = value as Record<string, unknown>;
  for (const name of Object.keys(members)) {
    path.push(name);
    const why = unstorable(name);
    if (why) report(problems, path, `has ${why} in its name, which cannot be stored`);
    look(members[name], path, problems);
    path.pop();
  }
}

/** What in `text` Postgres cannot store; null when it can store all of it. */
export function unstorable(text: string): string | null {
  if (text.includes('\0')) return 'a NUL character';
  // In the lib types of ES2024; every Node that we run on has it.
  const { isWellFormed } = text as { isWellFormed?: () => boolean };
  return isWellFormed?.call(text) === false ? HALF_A_PAIR : null;
}

const HALF_A_PAIR = 'half a surrogate pair';
/** Of those that can be mended. */
const CODES: Readonly<Record<string, string>> = { [HALF_A_PAIR]: 'half_surrogate' };

function report(problems: FieldProblem[], path: readonly string[], message: string, code?: string): void {
  if (problems.length >= PROBLEMS_MAX) return;
  problems.push({ path: jsonPointer(path), message, ...(code === undefined ? {} : { code }) });
}
