// Names of variables and texts with placeholders, from the ways in which others write them to ours.
import { engineVariables } from '@parley/flow-engine';
import { at, membersOf } from './source.ts';

const NAME_CHARS_MAX = 64;
const STEPS_MAX = 8;
const reserved: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** A path that a flow can read and write: "Lead score" is `Lead_score`. null where nothing of a name is left. */
export function variableName(raw: string): string | null {
  const steps = raw
    .trim()
    .slice(0, NAME_CHARS_MAX)
    .split('.')
    .slice(0, STEPS_MAX)
    .map((step) => step.replace(/[^\p{L}\p{N}_]+/gu, '_').replace(/^_+|_+$/gu, ''))
    .filter((step) => step !== '')
    .map((step) => (reserved.has(step) ? `${step}_` : step));
  const [first] = steps;
  if (first === undefined) return null;
  // What the engine fills itself is not written by a flow.
  if (Object.hasOwn(engineVariables, first)) steps[0] = `${first}_`;
  return steps.join('.');
}

/** How a product writes a placeholder, with what stands in it as the first group. */
export const placeholders = {
  braces: /\{\{([^{}]{0,200})\}\}/gu,
  brace: /\{([A-Za-z_][\w.]{0,100})\}/gu,
  dollar: /\$(?:session|page|flow|request)\.(?:params\.)?([A-Za-z_]\w{0,60}(?:[.-]\w{1,60}){0,7})/gu,
} as const;

/** A text whose placeholders are ours, and in which nothing else looks like one. */
export function template(
  text: string,
  pattern: RegExp = placeholders.braces,
  nameOf: (inner: string) => string | null = liquidName,
): string {
  let [out, from] = ['', 0];
  for (const found of text.matchAll(pattern)) {
    const name = nameOf(found[1] ?? '');
    out += literal(text.slice(from, found.index));
    out += name === null ? literal(found[0]) : `{{ ${name} }}`;
    from = found.index + found[0].length;
  }
  return out + literal(text.slice(from));
}

const literal = (text: string): string => text.replaceAll('{{', "{{ '{{' }}");

/** Of `name | filter: …` the name: filters of others do not do what ours do. */
const liquidName = (inner: string): string | null => variableName(inner.split('|')[0] ?? '');

/** A value in which every text is a template. Not deeper than a definition may be. */
export function templates(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return template(value);
  if (depth > 20 || typeof value !== 'object' || value === null) return depth > 20 ? null : value;
  if (Array.isArray(value)) return value.map((element) => templates(element, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, templates(member, depth + 1)]),
  );
}

const ARGUMENTS_MAX = 50;

/** Of a tool with a JSON Schema: each argument is the variable of its name, or what the schema fixes. */
export function argumentsOf(schema: unknown): Readonly<Record<string, unknown>> {
  const properties = Object.entries(membersOf(at(schema, 'properties'))).slice(0, ARGUMENTS_MAX);
  return Object.fromEntries(
    properties.flatMap(([name, property]) => {
      const fixed = at(property, 'const');
      const variable = variableName(name);
      if (fixed !== undefined) return [[name, templates(fixed)]];
      return variable === null || reserved.has(name) ? [] : [[name, `{{ ${variable} }}`]];
    }),
  );
}
