// Lists every place of a request body that a schema describes, and builds bodies with a value
// there. The rest of the body is minimal.
import fc from 'fast-check';
import { PLAUSIBLE } from '../../fuzz/plausible.ts';
import { toArbitrary, type Components, type Schema } from '../../fuzz/schema-arbitrary.ts';

export type PlaceKind = 'text' | 'number' | 'array' | 'json';

export interface Place {
  /** A JSON pointer; `-` stands for an element. */
  readonly path: string;
  readonly kind: PlaceKind;
  readonly schema: Schema;
  /** Builds a whole body with this value there. */
  body(value: unknown): unknown;
  /** A valid value of the place. */
  sample(): unknown;
}

/** Schemas may be recursive; deeper values reach the same code. */
const DEPTH_MAX = 6;

/** Valid values of members whose schema says little. */
export const PLAIN_VALUES: Readonly<Record<string, unknown>> = {
  definition: {
    nodes: [
      { id: 'ask', type: 'collect', prompt: 'How many?', variable: 'count' },
      { id: 'end', type: 'end' },
    ],
    edges: [{ source: 'ask', target: 'end' }],
  },
  flow_id: 'siege-derived',
  scopes: ['read'],
};

export interface BodyDescription {
  readonly body: Schema;
  readonly components: Components;
  /** Members that the schema alone gets wrong. */
  readonly given?: Readonly<Record<string, unknown>>;
}

/** The smallest valid body. */
export function buildMinimalBody({ body, components, given = {} }: BodyDescription): unknown {
  const least = buildMinimalValue(resolve(body, components), components, '');
  return isObject(least) ? { ...least, ...given } : least;
}

export function listPlaces(described: BodyDescription): Place[] {
  const { body, components } = described;
  const least = buildMinimalBody(described);
  const places = new Map<string, Place>();

  function visit(schema: Schema, path: string, wrap: (value: unknown) => unknown, here: unknown): void {
    const depth = path.split('/').length - 1;
    const found = resolve(schema, components);
    const name = path.split('/').findLast((part) => part !== '-') ?? '';
    const choices = found.anyOf ?? found.oneOf;
    if (choices) return choices.forEach((choice) => visit(choice, path, wrap, undefined));
    const value = here ?? buildMinimalValue(found, components, name);
    const add = (kind: PlaceKind) =>
      places.set(`${kind} ${path}`, { path, kind, schema: found, body: wrap, sample: () => value });
    for (const type of listTypes(found)) {
      if (type === 'string' && found.enum === undefined && found.const === undefined) add('text');
      if (type === 'integer' || type === 'number') add('number');
      if (type === 'array') add('array');
      if (type === 'any' || (type === 'object' && isFree(found))) add('json');
      if (depth >= DEPTH_MAX) continue;
      if (type === 'array' && found.items)
        visit(found.items, `${path}/-`, (inner) => wrap([inner]), getFirst(value));
      if (type !== 'object' && type !== 'any') continue;
      const whole = isObject(value) ? value : {};
      const members = isFree(found)
        ? { ...inferSchema(whole).properties, ...found.properties }
        : found.properties;
      for (const [member, inner] of Object.entries(members ?? {}))
        visit(inner, `${path}/${member}`, (one) => wrap({ ...whole, [member]: one }), whole[member]);
      if (typeof found.additionalProperties === 'object')
        visit(found.additionalProperties, `${path}/*`, (one) => wrap({ ...whole, any: one }), undefined);
    }
  }

  visit(body, '', (value) => value, least);
  return [...places.values()];
}

function buildMinimalValue(schema: Schema, components: Components, name: string, depth = 0): unknown {
  const found = resolve(schema, components);
  const known = PLAIN_VALUES[name] ?? PLAUSIBLE[name]?.[0];
  if (known !== undefined) return known;
  const choice = (found.anyOf ?? found.oneOf)?.[0];
  if (choice) return buildMinimalValue(choice, components, name, depth);
  if (found.const !== undefined) return found.const;
  if (found.enum) return found.enum[0];
  const [type] = listTypes(found);
  if (type === 'object' && depth < DEPTH_MAX)
    return Object.fromEntries(
      (found.required ?? []).map((member) => [
        member,
        buildMinimalValue(found.properties?.[member] ?? {}, components, member, depth + 1),
      ]),
    );
  if (type === 'array')
    return Array.from({ length: found.minItems ?? 0 }, () =>
      buildMinimalValue(found.items ?? {}, components, name, depth + 1),
    );
  if (type === 'any') return {};
  const isPlainText = type === 'string' && found.pattern === undefined && found.format === undefined;
  if (isPlainText) return 'siege'.padEnd(found.minLength ?? 0, '.').slice(0, found.maxLength);
  return fc.sample(toArbitrary(found, components), { seed: 1, numRuns: 1 })[0];
}

function resolve(schema: Schema, components: Components): Schema {
  if (schema.$ref !== undefined) return resolve(components[schema.$ref.split('/').at(-1)!] ?? {}, components);
  return schema.allOf ? (Object.assign({}, ...schema.allOf) as Schema) : schema;
}

function listTypes({ type, properties }: Schema): readonly string[] {
  if (type === undefined) return [properties ? 'object' : 'any'];
  return typeof type === 'string' ? [type] : type;
}

function isFree({ additionalProperties = true, properties = {} }: Schema): boolean {
  return additionalProperties !== false || Object.keys(properties).length === 0;
}

/** Infers a schema from a value that has none. */
function inferSchema(value: unknown): Schema {
  if (Array.isArray(value)) return { type: 'array', items: inferSchema(value[0]) };
  if (!isObject(value)) return { type: typeof value === 'number' ? 'number' : 'string' };
  const properties = Object.entries(value).map(([name, member]) => [name, inferSchema(member)]);
  return { type: 'object', properties: Object.fromEntries(properties) as Record<string, Schema> };
}

function getFirst(value: unknown): unknown {
  return Array.isArray(value) ? (value as unknown[])[0] : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
