// Converts a JSON schema to a fast-check arbitrary of valid values. Throws on a keyword that it
// does not know, so that the fuzzer never tests less than it seems to.
import fc from 'fast-check';
import { PLAUSIBLE } from './plausible.ts';

/** The supported part of JSON Schema. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
}

export type Components = Readonly<Record<string, Schema>>;

/** Schemas may be recursive; deeper places hold small values. */
const DEPTH_MAX = 6;
/** Small lists and texts, or a run would spend its time on sending. */
const ITEMS_MAX = 4;
const CHARACTERS_MAX = 40;
/** Free-form places hold any JSON. */
const anyJson = fc.jsonValue({ maxDepth: 2 });

/** @throws Error for an unknown keyword. */
export function toArbitrary(schema: Schema, components: Components, depth = 0): fc.Arbitrary<unknown> {
  const of = (inner: Schema) => toArbitrary(inner, components, depth + 1);
  if (depth > DEPTH_MAX) return fc.constant(null);
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1)!;
    const found = components[name];
    if (!found) throw new Error(`there is no schema at ${schema.$ref}`);
    return of(found);
  }
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map(of));
  if (schema.allOf !== undefined) return of(Object.assign({}, ...schema.allOf) as Schema);
  const types = typeof schema.type === 'string' ? [schema.type] : schema.type;
  if (types === undefined) return anyJson;
  return fc.oneof(...types.map((type) => typeToArbitrary(type, schema, of)));
}

function typeToArbitrary(
  type: string,
  schema: Schema,
  of: (inner: Schema) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
    case 'number':
      return numberToArbitrary(type, schema);
    case 'string':
      return stringToArbitrary(schema);
    case 'array':
      if (schema.prefixItems) return fc.tuple(...schema.prefixItems.map(of));
      return fc.array(schema.items ? of(schema.items) : anyJson, {
        minLength: schema.minItems ?? 0,
        maxLength: Math.max(schema.minItems ?? 0, Math.min(schema.maxItems ?? ITEMS_MAX, ITEMS_MAX)),
      });
    case 'object':
      return objectToArbitrary(schema, of);
    default:
      throw new Error(`schemas of type "${type}" are not understood`);
  }
}

function numberToArbitrary(type: string, schema: Schema): fc.Arbitrary<number> {
  const min = schema.minimum ?? (schema.exclusiveMinimum === undefined ? -1e6 : schema.exclusiveMinimum + 1);
  const max =
    schema.maximum ??
    (schema.exclusiveMaximum === undefined ? Math.max(min, 2e9) : schema.exclusiveMaximum - 1);
  if (type === 'integer')
    return fc.integer({ min: Math.ceil(min), max: Math.min(Math.floor(max), 2 ** 53 - 1) });
  return fc.double({ min, max, noNaN: true, noDefaultInfinity: true });
}

function stringToArbitrary({
  pattern,
  format,
  minLength = 0,
  maxLength = CHARACTERS_MAX,
}: Schema): fc.Arbitrary<string> {
  switch (format) {
    case 'date-time':
      return fc
        .date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
        .map((date) => date.toISOString());
    case 'uri':
      return fc.constantFrom('https://hooks.example.com/parley', 'https://example.org/a?b=c');
    case 'email':
      return fc.constantFrom('ada@example.com', 'o.k+tag@example.org');
    default:
  }
  const longest = Math.max(minLength, Math.min(maxLength, CHARACTERS_MAX));
  if (pattern !== undefined)
    return fc
      .stringMatching(new RegExp(pattern))
      .map((text) => (text.length > maxLength ? text.slice(0, maxLength) : text));
  return fc.oneof(
    { weight: 3, arbitrary: fc.string({ minLength, maxLength: longest }) },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength, maxLength: longest }) },
  );
}

function objectToArbitrary(
  schema: Schema,
  of: (inner: Schema) => fc.Arbitrary<unknown>,
): fc.Arbitrary<object> {
  const { properties = {}, required = [], additionalProperties = true } = schema;
  const members = Object.fromEntries(
    Object.entries(properties).map(([name, inner]) => [name, mixPlausible(name, of(inner))]),
  );
  const declared = fc.record(members, {
    requiredKeys: required.filter((name) => name in members),
    noNullPrototype: true,
  });
  if (additionalProperties === false) return declared;
  const value = additionalProperties === true ? anyJson : of(additionalProperties);
  const free = fc.dictionary(fc.string({ minLength: 1, maxLength: 12 }), value, {
    maxKeys: ITEMS_MAX,
    noNullPrototype: true,
  });
  return fc.tuple(free, declared).map(([more, known]) => ({ ...more, ...known }));
}

/** Mixes values of the schema with plausible ones. */
function mixPlausible(name: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const known = PLAUSIBLE[name];
  if (known === undefined) return value;
  return fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: value });
}
