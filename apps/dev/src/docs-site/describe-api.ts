// The API of a service as a Markdown page, from its openapi.json.
interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

interface Content {
  content?: Record<string, { schema?: Schema }>;
}

interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
}

interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags?: string[];
  parameters?: Parameter[];
  requestBody?: Content;
  responses: Record<string, Content & { $ref?: string; description?: string }>;
}

export interface ApiDocument {
  info: { title: string; description: string };
  paths: Record<string, Record<string, Operation>>;
  components: { parameters?: Record<string, Parameter>; schemas?: Record<string, Schema> };
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Operations by the noun of their path, then every shape that they name. */
export function describeApi({ info, paths, components }: ApiDocument): string {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => (item[method] ? [{ method, path, operation: item[method] }] : [])),
  );
  const tags = [...new Set(operations.map(({ operation }) => operation.tags?.[0] ?? 'other'))];
  const lines = [`# ${info.title}`, '', info.description, ''];
  for (const tag of tags) {
    lines.push(`## ${tag}`, '');
    for (const { method, path, operation } of operations) {
      if ((operation.tags?.[0] ?? 'other') !== tag) continue;
      lines.push(
        ...describeOperation(`${method.toUpperCase()} ${path}`, operation, components.parameters ?? {}),
      );
    }
  }
  lines.push('## Shapes', '');
  for (const [name, schema] of Object.entries(components.schemas ?? {}))
    lines.push(`### ${name}`, '', ...describeSchema(schema));
  return lines.join('\n');
}

function describeOperation(
  title: string,
  { operationId, summary, description, parameters = [], requestBody, responses }: Operation,
  shared: Readonly<Record<string, Parameter>>,
): string[] {
  const lines = [`### ${title}`, '', `**${summary}** (\`${operationId}\`)`, '', description ?? '', ''];
  if (parameters.length > 0) {
    lines.push('| parameter | in | type | |', '| --- | --- | --- | --- |');
    for (const given of parameters) {
      const parameter = given.$ref === undefined ? given : shared[given.$ref.split('/').at(-1)!]!;
      const needed = parameter.required ? ', required' : '';
      lines.push(
        row(`\`${parameter.name}\``, parameter.in, typeOf(parameter.schema) + needed, parameter.description),
      );
    }
    lines.push('');
  }
  const body = bodyOf(requestBody);
  if (body) lines.push(`Body: ${typeOf(body)}`, '', ...(body.properties ? describeSchema(body) : []));
  lines.push('| status | answer |', '| --- | --- |');
  for (const [status, response] of Object.entries(responses)) {
    const schema = bodyOf(response);
    const data = schema?.properties?.['data'] ?? schema;
    const words = [response.description, data && typeOf(data), response.$ref?.split('/').at(-1)];
    lines.push(row(status, words.filter(Boolean).join(' · ')));
  }
  return [...lines, ''];
}

function bodyOf(message: Content | undefined): Schema | undefined {
  return Object.values(message?.content ?? {})[0]?.schema;
}

function describeSchema(schema: Schema): string[] {
  const parts = schema.allOf ?? schema.oneOf ?? schema.anyOf;
  const properties = Object.entries(schema.properties ?? {});
  const intro = schema.description === undefined ? [] : [schema.description.replaceAll('\n', ' '), ''];
  if (properties.length === 0)
    return [...intro, `${parts ? parts.map(typeOf).join(' or ') : typeOf(schema)}`, ''];
  return [
    ...intro,
    '| member | type | |',
    '| --- | --- | --- |',
    ...properties.map(([name, member]) =>
      row(
        `\`${name}\`${schema.required?.includes(name) ? '' : ', optional'}`,
        typeOf(member),
        member.description,
      ),
    ),
    '',
  ];
}

/** In words, with a link to the shape where it has a name. */
function typeOf(schema: Schema | undefined): string {
  if (schema === undefined) return 'anything';
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1)!;
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  const parts = schema.oneOf ?? schema.anyOf;
  if (parts) return parts.map(typeOf).join(' or ');
  if (schema.items) return `list of ${typeOf(schema.items)}`;
  return schema.type === undefined ? 'anything' : [schema.type].flat().join(' or ');
}

/** A table cell has no line breaks, and its bars are escaped. */
function row(...cells: readonly (string | undefined)[]): string {
  const cell = (text = '') => text.replaceAll(/\s*\n\s*/g, ' ').replaceAll('|', '\\|');
  return `| ${cells.map(cell).join(' | ')} |`;
}
