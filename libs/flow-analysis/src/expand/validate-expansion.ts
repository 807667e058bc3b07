// Validates a definition together with the flows that it calls: the rules see one flow, and
// findings refer to the authored document.
import type { AuthoredFlow } from '@parley/flow-engine/define/definition';
import { readParsedFlow } from '@parley/flow-engine/define/parse';
import type { ValidationOptions } from '../validate/flow-index.ts';
import { validateFlow, type Validation, type ValidationItem } from '../validate/validate-flow.ts';
import { toReturnNodeId, type Expansion } from './expand-calls.ts';

/** @param authored the definition before its expansion. */
export function validateExpansion(
  authored: AuthoredFlow,
  expansion: Expansion,
  options: ValidationOptions,
): Validation {
  const { problems } = expansion;
  const found = validateFlow(readParsedFlow(expansion.definition), { ...options, callProblems: problems });
  if (expansion.calls.length === 0) return found;
  const told = (items: readonly ValidationItem[]) =>
    items.map((item) => toAuthoredPlace(item, authored, expansion));
  return { ...found, errors: told(found.errors), warnings: told(found.warnings), infos: told(found.infos) };
}

/**
 * The author's own nodes and edges have the same places in both; findings in added ones refer to
 * their call.
 */
function toAuthoredPlace(item: ValidationItem, authored: AuthoredFlow, expansion: Expansion): ValidationItem {
  const { edge_index: _added, ...others } = item;
  const ownEdges = authored.edges?.length ?? 0;
  const place = /^\/(nodes|edges)\/(\d+)(.*)$/s.exec(item.path);
  if (place === null) return item;
  const [, list, number, below] = place;
  const index = Number(number);
  const own = list === 'nodes' ? authored.nodes.length : ownEdges;
  if (index < own) {
    const node = authored.nodes.find(({ id }) => toReturnNodeId(id) === item.node_id);
    const at =
      list === 'nodes' && isCall(expansion, index) ? item.path.replace('/set', '/call/input') : item.path;
    return { ...item, path: at, ...(node === undefined ? {} : { node_id: node.id }) };
  }
  const owners = list === 'nodes' ? expansion.nodeOwners : expansion.edgeOwners;
  const caller = owners[index - own]!;
  const { id } = authored.nodes[caller]!;
  // To the author, the node at which a call returns is the calling node.
  return item.node_id === toReturnNodeId(id)
    ? { ...others, node_id: id, path: `/nodes/${caller}${list === 'nodes' ? below : '/call'}` }
    : { ...others, path: `/nodes/${caller}/call` };
}

const isCall = ({ nodeOwners }: Expansion, index: number): boolean => nodeOwners.includes(index);
