// Converts names of variables, and texts with placeholders, from other notations.
import { engineVariables } from '@parley/flow-engine';
import { getMember, isMembers, toMembers } from './source.ts';

const NAME_CHARS_MAX = 64;
const STEPS_MAX = 8;
const reserved: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * A path that a flow can read and write, such as `Lead_score` for "Lead score"; null when no name
 * remains.
 */
export function toVariableName(raw: string): string | null {
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
  // Flows may not write the engine's own variables.
  if (Object.hasOwn(engineVariables, first)) steps[0] = `${first}_`;
  return steps.join('.');
}

/** Patterns of placeholders; the first group is the expression. */
export const placeholders = {
  braces: /\{\{([^{}]{0,200})\}\}/gu,
  brace: /\{([A-Za-z_][\w.]{0,100})\}/gu,
  dollar: /\$(?:session|page|flow|request)\.(?:params\.)?([A-Za-z_]\w{0,60}(?:[.-]\w{1,60}){0,7})/gu,
} as const;

/** Converts placeholders and escapes everything else that looks like one. */
export function toTemplate(
  text: string,
  pattern: RegExp = placeholders.braces,
  nameOf: (inner: string) => string | null = parseLiquidName,
): string {
  let [out, from] = ['', 0];
  for (const found of text.matchAll(pattern)) {
    const name = nameOf(found[1] ?? '');
    out += escapeBraces(text.slice(from, found.index));
    out += name === null ? escapeBraces(found[0]) : `{{ ${name} }}`;
    from = found.index + found[0].length;
  }
  return out + escapeBraces(text.slice(from));
}

const escapeBraces = (text: string): string => text.replaceAll('{{', "{{ '{{' }}");

/** The name in `name | filter: …`: filters of other products differ from ours. */
const parseLiquidName = (inner: string): string | null => toVariableName(inner.split('|')[0] ?? '');

/** Converts every text in a value, down to the depth that a definition may have. */
export function toTemplates(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return toTemplate(value);
  if (depth > 20 || typeof value !== 'object' || value === null) return depth > 20 ? null : value;
  if (Array.isArray(value)) return value.map((element) => toTemplates(element, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, toTemplates(member, depth + 1)]),
  );
}

const ARGUMENTS_MAX = 50;

const ARGUMENTS_DEPTH_MAX = 5;

/**
 * Arguments of a tool from its JSON Schema: a constant, an object of arguments, or the variable of
 * the same name. `value` is how Vapi writes a constant.
 */
export function toArguments(schema: unknown, depth = 0): Readonly<Record<string, unknown>> {
  const properties = Object.entries(toMembers(getMember(schema, 'properties'))).slice(0, ARGUMENTS_MAX);
  return Object.fromEntries(
    properties.flatMap(([name, property]) => {
      const fixed = ['const', 'value']
        .map((member) => getMember(property, member))
        .find((value) => value !== undefined);
      const variable = toVariableName(name);
      if (reserved.has(name)) return [];
      if (fixed !== undefined) return [[name, toTemplates(fixed)]];
      if (isMembers(getMember(property, 'properties')) && depth < ARGUMENTS_DEPTH_MAX)
        return [[name, toArguments(property, depth + 1)]];
      return variable === null ? [] : [[name, `{{ ${variable} }}`]];
    }),
  );
}

/**
 * `[Rome](city)`, `[Rome](city:rom)`, `[Rome]{"entity": "city"}` and `[Rome][{…}]` become `Rome`.
 * Source: RasaHQ/rasa, rasa/shared/nlu/training_data/entities_parser.py.
 */
export const unmarkEntities = (text: string): string =>
  text.replaceAll(
    /\[([^[\]\n]{1,300})\](?:\([^()\n]{1,300}\)|\{[^{}\n]{1,300}\}|\[[^[\]\n]{1,300}\])/gu,
    '$1',
  );
