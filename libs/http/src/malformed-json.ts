// Where a text stops being JSON. JSON.parse says so in words that differ between versions of Node, often without a place
// and with a piece of the text; called by read-body.ts once JSON.parse has refused.

const SPACE = new Set([' ', '\t', '\n', '\r']);
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const ESCAPE = /["\\/bfnrt]|u[0-9a-fA-F]{4}/y;

/** What may come next. `end` forms are where a container may close. */
type Expected = 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'comma or end';

/**
 * The offset of the first character that cannot stand where it stands; the length of the text where it ends too early;
 * null when it is JSON (RFC 8259).
 */
export function malformedAt(text: string): number | null {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let at = skipSpace(text, 0);
  for (;;) {
    if (expected === 'comma or end' && open.length === 0) return at === text.length ? null : at;
    const char = text[at];
    const closes = (char === '}' && open.at(-1) === '{') || (char === ']' && open.at(-1) === '[');
    let next = at + 1;
    if (closes && expected.endsWith('or end')) {
      open.pop();
      expected = 'comma or end';
    } else if (expected === 'comma or end') {
      if (char !== ',') return at;
      expected = open.at(-1) === '{' ? 'name' : 'value';
    } else if (expected === 'colon') {
      if (char !== ':') return at;
      expected = 'value';
    } else if (expected.startsWith('name')) {
      const end = char === '"' ? stringEnd(text, at) : { bad: at };
      if ('bad' in end) return end.bad;
      next = end.after;
      expected = 'colon';
    } else if (char === '{' || char === '[') {
      open.push(char);
      expected = char === '{' ? 'name or end' : 'value or end';
    } else {
      const end = char === '"' ? stringEnd(text, at) : scalarEnd(text, at);
      if ('bad' in end) return end.bad;
      next = end.after;
      expected = 'comma or end';
    }
    at = skipSpace(text, next);
  }
}

/** Line and column of an offset, both from 1, as an editor counts them. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

type End = { readonly after: number } | { readonly bad: number };

function scalarEnd(text: string, at: number): End {
  for (const pattern of [NUMBER, WORD]) {
    pattern.lastIndex = at;
    if (pattern.test(text)) return { after: pattern.lastIndex };
  }
  return { bad: at };
}

function stringEnd(text: string, quoteAt: number): End {
  let at = quoteAt + 1;
  while (at < text.length) {
    const char = text[at]!;
    if (char === '"') return { after: at + 1 };
    if (char < ' ') return { bad: at }; // a control character must be escaped
    if (char === '\\') {
      ESCAPE.lastIndex = at + 1;
      if (!ESCAPE.test(text)) return { bad: at };
      at = ESCAPE.lastIndex;
    } else at += 1;
  }
  return { bad: text.length };
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (SPACE.has(text[at] ?? '')) at += 1;
  return at;
}
