// Checks the arguments that a model gives a tool. Pure.

import { asObject } from './outside-json.ts';

/**
 * Returns the problem for the model, or null. Checks names and types of the first level; the
 * endpoint checks the rest. Patterns of authors never run here.
 */
export function argumentsProblem(args: unknown, parameters: unknown): string | null {
  const given = asObject(args);
  if (given === null) return 'The arguments must be a JSON object.';
  const { required, properties } = asObject(parameters) ?? {};
  const missing = (Array.isArray(required) ? required : []).filter(
    (name) => typeof name === 'string' && !Object.hasOwn(given, name),
  );
  if (missing.length > 0) return `Required arguments are missing: ${missing.join(', ')}.`;
  for (const [name, property] of Object.entries(asObject(properties) ?? {})) {
    if (!Object.hasOwn(given, name)) continue;
    const { type, enum: choices } = asObject(property) ?? {};
    const types: unknown[] = type === undefined ? [] : Array.isArray(type) ? type : [type];
    if (types.length > 0 && !types.some((one) => isOfType(given[name], one))) {
      return `The argument "${name}" must be of type ${types.join(' or ')}.`;
    }
    if (
      Array.isArray(choices) &&
      !choices.some((choice) => JSON.stringify(choice) === JSON.stringify(given[name]))
    ) {
      return `The argument "${name}" must be one of ${JSON.stringify(choices)}.`;
    }
  }
  return null;
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === 'integer') return Number.isSafeInteger(value); // JSON.parse has rounded a larger one
  if (type === 'array') return Array.isArray(value);
  if (type === 'null') return value === null;
  if (type === 'object') return asObject(value) !== null;
  return typeof value === type;
}
