// Rules about what can be reached from where, over any number of turns.
import type { FlowModel, NodeModel } from '../../define/model.ts';
import { cycles, filtered, reachableFrom, reversed, wayRound } from '../graph/flow-graph.ts';
import { atNode, quoted, type Rule } from '../finding.ts';
import { witnessOf, type FlowIndex } from '../flow-index.ts';
import { isLeft, isTerminal, isWalked } from '../node-kinds.ts';

// An edge that names a node that does not exist is one fault: what its mending would join is not reported as lost as well.

const leavesNowhere = ({ edges, nodesById }: FlowModel): boolean =>
  edges.some(({ source }) => !nodesById.has(source));

const leadsNowhere = ({ outgoing, nodesById }: FlowModel, { id }: NodeModel): boolean =>
  outgoing.get(id)?.some(({ target }) => !nodesById.has(target)) ?? false;

export const unreachableNode: Rule = ({ flow, nodes, entries, reachable }) => {
  const isLoose =
    leavesNowhere(flow) || nodes.some((node, vertex) => reachable[vertex] === 1 && leadsNowhere(flow, node));
  if (entries.length === 0 || isLoose) return [];
  return nodes
    .filter((node, vertex) => isWalked(node) && reachable[vertex] === 0)
    .map((node) => atNode(node, `No path from the start leads to ${quoted(node.id)}`));
};

export const deadEnd: Rule = ({ flow, nodes }) =>
  leavesNowhere(flow)
    ? []
    : nodes
        .filter((node) => isLeft(node) && !flow.outgoing.has(node.id))
        .map((node) => atNode(node, `No edge leaves ${quoted(node.id)}, and it is no end`));

/**
 * Reported where the path to an end is lost: at an entry, or behind the last node from which an end can still be
 * reached.
 */
export const noPathToTerminal: Rule = (index) => {
  const { flow, nodes, walk, entries, reachable } = index;
  const isLoose = leavesNowhere(flow);
  // A node of unknown type may be meant as an end: one fault is enough.
  const mayEnd = (node: NodeModel) =>
    isTerminal(node) ||
    node.type === null ||
    leadsNowhere(flow, node) ||
    (isLoose && !flow.outgoing.has(node.id));
  const ends = [...nodes.keys()].filter((vertex) => mayEnd(nodes[vertex]!));
  const hopeful = reachableFrom(reversed(walk), ends);
  const isLost = new Set(entries.filter((vertex) => hopeful[vertex] === 0));
  for (let from = 0; from < walk.size; from++) {
    if (hopeful[from] === 0 || reachable[from] === 0) continue;
    for (const to of walk.targets.subarray(walk.offsets[from], walk.offsets[from + 1]))
      if (hopeful[to] === 0) isLost.add(to);
  }
  return [...isLost]
    .sort((a, b) => a - b)
    .map((vertex) => nodes[vertex]!)
    .filter((node) => flow.outgoing.has(node.id))
    .map((node) => atNode(node, `No path leads from ${quoted(node.id)} to an end or handoff`));
};

/** A cycle that waits for the caller, but that no edge leaves. One that does not even wait is a silent cycle. */
export const trapCycle: Rule = (index) => {
  const { nodes, walk, reachable } = index;
  const reached = filtered(walk, (from) => reachable[from] === 1);
  return cycles(reached)
    .filter(
      (members) => members.some((vertex) => nodes[vertex]!.type === 'collect') && isClosed(index, members),
    )
    .map((members) => {
      const way = witnessOf(index, wayRound(walk, members));
      const message = `Nothing leads out of the cycle of ${members.length} nodes at ${quoted(way[0]!)}`;
      return { ...atNode(nodes[members[0]!]!, message), witness: way };
    });
};

/** No edge leads out of the vertices; an edge to a node that does not exist is meant to. */
function isClosed({ flow, nodes }: FlowIndex, members: readonly number[]): boolean {
  const inside = new Set(members.map((vertex) => nodes[vertex]!.id));
  return members.every((vertex) =>
    (flow.outgoing.get(nodes[vertex]!.id) ?? []).every(({ target }) => inside.has(target)),
  );
}
