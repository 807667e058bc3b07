// Generates the table of operations from the three OpenAPI documents. libs/sdk/src/send.ts uses its
// rows.
import { readFileSync } from 'node:fs';
import { resolveReference } from '@parley/testing';

export type Schema = {
  $ref?: string;
  type?: string;
  enum?: string[];
  properties?: Record<string, Schema>;
};
interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
}
export interface Described {
  operationId: string;
  summary: string;
  parameters?: Parameter[] | undefined;
  requestBody?: { required?: boolean };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}
export interface Document {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, Schema> };
}

/** The client's name of each service. */
export const SERVICES = {
  flowBuilder: 'flow-builder',
  voiceApi: 'voice-api',
  notifications: 'notifications',
} as const;

export const documentOf = (service: string): Document =>
  JSON.parse(
    readFileSync(new URL(`../../../apps/${service}/openapi.json`, import.meta.url), 'utf8'),
  ) as Document;

/** With resolved parameters, and without /openai/v1, which OpenAI's clients cover. */
export const operationsOf = (document: Document) =>
  Object.entries(document.paths)
    .filter(([path]) => !path.startsWith('/openai/'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => {
        const parameters = operation.parameters?.map((one) => resolveReference(document, one));
        return { path, method, operation: { ...operation, parameters } };
      }),
    );

/** The facts that a client needs about each operation. */
export const rowsOf = (document: Document) =>
  operationsOf(document).map(({ path, method, operation }) => {
    const asks = (place: string, parameter: string) =>
      operation.parameters?.some((one) => one.in === place && one.name === parameter);
    const content = Object.values(operation.responses)[0]?.content ?? {};
    const row = {
      method: method.toUpperCase(),
      path,
      ...(asks('header', 'Idempotency-Key') ? { creates: true } : {}),
      ...(asks('query', 'cursor') ? { pages: listIn(document, content['application/json']?.schema) } : {}),
      ...('text/event-stream' in content ? { stream: true } : {}),
    };
    return { operation, row };
  });

export function operationsTable(): string {
  const tables = Object.entries(SERVICES).map(([name, service]) => {
    const rows = rowsOf(documentOf(service)).map(({ operation, row }) => {
      const members = Object.entries(row).map(([member, value]) => `${member}: ${literal(value)}`);
      return `  ${operation.operationId}: { ${members.join(', ')} },\n`;
    });
    return `export const ${name} = {\n${rows.join('')}} as const;\n`;
  });
  return `// Made from apps/*/openapi.json by \`npm run docs\`.\n\n${tables.join('\n')}`;
}

const literal = (value: string | boolean | undefined) =>
  typeof value === 'string' ? `'${value}'` : String(value);

/**
 * The member with the items of a page: next to `next_cursor`, with or without the envelope of the
 * voice API.
 */
function listIn(document: Document, schema: Schema | undefined): string {
  const resolved = schema?.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)!] : schema;
  const { data, next_cursor: cursor, ...members } = resolved?.properties ?? {};
  if (!cursor) return listIn(document, data);
  return Object.keys(members).find((name) => members[name]!.type === 'array')!;
}
