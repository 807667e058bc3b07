// Finds objects with very many members, very many different names, and the nesting in the text of a
// large body, before it is parsed. V8 takes a microsecond for each such member and name, and each
// reader takes another: a body of 190,000 members blocked a process for half a second
// (docs/performance.md#what-one-request-may-take).
import { MEMBERS_MAX } from '@parley/envelopes';

/**
 * Different member names in one body. Repeated names cost nothing: a batch of events has half a
 * million members.
 */
export const NAMES_MAX = 100_000;
/** Length of the shortest member: `"":1,`. */
const MEMBER_CHARACTERS_MIN = 5;

export interface TextShape {
  /** The problem, if there is too much of something. */
  readonly tooMany: string | null;
  /** Levels of nesting, and members of all objects together; null: not counted. */
  readonly counted: { readonly depth: number; readonly members: number } | null;
}

/**
 * Takes some milliseconds for the largest body. Counts nothing in one that is too short to have too
 * many members.
 */
export function analyzeShape(text: string): TextShape {
  if (text.length < MEMBERS_MAX * MEMBER_CHARACTERS_MIN) return { tooMany: null, counted: null };
  const shape = { depth: 0, members: 0, largest: 0 };
  /** Number of members of each open object; 0 for a list. */
  const open = [0];
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '"':
        at = endOfString(text, at);
        break;
      case '{':
      case '[':
        shape.depth = Math.max(shape.depth, open.push(0) - 1);
        break;
      case '}':
      case ']':
        open.pop();
        break;
      case ':': {
        shape.members++;
        const count = (open.pop() ?? 0) + 1;
        shape.largest = Math.max(shape.largest, count);
        open.push(count);
      }
    }
  }
  return { tooMany: findTooMany(text, shape), counted: shape };
}

function findTooMany(
  text: string,
  { largest, members }: { largest: number; members: number },
): string | null {
  if (largest > MEMBERS_MAX) return `has an object of more than ${MEMBERS_MAX} members`;
  if (members > NAMES_MAX && hasTooManyNames(text))
    return `has members of more than ${NAMES_MAX} different names`;
  return null;
}

function hasTooManyNames(text: string): boolean {
  const names = new Set<string>();
  /** The string before the current place. */
  let [start, end] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') {
      start = at + 1;
      end = at = endOfString(text, at);
    } else if (text[at] === ':' && names.add(text.slice(start, end)).size > NAMES_MAX) return true;
  }
  return false;
}

/**
 * The index of the quote that ends the string. A quote after an odd number of backslashes does not.
 */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}
