// Typed extraction from an answer: the question, and which of the returned values may be merged
// into the variables. An extractor is a model, so every value is checked.
import { isReservedName } from '../define/definition.ts';
import { limits } from '../define/limits.ts';
import { compileWriter, type Writer } from '../read/paths.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface CompiledExtraction {
  /**
   * A JSON Schema of type object for the provider to fill in, also when the node lists `variables`.
   */
  readonly schema: JsonSchema;
  readonly variables: readonly { readonly name: string; readonly schema: unknown; readonly write: Writer }[];
}

/**
 * Reads `extraction` of a node: a JSON Schema object, or `{variables: [{name, type, prompt?,
 * choices?, required?}]}`.
 */
export function compileExtraction(extraction: JsonSchema | null | undefined): CompiledExtraction | null {
  if (extraction == null) return null;
  const schema = Array.isArray(extraction['variables']) ? listedSchema(extraction['variables']) : extraction;
  const properties = asObject(schema['properties']);
  const variables = Object.entries(properties ?? {}).flatMap(([name, property]) => {
    const write = compileWriter(name);
    return write === null ? [] : [{ name, schema: property, write }];
  });
  return variables.length === 0 ? null : { schema: { type: 'object', ...schema }, variables };
}

const listedTypes: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'enum']);

/** Whether an entry of `variables` has a usable name and type. */
export function isListed(entry: unknown): entry is JsonSchema {
  const { name, type } = asObject(entry) ?? {};
  const isNamed = typeof name === 'string' && !isReservedName(name) && compileWriter(name) !== null;
  return isNamed && listedTypes.has(type ?? 'string');
}

function listedSchema(variables: readonly unknown[]): JsonSchema {
  const listed = variables.filter(isListed);
  const properties = listed.map((entry) => [entry['name'], listedProperty(entry)] as const);
  const required = listed.filter((entry) => entry['required'] === true).map((entry) => entry['name']);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required,
    additionalProperties: false,
  };
}

function listedProperty({ type = 'string', prompt, choices }: JsonSchema): JsonSchema {
  return {
    type: type === 'enum' ? 'string' : type,
    ...(typeof prompt === 'string' ? { description: prompt } : {}),
    ...(Array.isArray(choices) ? { enum: choices } : {}),
    // An enum without choices accepts nothing rather than everything.
    ...(type === 'enum' && !Array.isArray(choices) ? { enum: [] } : {}),
  };
}

export interface MergeResult {
  readonly merged: readonly string[];
  /** Present, but with a value of another type. */
  readonly rejected: readonly string[];
}

/** Writes the values of the right type into variables that the caller owns. */
export function mergeExtracted(
  { variables }: CompiledExtraction,
  values: unknown,
  bag: Record<string, unknown>,
): MergeResult {
  const answered = asObject(values) ?? {};
  const merged: string[] = [];
  const rejected: string[] = [];
  for (const { name, schema, write } of variables) {
    const value = Object.hasOwn(answered, name) ? answered[name] : null;
    if (value === undefined || value === null) continue;
    if (fitsSchema(value, schema)) {
      write(bag, value);
      merged.push(name);
    } else rejected.push(name);
  }
  return { merged, rejected };
}

/**
 * The part of JSON Schema that defines a value: type, enum, const, properties, required, items.
 * Patterns and formats are left to the provider: a pattern of the author would run in the regex
 * engine of the process.
 */
export function fitsSchema(value: unknown, schema: unknown, depth = 0): boolean {
  const rules = asObject(schema);
  if (rules === null) return schema !== false;
  if (depth === limits.depthMax) return false;
  const { type, enum: allowed, items, properties, required } = rules;
  if (typeof type === 'string' && !isOfType(value, type)) return false;
  if (Array.isArray(type) && !type.some((one) => isOfType(value, one))) return false;
  if (Array.isArray(allowed) && !allowed.includes(value)) return false;
  if (Object.hasOwn(rules, 'const') && rules['const'] !== value) return false;
  if (Array.isArray(value))
    return items === undefined || value.every((item) => fitsSchema(item, items, depth + 1));
  const members = asObject(value);
  if (members === null) return true;
  if (Array.isArray(required) && !required.every((name) => Object.hasOwn(members, String(name))))
    return false;
  return Object.entries(asObject(properties) ?? {}).every(
    ([name, rule]) => !Object.hasOwn(members, name) || fitsSchema(members[name], rule, depth + 1),
  );
}

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    case 'string':
    case 'boolean':
      return typeof value === type;
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    default:
      return type === 'object' && asObject(value) !== null;
  }
}

function asObject(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : null;
}
