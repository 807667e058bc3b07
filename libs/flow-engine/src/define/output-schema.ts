// `output_schema` of a tool: a JSON Schema of its result. The engine reads which members the result
// must have; validation compares it with what the flow reads.
import type { AuthoredNode } from './definition.ts';

export const isSchemaObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Members without which a result counts as an error. Empty for a schema with a fault. */
export function readRequired({ output_schema: schema }: AuthoredNode): readonly string[] {
  const required = isSchemaObject(schema) ? schema['required'] : null;
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}
