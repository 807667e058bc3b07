// Reference material for authors of flows: the tables of the engine, and examples
// (docs/mcp.md#resources).
import { definitionSchema, exampleFlows, languageReference, validationCodes } from '@parley/flow-analysis';

export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Returns JSON. */
  readonly read: () => unknown;
}

export const resources: readonly Resource[] = [
  {
    uri: 'parley://flow-language/reference',
    name: 'flow-reference',
    title: 'Flow reference',
    description: 'Members, node types, operators, casts, filters, variables of the engine, limits',
    read: languageReference,
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
  ...Object.entries(exampleFlows).map(([name, { title, ...example }]) => ({
    uri: `parley://examples/${name}`,
    name: `example-${name}`,
    title: `Example: ${name}`,
    description: `${title}; definition and tests`,
    read: () => example,
  })),
];
