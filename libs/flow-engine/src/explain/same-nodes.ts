// Which node of a version is which of another: by id, and where an id is gone, by saying the same in everything but its id and layout.
import type { FlowModel, NodeModel } from '../define/model.ts';
import { layoutMembers } from '../diff/diff-flows.ts';
import { toJson } from '@parley/answers/readings';

/** The id that a node has in the other version; null = none, or nobody can tell. */
export type NodeNow = (id: string) => string | null;

/** With `from` unknown, nodes are the same by id. */
export function nodesNow(from: FlowModel | null, to: FlowModel): NodeNow {
  if (from === null || from === to) return (id) => id;
  const renamed = renamedNodes(from, to);
  return (id) => (to.nodesById.has(id) ? id : (renamed.get(id) ?? null));
}

function renamedNodes(from: FlowModel, to: FlowModel): ReadonlyMap<string, string> {
  const gone = byContent(from, to);
  const added = byContent(to, from);
  const renamed = new Map<string, string>();
  for (const [content, ids] of gone) {
    const others = added.get(content) ?? [];
    if (ids.length === 1 && others.length === 1) renamed.set(ids[0]!, others[0]!);
  }
  return renamed;
}

/** Ids of the nodes that the other version has not, by what they say. */
function byContent(flow: FlowModel, other: FlowModel): ReadonlyMap<string, string[]> {
  const ids = new Map<string, string[]>();
  for (const node of flow.nodesById.values()) {
    if (other.nodesById.has(node.id)) continue;
    const content = contentOf(node);
    ids.set(content, [...(ids.get(content) ?? []), node.id]);
  }
  return ids;
}

/** What a node says and does. */
export function contentOf({ raw }: NodeModel): string {
  const members = Object.entries(raw).filter(([name]) => name !== 'id' && !layoutMembers.has(name));
  return toJson(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}
