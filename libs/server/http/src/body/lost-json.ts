// Finds what JSON.parse loses silently (docs/platform.md#limits): all but the last of repeated
// members, and numbers that no double represents. A look at the text excludes nearly every body;
// only the others are read member by member.
import { jsonPointer, type FieldProblem } from '@parley/envelopes';
import { PROBLEMS_MAX } from './refused-json.ts';
import { endOfString } from './text-shape.ts';

/** 2^53 - 1 has sixteen digits; the greatest double has an exponent of three. */
const MAY_BE_LOST = /\d{16}|\d[eE]\+?\d{3}/;

/**
 * Whether `body`, parsed from `text`, may lack something of it. `members`: their number in the
 * text, if counted.
 */
export function mayHaveLost(text: string, body: unknown, members?: number): boolean {
  if (MAY_BE_LOST.test(text)) return true;
  if (members !== undefined) return members !== memberCount(body);
  return /"\s+:/.test(text) || countOf(text, '":') !== memberCount(body);
}

function countOf(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) count++;
  return count;
}

/** For a value that is nested no deeper than a body may be. */
function memberCount(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const element of value) if (typeof element === 'object') count += memberCount(element);
    return count;
  }
  for (const name in value) {
    count++;
    const member = (value as Record<string, unknown>)[name];
    if (typeof member === 'object') count += memberCount(member);
  }
  return count;
}

/** Every number and repeated member that is lost in parsing valid JSON: at most PROBLEMS_MAX. */
export function findLostJson(text: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  /**
   * For each open object or list: the current name or index, and the names so far; null for a list.
   */
  const path: (string | number)[] = [];
  const names: (Set<string> | null)[] = [];
  const report = (message: string, code: string) => problems.push({ path: jsonPointer(path), message, code });
  for (let at = 0; at < text.length && problems.length < PROBLEMS_MAX; at++) {
    const character = text[at]!;
    if (character === '"') {
      const end = endOfString(text, at);
      if (isName(text, end)) {
        const name = parseName(text.slice(at, end + 1));
        path[path.length - 1] = name;
        if (names.at(-1)?.has(name)) report('is there more than once', 'duplicate_member');
        names.at(-1)?.add(name);
      }
      at = end;
    } else if (character === '{' || character === '[') {
      path.push(character === '{' ? '' : 0);
      names.push(character === '{' ? new Set() : null);
    } else if (character === '}' || character === ']') {
      path.pop();
      names.pop();
    } else if (character === ',' && names.at(-1) === null) {
      path[path.length - 1] = Number(path.at(-1)) + 1;
    } else if (character === '-' || (character >= '0' && character <= '9')) {
      const [number] = numberAt(text, at);
      const why = describeLoss(number);
      if (why !== null) report(why, 'number_out_of_range');
      at += number.length - 1;
    }
  }
  return problems;
}

/** In valid JSON a colon follows every name, and nothing else. */
function isName(text: string, end: number): boolean {
  let next = end + 1;
  while (text.charCodeAt(next) <= 0x20) next++;
  return text[next] === ':';
}

/** `"a"` and `"\u0061"` are one name. */
const parseName = (quoted: string): string =>
  quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);

const NUMBER = /[-+.\deE]+/y;

function numberAt(text: string, at: number): RegExpExecArray {
  NUMBER.lastIndex = at;
  return NUMBER.exec(text)!;
}

/** A number with an exponent is an approximation anyway: it only must not overflow. */
function describeLoss(number: string): string | null {
  const value = Number(number);
  if (!Number.isFinite(value)) return 'is a number too large to be read';
  return Math.abs(value) > Number.MAX_SAFE_INTEGER && !/e/i.test(number)
    ? 'is beyond ±(2^53 − 1) and would be read as another number: send it as a string'
    : null;
}
