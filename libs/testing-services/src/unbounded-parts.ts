// Finds unbounded parts of requests in the service's /openapi.json, new routes included: a list, an
// object with the caller's own members, or a text without a maximum (docs/platform.md#limits).
import { resolveReference } from '@parley/testing';
import type { ServiceUnderTest } from './service-under-test.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly maxProperties?: number;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

interface Parameter {
  readonly name: string;
  readonly schema: Schema;
}

interface OpenApi {
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly operationId: string;
            readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
            readonly requestBody?: {
              readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
            };
          }
        >
      >
    >
  >;
}

/** Unbounded patterns: a piece without a maximum count. */
const ENDLESS = /(?<!\\)[*+]|\{\d+,\}/;
const CHARACTER_CLASS = /\[(?:\\.|[^\]\\])*\]/g;

export async function unboundedParts({
  server,
}: Pick<ServiceUnderTest<unknown>, 'server'>): Promise<string[]> {
  const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenApi;
  const found = new Set<string>();

  function look(schema: Schema, at: string, within: readonly string[]): void {
    if (schema.$ref !== undefined) {
      if (within.includes(schema.$ref)) return; // recursive: already checked
      const name = schema.$ref.split('/').at(-1)!;
      return look(document.components!.schemas![name]!, at, [...within, schema.$ref]);
    }
    const types = [schema.type ?? []].flat();
    // A union of objects is as bounded as each of them.
    const isOpen = types.includes('object') && (schema.oneOf ?? schema.anyOf) === undefined;
    const { properties = {}, additionalProperties: others = isOpen } = schema;
    if (types.includes('array') && schema.maxItems === undefined) found.add(`${at}: a list`);
    if (types.includes('object') && others !== false && schema.maxProperties === undefined)
      found.add(`${at}: an object`);
    if (types.includes('string') && !isBoundedText(schema)) found.add(`${at}: a text`);
    const parts: [Schema | undefined, string][] = [
      [schema.items, `${at}/*`],
      [typeof others === 'object' ? others : undefined, `${at}/*`],
      ...Object.entries(properties).map(([name, one]): [Schema, string] => [one, `${at}/${name}`]),
      ...[schema.prefixItems, schema.anyOf, schema.oneOf, schema.allOf].flatMap((list) =>
        (list ?? []).map((one): [Schema, string] => [one, at]),
      ),
    ];
    for (const [part, place] of parts) if (part) look(part, place, within);
  }

  for (const methods of Object.values(document.paths)) {
    for (const { operationId, parameters = [], requestBody } of Object.values(methods)) {
      const resolved = parameters.map((one) => resolveReference<Parameter>(document, one));
      for (const { name, schema } of resolved) look(schema, `${operationId} ?${name}`, []);
      for (const { schema } of Object.values(requestBody?.content ?? {})) look(schema, operationId, []);
    }
  }
  return [...found];
}

function isBoundedText({ maxLength, enum: values, const: value, format, pattern }: Schema): boolean {
  if (maxLength !== undefined || values !== undefined || value !== undefined) return true;
  return (
    format === 'date-time' || (pattern !== undefined && !ENDLESS.test(pattern.replace(CHARACTER_CLASS, '.')))
  );
}
