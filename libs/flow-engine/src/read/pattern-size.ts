// Estimates from its text how many instructions an RE2 pattern compiles to at most. Ten characters
// can ask for a million instructions, so compiling to find out is too late. Says nothing about
// whether the pattern is valid.

import { limits } from '../define/limits.ts';

/** A class of Unicode characters has hundreds of ranges to search. */
const unicodeClassSize = 8;

/**
 * The state of one group: finished alternatives, and the last piece, which a quantifier may still
 * repeat.
 */
interface Group {
  before: number;
  last: number;
  /** Instructions of its own, for its captures. */
  readonly own: number;
}

const quantifier = /\{(\d{1,9})(?:(,)(\d{0,9}))?\}/y;
const escaped =
  /\\(?:Q[^]*?(?:\\E|$)|[pP](?:\{[^}]*\}|[^])?|x\{[0-9A-Fa-f]*\}|x[0-9A-Fa-f]{2}|[0-7]{1,3}|[^]?)/y;
const groupOpening = /\((?:\?(?:P?<[^>]*>|P?=|[A-Za-z-]*:|[A-Za-z-]*(?=\))|))?/y;

/** At least as many as RE2 makes of it, and proportional to the search time of one character. */
export function patternSize(pattern: string): number {
  // Fail, match, and one for an empty alternative.
  const outer: Group = { before: 3, last: 0, own: 0 };
  const open: Group[] = [outer];
  const group = () => open.at(-1)!;
  const piece = (size: number) => {
    const here = group();
    here.before += here.last;
    here.last = size;
  };
  for (let at = 0; at < pattern.length;) {
    const char = pattern[at]!;
    const here = group();
    if (char === '\\') {
      const text = matchAt(escaped, pattern, at)![0];
      if (text.startsWith('\\Q')) for (const _ of text.slice(2)) piece(1);
      else piece(/^\\p/i.test(text) ? unicodeClassSize : 1);
      at += text.length;
    } else if (char === '[') {
      const end = classEnd(pattern, at);
      piece(classSize(pattern.slice(at, end)));
      at = end;
    } else if (char === '(') {
      const [text] = matchAt(groupOpening, pattern, at)!;
      // Flags alone, `(?i)`, are no piece: a quantifier after them repeats the piece before them.
      if (/^\(\?[A-Za-z-]*$/.test(text) && pattern[at + text.length] === ')') {
        at += text.length + 1;
        continue;
      }
      open.push({ before: 0, last: 0, own: text.includes('?') && !text.includes('<') ? 0 : 2 });
      at += text.length;
    } else if (char === ')') {
      at += 1;
      if (open.length === 1) continue;
      const { before, last, own } = open.pop()!;
      piece(before + last + own + 1);
    } else if (char === '|') {
      here.before += here.last + 2;
      here.last = 0;
      at += 1;
    } else if (char === '*' || char === '+' || char === '?') {
      here.last += 2;
      at += 1;
    } else {
      const repeat = char === '{' ? matchAt(quantifier, pattern, at) : null;
      if (repeat === null) piece(1);
      else {
        const [, least, , most] = repeat;
        const times = Math.max(1, Number(least), Number(most ?? 0));
        here.last = times * (here.last + 1) + 2;
      }
      at += repeat?.[0].length ?? 1;
    }
  }
  // A group that is never closed makes the pattern invalid; its size counts all the same.
  return open.reduce((size, { before, last, own }) => size + before + last + own, 0);
}

function matchAt(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(text);
}

/** End of a class: a leading `]` is one of its characters. */
function classEnd(pattern: string, from: number): number {
  let at = from + (pattern[from + 1] === '^' ? 2 : 1);
  for (let first = true; at < pattern.length; first = false) {
    const char = pattern[at]!;
    if (char === ']' && !first) return at + 1;
    if (char === '[' && pattern[at + 1] === ':') {
      const end = pattern.indexOf(':]', at + 2);
      at = end === -1 ? at + 1 : end + 2;
    } else at += char === '\\' ? 2 : 1;
  }
  return pattern.length;
}

/** More ranges take longer to search, up to the cost of a Unicode class. */
function classSize(text: string): number {
  if (/\\p/i.test(text)) return unicodeClassSize;
  return Math.min(unicodeClassSize, 1 + Math.floor(text.length / unicodeClassSize));
}

/** Cost of a search, compiling included, by the size of the pattern. */
export function patternSteps(size: number, characters: number): number {
  return size * characters + (size + limits.patternOwnInstructions) * limits.patternCompilingSteps;
}
