// Finds the counterpart of a node in another version: by id, or, if the id is gone, by equal
// content except id and layout.
import type { FlowModel, NodeModel } from '@parley/flow-engine/define/model';
import { layoutMembers } from '../diff/diff-flows.ts';
import { toJson } from '@parley/answers/readings';

/** The id of a node in the other version; null = none, or ambiguous. */
export type NodeNow = (id: string) => string | null;

/** With `from` unknown, nodes match by id. */
export function matchNodes(from: FlowModel | null, to: FlowModel): NodeNow {
  if (from === null || from === to) return (id) => id;
  const renamed = renamedNodes(from, to);
  return (id) => (to.nodesById.has(id) ? id : (renamed.get(id) ?? null));
}

function renamedNodes(from: FlowModel, to: FlowModel): ReadonlyMap<string, string> {
  const gone = groupIdsByContent(from, to);
  const added = groupIdsByContent(to, from);
  const renamed = new Map<string, string>();
  for (const [content, ids] of gone) {
    const others = added.get(content) ?? [];
    if (ids.length === 1 && others.length === 1) renamed.set(ids[0]!, others[0]!);
  }
  return renamed;
}

/** Ids of the nodes that the other version lacks, by content. */
function groupIdsByContent(flow: FlowModel, other: FlowModel): ReadonlyMap<string, string[]> {
  const ids = new Map<string, string[]>();
  for (const node of flow.nodesById.values()) {
    if (other.nodesById.has(node.id)) continue;
    const content = serialiseContent(node);
    ids.set(content, [...(ids.get(content) ?? []), node.id]);
  }
  return ids;
}

/** Everything about a node but its id and layout. */
export function serialiseContent({ raw }: NodeModel): string {
  const members = Object.entries(raw).filter(([name]) => name !== 'id' && !layoutMembers.has(name));
  return toJson(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}
