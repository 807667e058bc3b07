// The syntax of templates: `{{ path.to[0] }}`, `{{ name
// default: "there"
// title }}` and `{{ '{{' }}` in the texts of a flow.
import { filterProblem, type FilterName } from '../define/filters.ts';
import { limits } from '../define/limits.ts';
import { parsePath } from '../read/paths.ts';

export interface Placeholder {
  /** As authored, trimmed. */
  readonly path: string;
  /** Applied in order. */
  readonly filters: readonly FilterUse[];
}

export interface FilterUse {
  readonly name: FilterName;
  readonly argument: string | null;
  /** A quoted argument is a text, never the name of a variable. */
  readonly quoted: boolean;
}

export interface TemplateProblem {
  /** Offset in the text, in UTF-16 units. */
  readonly at: number;
  readonly message: string;
}

export interface ParsedTemplate {
  /** Literal texts and placeholders, in order. A malformed placeholder stays a literal text. */
  readonly parts: readonly (string | Placeholder)[];
  readonly problems: readonly TemplateProblem[];
}

/** Splits a text into literals and placeholders in one pass. Never throws. */
export function parseTemplate(text: string): ParsedTemplate {
  const parts: (string | Placeholder)[] = [];
  const problems: TemplateProblem[] = [];
  let from = 0;
  for (let open = text.indexOf('{{'); open !== -1; open = text.indexOf('{{', from)) {
    const close = closingBraces(text, open + 2);
    if (close === -1) {
      problems.push({ at: open, message: 'Placeholder without closing }}' });
      break;
    }
    const read = parsePlaceholder(text.slice(open + 2, close));
    if (read.problem !== undefined) problems.push({ at: open, message: read.problem });
    if (read.part === undefined) parts.push(text.slice(from, close + 2));
    else {
      if (open > from) parts.push(text.slice(from, open));
      parts.push(read.part);
    }
    from = close + 2;
  }
  if (from < text.length) parts.push(text.slice(from));
  return { parts, problems };
}

/**
 * Position of the braces that close the placeholder opened before `from`. Braces inside quotes do
 * not close it.
 */
function closingBraces(text: string, from: number): number {
  let quote = '';
  let mayQuote = true; // not inside a name
  let inFilters = false;
  for (let at = from; at < text.length; at++) {
    const char = text[at] as string;
    if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === '}' && text[at + 1] === '}') return at;
    else if (mayQuote && isQuote(char)) quote = char;
    else {
      inFilters ||= char === '|';
      mayQuote = inFilters || (mayQuote && /\s/.test(char));
    }
  }
  return -1;
}

const isQuote = (char: string | undefined): boolean => char === '"' || char === "'";

interface ReadPart {
  /** Absent when the placeholder is malformed. */
  readonly part?: string | Placeholder;
  readonly problem?: string;
}

function parsePlaceholder(body: string): ReadPart {
  if (body.length > limits.placeholderCharsMax)
    return { problem: `Placeholder of ${body.length} characters` };
  const [name = '', ...uses] = splitAtBars(body).map((piece) => piece.trim());
  const literal = unquoted(name);
  if (literal !== null && uses.length === 0) return { part: literal };
  if (parsePath(name) === null) return { problem: `Not a path: "${name}"` };
  if (uses.length > limits.filtersMax) return { problem: `Placeholder of ${uses.length} filters` };
  const filters: FilterUse[] = [];
  for (const use of uses) {
    const filter = parseFilter(use);
    if (typeof filter === 'string') return { problem: filter };
    filters.push(filter);
  }
  const part = { path: name, filters };
  return looksLikeCode.test(name) ? { part, problem: `Not a path: "${name}"` } : { part };
}

/**
 * A name may hold nearly any character and is read as written; these characters suggest an
 * expression or a typo.
 */
const looksLikeCode = /[,+*/()=<>!?&%;^]|\s-\s/;

function splitAtBars(body: string): string[] {
  const pieces: string[] = [];
  let quote = '';
  let from = 0;
  for (let at = 0; at < body.length; at++) {
    const char = body[at] as string;
    if (quote !== '') quote = char === quote ? '' : quote;
    else if (isQuote(char)) quote = char;
    else if (char === '|') {
      pieces.push(body.slice(from, at));
      from = at + 1;
    }
  }
  return [...pieces, body.slice(from)];
}

/** A parsed filter, or the problem with it. */
function parseFilter(use: string): FilterUse | string {
  const colon = use.indexOf(':');
  const name = (colon === -1 ? use : use.slice(0, colon)).trim();
  const written = colon === -1 ? '' : use.slice(colon + 1).trim();
  const quoted = unquoted(written);
  if (quoted === null && isQuote(written[0])) return `Not a quoted text: ${written}`;
  const argument = quoted ?? (written === '' ? null : written);
  if (colon !== -1 && argument === null) return `The filter "${name}" has a colon and no argument`;
  return filterProblem(name, argument) ?? { name: name as FilterName, argument, quoted: quoted !== null };
}

/** The text between its first and last character if both are quotes, else null. */
function unquoted(text: string): string | null {
  const isWhole = text.length >= 2 && isQuote(text[0]) && text.indexOf(text[0]!, 1) === text.length - 1;
  return isWhole ? text.slice(1, -1) : null;
}
