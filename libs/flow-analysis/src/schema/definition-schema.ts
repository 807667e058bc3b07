// Builds the JSON Schema of a definition (docs/flow-language.md#schema) from the tables alone, so
// new members, operators and casts appear in it. It rejects what parsing rejects and what
// validation calls an error of form. Only validation checks the graph (reachability, bounds).
import { z } from 'zod';
import { authoredEdge, authoredNode } from '@parley/flow-engine/define/definition';
import type { MemberSpec, Schema } from './member-spec.ts';
import { memberTables } from './members.ts';
import { nodeTypes, type NodeType } from '@parley/flow-engine/define/node-types';
import { operators, type OperatorSpec, type ValueShape } from '@parley/flow-engine/define/operators';

export interface Member extends MemberSpec {
  /** The schema that parsing requires on any node. */
  readonly parsed: Schema;
  readonly required: boolean;
}

export type Members = Readonly<Record<string, Member>>;

/** Every member that the engine reads, by owner. */
export function definitionMembers(): Readonly<Record<keyof typeof memberTables, Members>> {
  return {
    flow: describeMembers(memberTables.flow, { properties: {}, required: ['nodes'] }),
    node: describeMembers(memberTables.node, toShape(authoredNode), ['type']),
    edge: describeMembers(memberTables.edge, toShape(authoredEdge)),
  };
}

export function definitionSchema(): Schema {
  const { flow, node, edge } = definitionMembers();
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: '/schemas/flow-definition.json',
    title: 'FlowDefinition',
    description: 'A conversation flow. A member that is null counts as absent; unknown members are kept.',
    type: 'object',
    properties: toProperties(flow),
    required: listRequired(flow),
    $defs: {
      node: {
        type: 'object',
        properties: toProperties(node),
        required: listRequired(node),
        allOf: (Object.keys(nodeTypes) as NodeType[]).map((type) => typeRule(type, node)),
      },
      edge: {
        type: 'object',
        properties: toProperties(edge),
        required: listRequired(edge),
        allOf: (Object.keys(valueSchemas) as ValueShape[]).map(valueRule),
      },
    },
  };
}

/** Applies to nodes that read the member; on others it may be the author's own. */
function typeRule(type: NodeType, members: Members): Schema {
  const read = Object.entries(members).filter(([, { on }]) => on?.includes(type));
  const properties = Object.fromEntries(read.map(([name, member]) => [name, ownSchema(member)]));
  return { if: { properties: { type: { enum: [type, ...nodeTypes[type].aliases] } } }, then: { properties } };
}

/**
 * The schema of `value` for each kind of operator. A text with a placeholder is known only during a
 * turn.
 */
const rendered: Schema = { type: 'string', pattern: '\\{\\{' };
const filled: Schema = { type: ['string', 'number', 'boolean'], not: { const: '' } };
const ordered: Schema = { type: ['number', 'string'] };
const valueSchemas: Readonly<Record<ValueShape, Schema>> = {
  none: {},
  any: {},
  ordered: { properties: { value: ordered }, required: ['value'] },
  pair: {
    properties: { value: { anyOf: [rendered, { type: 'array', minItems: 2, maxItems: 2, items: ordered }] } },
    required: ['value'],
  },
  list: { properties: { value: { type: ['array', 'string'] } }, required: ['value'] },
  scalar: { properties: { value: filled }, required: ['value'] },
  text: { properties: { value: filled }, required: ['value'] },
  pattern: { properties: { value: filled }, required: ['value'] },
};

function valueRule(shape: ValueShape): Schema {
  const ops = Object.entries<OperatorSpec>(operators).filter(([, { takes }]) => takes === shape);
  const names = ops.flatMap(([op, { aliases }]) => [op, ...aliases]);
  return { if: { properties: { op: { enum: names } }, required: ['op'] }, then: valueSchemas[shape] };
}

interface Shape {
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required: readonly string[];
}

/** The schema that parsing requires. Zod has none for a custom check: its row has. */
function toShape(schema: z.ZodType): Shape {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' });
  return { properties: properties as Shape['properties'], required };
}

/** Described members first, in the order of their rows, then members that only parsing knows. */
function describeMembers(
  rows: Readonly<Record<string, MemberSpec>>,
  { properties, required }: Shape,
  alsoRequired: readonly string[] = [],
): Members {
  const names = new Set([...Object.keys(rows), ...Object.keys(properties)]);
  return Object.fromEntries(
    [...names].map((name) => {
      const { description, ...parsed } = properties[name] ?? {};
      const row = rows[name] ?? { label: name, meaning: typeof description === 'string' ? description : '' };
      return [name, { ...row, parsed, required: [...required, ...alsoRequired].includes(name) }];
    }),
  );
}

/** A member that is null counts as absent. */
function ownSchema({ schema, parsed, required }: Member): Schema {
  if (schema === undefined) return parsed;
  if (required) return schema;
  return Object.keys(schema).length === 0 ? schema : { anyOf: [schema, { type: 'null' }] };
}

function toProperties(members: Members): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => {
      const { meaning, on, parsed, default: preset, otherwise } = member;
      const schema = on === undefined ? ownSchema(member) : parsed;
      const where = on === undefined ? '' : `On ${on.join(', ')}: `;
      const description = `${where}${meaning}${otherwise === undefined ? '' : ` Otherwise: ${otherwise}.`}`;
      return [name, { description, ...schema, ...(preset === undefined ? {} : { default: preset }) }];
    }),
  );
}

const listRequired = (members: Members): string[] =>
  Object.keys(members).filter((name) => members[name]!.required);
