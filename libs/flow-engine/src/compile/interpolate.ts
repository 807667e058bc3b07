// Templates (template-syntax.ts), compiled once per flow version into closures. The value of a
// variable is inserted as it is and never expanded again.
import { limits } from '../define/limits.ts';
import { compileLookup, type Lookup, type Scope } from '../read/paths.ts';
import { toText } from '@parley/answers/readings';
import { jsonBytes, type TurnBudget } from '../read/turn-budget.ts';
import { compileFilter } from './filter.ts';
import { parseTemplate, type ParsedTemplate, type Placeholder } from './template-syntax.ts';

/**
 * Renders a text of at most `limits.renderedCharsMax` characters. Inserted text counts against the
 * budget of the turn.
 */
export type Template = (scope: Scope) => string;

/** Compiles a text. A text without placeholders costs nothing to render. */
export function compileTemplate(text: string): Template {
  const [head, slots] = toSlots(parseTemplate(text).parts);
  if (slots.length === 0) return () => head;
  return (scope) => {
    let rendered = head;
    for (const { read, tail } of slots) {
      rendered += toText(read(scope)) + tail;
      if (rendered.length > limits.renderedCharsMax) break;
    }
    // Once for the whole text: it can exceed the limit by one variable at most.
    scope.budget.rendered(rendered.length + slots.length * slotChars);
    return rendered.length > limits.renderedCharsMax ? rendered.slice(0, limits.renderedCharsMax) : rendered;
  };
}

/** Cost of reading a placeholder, in inserted characters. */
const slotChars = 4;

/** A placeholder and the literal text up to the next one. */
interface Slot {
  readonly read: Lookup;
  readonly tail: string;
}

/** The literal text before the first placeholder, and each placeholder with the text after it. */
function toSlots(parts: ParsedTemplate['parts']): readonly [head: string, slots: readonly Slot[]] {
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

function compilePlaceholder({ path, filters }: Placeholder): Lookup {
  const lookup = compileLookup(path);
  if (filters.length === 0) return lookup;
  const apply = filters.map(compileFilter);
  return (scope) => apply.reduce((value, filter) => filter(value, scope), lookup(scope));
}

/** A JSON value whose texts may hold placeholders. */
export type ValueTemplate =
  | { readonly constant: true; readonly value: unknown }
  | { readonly constant: false; readonly render: (scope: Scope) => unknown };

/**
 * Compiles a value with all objects and lists in it. A text that is exactly one placeholder keeps
 * the type of its variable, or becomes `onMissing`. Returns values without placeholders as
 * authored.
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
  const members = Object.entries(value).map(
    ([name, member]) => [name, compileValue(member, onMissing, depth + 1)] as const,
  );
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

/** Counts a value against the bytes of a result; a constant is measured once. */
export function jsonCounter(template: ValueTemplate): (value: unknown, budget: TurnBudget) => void {
  if (!template.constant) return (value, budget) => budget.json(value);
  const bytes = jsonBytes(template.value, limits.turnResultBytesMax);
  return (_value, budget) => budget.result(bytes);
}
