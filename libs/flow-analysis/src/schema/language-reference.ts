// The reference of the flow language as data, for assistants that write flows: the tables of the
// engine without types, which the JSON Schema has.
import { casts } from '@parley/answers';
import { engineVariables } from '@parley/flow-engine/define/engine-variables';
import { filters } from '@parley/flow-engine/define/filters';
import { limits } from '@parley/flow-engine/define/limits';
import { nodeTypes } from '@parley/flow-engine/define/node-types';
import { operators } from '@parley/flow-engine/define/operators';
import { definitionMembers, type Member, type Members } from './definition-schema.ts';
import { bagVariables } from './members.ts';

/** Members, node types, operators, casts, filters, variables and limits. */
export function languageReference() {
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
}

const toReference = (members: Members) =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, toRow(member)]));

const toRow = ({ label, on, meaning, otherwise, default: value, required }: Member) => ({
  label,
  meaning,
  required,
  ...(on && { on }),
  ...(otherwise && { otherwise }),
  ...(value !== undefined && { default: value }),
});
