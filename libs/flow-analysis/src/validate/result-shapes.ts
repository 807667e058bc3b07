// What is known of the results that nodes write: the `output_schema` of a tool, and the outcome of
// an agent. A member that the schema does not name counts as one that the result does not have.
import type { NodeModel } from '@parley/flow-engine/define/model';
import { isSchemaObject } from '@parley/flow-engine/define/output-schema';

/** The outcome of an agent, as the engine writes it (docs/flow-language.md#agents). */
const agentOutcome = {
  properties: {
    status: { type: 'string' },
    answer: { type: 'string' },
    iterations: { type: 'integer' },
    tool_calls: {
      type: 'array',
      items: { properties: { tool: { type: 'string' }, args: {}, ok: {}, result: {}, ms: {} } },
    },
  },
};

/** Null = nothing is known of the result. */
export function readResultShape({ type, raw }: NodeModel): unknown {
  if (type === 'autonomous') return agentOutcome;
  return type === 'tool' && isSchemaObject(raw['output_schema']) ? raw['output_schema'] : null;
}

/** False only where the schema excludes the member: what is left open may be there. */
export function mayHaveMember(schema: unknown, steps: readonly string[]): boolean {
  const [step, ...rest] = steps;
  if (step === undefined || !isSchemaObject(schema) || isComposed(schema)) return true;
  const { type, properties, items, additionalProperties } = schema;
  if (typeof type === 'string' && !containers.has(type)) return false;
  if (type === 'array') return /^\d+$/.test(step) && mayHaveMember(items, rest);
  if (!isSchemaObject(properties)) return true;
  if (Object.hasOwn(properties, step)) return mayHaveMember(properties[step], rest);
  return additionalProperties === true || isSchemaObject(additionalProperties);
}

const containers: ReadonlySet<string> = new Set(['object', 'array']);

/** Keywords whose members are not read here. */
const composing = ['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'if', 'patternProperties'];
const isComposed = (schema: object): boolean => composing.some((keyword) => Object.hasOwn(schema, keyword));

/** The fault of an `output_schema`; null when there is none. */
export function findSchemaProblem(schema: unknown): string | null {
  if (!isSchemaObject(schema)) return 'must be a JSON Schema: an object';
  const { properties, required } = schema;
  if (properties !== undefined && !isSchemaObject(properties)) return '`properties` must be an object';
  const isNames = Array.isArray(required) && required.every((name) => typeof name === 'string');
  return required === undefined || isNames ? null : '`required` must be a list of names';
}
