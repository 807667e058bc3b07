// Rules about what can be reached from where, over any number of turns.
import { listCommandEdges, isResuming, priorities } from '@parley/flow-engine/define/commands';
import type { FlowModel, NodeModel } from '@parley/flow-engine/define/model';
import { cycles, filtered, reachableFrom, reversed, wayRound } from '../graph/flow-graph.ts';
import { atNode, quoted } from '../finding.ts';
import type { Rule } from '../rule.ts';
import { toWitness, type FlowIndex } from '../flow-index.ts';
import { isLeft, isTerminal, isWait, isWalked } from '../node-kinds.ts';

// An edge to a node that does not exist is one fault: the rules do not report its consequences as
// well.

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

/** The possible ends of a conversation from each vertex on. */
interface Prospects {
  /** It can reach an end or handoff. */
  readonly ending: Uint8Array;
  /**
   * It can reach an end that goes back to the interrupted question: what holds there holds here.
   */
  readonly returning: Uint8Array;
}

function findProspects({ flow, nodes, walk, talk, entries, interruption }: FlowIndex): Prospects {
  const isLoose = leavesNowhere(flow);
  // A node of unknown type may be meant as an end: one fault is enough.
  const mayEnd = (node: NodeModel) =>
    isTerminal(node) ||
    node.type === null ||
    leadsNowhere(flow, node) ||
    (isLoose && !flow.outgoing.has(node.id));
  const ends = [...nodes.keys()].filter((vertex) => mayEnd(nodes[vertex]!));
  if (interruption === null)
    return { ending: reachableFrom(reversed(walk), ends), returning: new Uint8Array(nodes.length) };
  // Where a walk arrives without a command, nothing is interrupted, and every end is final.
  const uninterrupted = reachableFrom(walk, entries);
  const goesBack = (vertex: number) => isResuming(nodes[vertex]!) && uninterrupted[vertex] === 0;
  return {
    ending: reachableFrom(
      reversed(talk),
      ends.filter((vertex) => !goesBack(vertex)),
    ),
    returning: reachableFrom(reversed(walk), ends.filter(goesBack)),
  };
}

/**
 * Reported where the path to an end is lost: at an entry, or after the last node from which an end
 * is reachable.
 */
export const noPathToTerminal: Rule = (index) => {
  const { flow, nodes, walk, entries, reachable, interruption } = index;
  const { ending, returning } = findProspects(index);
  const isHopeful = (vertex: number) => ending[vertex] === 1 || returning[vertex] === 1;
  const isLost = new Set(entries.filter((vertex) => !isHopeful(vertex)));
  for (let from = 0; from < walk.size; from++) {
    if (!isHopeful(from) || reachable[from] === 0) continue;
    for (const to of walk.targets.subarray(walk.offsets[from], walk.offsets[from + 1]))
      if (!isHopeful(to)) isLost.add(to);
  }
  if (interruption?.questions.some((vertex) => reachable[vertex] === 1 && isHopeful(vertex)) === true)
    for (const vertex of interruption.targets) if (!isHopeful(vertex)) isLost.add(vertex);
  return [...isLost]
    .sort((a, b) => a - b)
    .map((vertex) => nodes[vertex]!)
    .filter((node) => flow.outgoing.has(node.id))
    .map((node) => atNode(node, `No path leads from ${quoted(node.id)} to an end or handoff`));
};

/**
 * A cycle that waits for the caller, but that no edge leaves. One that does not even wait is a
 * silent cycle.
 */
export const trapCycle: Rule = (index) => {
  const { nodes, talk, reachable } = index;
  const reached = filtered(talk, (from) => from >= nodes.length || reachable[from] === 1);
  const isNode = (vertex: number) => vertex < nodes.length;
  const leadsOut = commandsLeadingOut(index);
  return cycles(reached)
    .map((members) => ({ way: members, inside: members.filter(isNode) }))
    .filter(
      ({ inside }) =>
        inside.some((vertex) => isWait(nodes[vertex]!)) &&
        // A handed-off conversation may be over, although it may come back.
        !inside.some((vertex) => isWait(nodes[vertex]!) && isTerminal(nodes[vertex]!)) &&
        isClosed(index, inside, leadsOut),
    )
    .map(({ way, inside }) => {
      const witness = toWitness(index, wayRound(talk, way).filter(isNode));
      const message = `Nothing leads out of the cycle of ${inside.length} nodes at ${quoted(witness[0]!)}`;
      return { ...atNode(nodes[inside[0]!]!, message), witness };
    });
};

/** Ids of the targets of commands that lead elsewhere than back to the question. */
function commandsLeadingOut(index: FlowIndex): readonly string[] {
  const { flow, nodes, walk, vertexById, interruption } = index;
  if (interruption === null) return [];
  const { ending, returning } = findProspects(index);
  const elsewhere = [...nodes.keys()].filter((vertex) => ending[vertex] === 1 || returning[vertex] === 0);
  const leads = reachableFrom(reversed(walk), elsewhere);
  const ids = priorities.flatMap((priority) => listCommandEdges(flow, priority).map(({ target }) => target));
  return [...new Set(ids)].filter((id) => leads[vertexById.get(id) ?? -1] !== 0);
}

/** No edge leads out of the vertices; an edge to a node that does not exist is meant to. */
function isClosed(
  { flow, nodes }: FlowIndex,
  members: readonly number[],
  commandsLeadingOut: readonly string[],
): boolean {
  const inside = new Set(members.map((vertex) => nodes[vertex]!.id));
  return (
    commandsLeadingOut.every((id) => inside.has(id)) &&
    members.every((vertex) =>
      (flow.outgoing.get(nodes[vertex]!.id) ?? []).every(({ target }) => inside.has(target)),
    )
  );
}
