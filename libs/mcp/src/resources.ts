// Reference material for authors of flows: the tables of the engine, and examples
// (docs/mcp.md#resources).
import {
  bagVariables,
  definitionMembers,
  definitionSchema,
  validationCodes,
  type Member,
} from '@parley/flow-analysis';
import { casts, engineVariables, filters, limits, nodeTypes, operators } from '@parley/flow-engine';
import { examples } from './examples.ts';

export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Returns JSON. */
  readonly read: () => unknown;
}

/** Without types, which the schema has. */
const toReference = (members: Readonly<Record<string, Member>>) =>
  Object.fromEntries(
    Object.entries(members).map(([name, { label, on, meaning, otherwise, default: value, required }]) => [
      name,
      {
        label,
        meaning,
        required,
        ...(on && { on }),
        ...(otherwise && { otherwise }),
        ...(value !== undefined && { default: value }),
      },
    ]),
  );

export const resources: readonly Resource[] = [
  {
    uri: 'parley://flow-language/reference',
    name: 'flow-reference',
    title: 'Flow reference',
    description: 'Members, node types, operators, casts, filters, variables of the engine, limits',
    read: () => {
      const { flow, node, edge } = definitionMembers();
      return {
        members: { flow: toReference(flow), node: toReference(node), edge: toReference(edge) },
        node_types: nodeTypes,
        operators,
        casts,
        filters,
        variables: { ...engineVariables, ...bagVariables },
        limits,
      };
    },
  },
  {
    uri: 'parley://flow-language/schema',
    name: 'flow-schema',
    title: 'JSON Schema of a definition',
    description: 'The schema that a definition must satisfy',
    read: definitionSchema,
  },
  {
    uri: 'parley://flow-language/findings',
    name: 'flow-findings',
    title: 'Validation codes',
    description: 'Codes with their severity, meaning and hint',
    read: () => validationCodes,
  },
  ...Object.entries(examples).map(([name, { title, ...example }]) => ({
    uri: `parley://examples/${name}`,
    name: `example-${name}`,
    title: `Example: ${name}`,
    description: `${title}; definition and tests`,
    read: () => example,
  })),
];
