// Templates: `{{ path.to[0] }}` and `{{ name | default: "there" }}` in the texts of a flow. Compiled once per flow version into
// closures; what a variable holds is put in as it is and never expanded again.
import { isReservedName } from '../define/definition.ts';
import { limits } from '../define/limits.ts';
import { compileLookup, parsePath, type Lookup, type Scope } from '../read/paths.ts';

export interface Placeholder {
  /** As authored, trimmed. */
  readonly path: string;
  /** Said when the variable is missing or an empty text; null when none was given. */
  readonly fallback: string | null;
}

export interface TemplateProblem {
  /** Offset in the text, in UTF-16 units. */
  readonly at: number;
  readonly message: string;
}

export interface ParsedTemplate {
  /** Literal texts and placeholders, in order. A placeholder with a fault stays a literal text. */
  readonly parts: readonly (string | Placeholder)[];
  readonly problems: readonly TemplateProblem[];
}

/** Renders a text; the answer is at most `limits.renderedCharsMax` long. What is put in counts against the budget of the turn. */
export type Template = (scope: Scope) => string;

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
    const placeholder = parsePlaceholder(text.slice(open + 2, close));
    if (typeof placeholder === 'string') {
      problems.push({ at: open, message: placeholder });
      parts.push(text.slice(from, close + 2));
    } else {
      if (open > from) parts.push(text.slice(from, open));
      parts.push(placeholder);
    }
    from = close + 2;
  }
  if (from < text.length) parts.push(text.slice(from));
  return { parts, problems };
}

/** Where the placeholder opened before `from` closes. Braces inside a quoted default do not close it. */
function closingBraces(text: string, from: number): number {
  let quote = '';
  let inFilter = false;
  for (let at = from; at < text.length; at++) {
    const char = text[at] as string;
    if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === '}' && text[at + 1] === '}') return at;
    else if (char === '|') inFilter = true;
    else if (inFilter && (char === '"' || char === "'")) quote = char;
  }
  return -1;
}

/** A placeholder, or what is wrong with it. */
function parsePlaceholder(body: string): Placeholder | string {
  if (body.length > limits.placeholderCharsMax) return `Placeholder of ${body.length} characters`;
  const bar = body.indexOf('|');
  const path = (bar === -1 ? body : body.slice(0, bar)).trim();
  if (parsePath(path) === null) return `Not a path: "${path}"`;
  if (bar === -1) return { path, fallback: null };
  const filter = body.slice(bar + 1).trim();
  const fallback = /^default\s*:(.*)$/s.exec(filter)?.[1]?.trim();
  if (fallback === undefined || fallback === '')
    return `Not a filter: "${filter}"; only default: "text" is known`;
  const quote = fallback[0];
  if (quote !== '"' && quote !== "'") return { path, fallback };
  if (fallback.length < 2 || fallback.indexOf(quote, 1) !== fallback.length - 1)
    return `Not a quoted text: ${fallback}`;
  return { path, fallback: fallback.slice(1, -1) };
}

/** Compiles a text. A text without placeholders costs nothing to render. */
export function compileTemplate(text: string): Template {
  const [head, slots] = slotsOf(parseTemplate(text).parts);
  if (slots.length === 0) return () => text;
  return (scope) => {
    let rendered = head;
    for (const { read, tail } of slots) {
      rendered += toText(read(scope)) + tail;
      if (rendered.length > limits.renderedCharsMax) break;
    }
    // Once for the whole text: it can be too long by no more than one variable.
    scope.budget.rendered(rendered.length + slots.length * slotChars);
    return rendered.length > limits.renderedCharsMax ? rendered.slice(0, limits.renderedCharsMax) : rendered;
  };
}

/** What reading a placeholder takes, in characters put in. */
const slotChars = 4;

/** A placeholder and the literal text up to the next one. */
interface Slot {
  readonly read: Lookup;
  readonly tail: string;
}

/** The literal text before the first placeholder, and the placeholders with what follows each. */
function slotsOf(parts: ParsedTemplate['parts']): readonly [head: string, slots: readonly Slot[]] {
  let head = '';
  const slots: { read: Lookup; tail: string }[] = [];
  for (const part of parts) {
    const last = slots.at(-1);
    if (typeof part !== 'string') slots.push({ read: compilePlaceholder(part), tail: '' });
    else if (last === undefined) head += part;
    else last.tail += part;
  }
  return [head, slots];
}

/** The value behind a placeholder, its default applied: missing and "" give way to it. */
function compilePlaceholder({ path, fallback }: Placeholder): Lookup {
  const lookup = compileLookup(path);
  if (fallback === null) return lookup;
  return (scope) => {
    const value = lookup(scope);
    return value === undefined || value === null || value === '' ? fallback : value;
  };
}

/** How a value reads inside a text: missing is "", objects and lists are JSON. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : toJson(value);
}

/** Bags come from JSON, but a caller in the same process may hand in a cycle or a bigint: those read as "". */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}

/** A JSON value whose texts may hold placeholders. */
export type ValueTemplate =
  | { readonly constant: true; readonly value: unknown }
  | { readonly constant: false; readonly render: (scope: Scope) => unknown };

/**
 * Compiles a value, objects and lists through and through. A text that is exactly one placeholder keeps the type of what it
 * reads; when that is absent it becomes `onMissing`. Values without placeholders are handed out as they were authored.
 */
export function compileValue(value: unknown, onMissing: '' | null, depth = 0): ValueTemplate {
  const constant: ValueTemplate = { constant: true, value };
  if (typeof value === 'string') return value.includes('{{') ? compileText(value, onMissing) : constant;
  if (typeof value !== 'object' || value === null || depth === limits.depthMax) return constant;
  if (Array.isArray(value)) {
    const elements = value.map((element) => compileValue(element, onMissing, depth + 1));
    if (elements.every((element) => element.constant)) return constant;
    return { constant: false, render: (scope) => elements.map((element) => renderValue(element, scope)) };
  }
  const members = Object.entries(value)
    .filter(([name]) => !isReservedName(name))
    .map(([name, member]) => [name, compileValue(member, onMissing, depth + 1)] as const);
  if (members.every(([, member]) => member.constant)) return constant;
  return {
    constant: false,
    render: (scope) =>
      Object.fromEntries(members.map(([name, member]) => [name, renderValue(member, scope)])),
  };
}

function compileText(text: string, onMissing: '' | null): ValueTemplate {
  const [only, ...more] = parseTemplate(text).parts;
  if (typeof only !== 'object' || more.length > 0) return { constant: false, render: compileTemplate(text) };
  const value = compilePlaceholder(only);
  return {
    constant: false,
    render: (scope) => {
      scope.budget.rendered(slotChars);
      return value(scope) ?? onMissing;
    },
  };
}

export function renderValue(template: ValueTemplate, scope: Scope): unknown {
  return template.constant ? template.value : template.render(scope);
}
