// Rules about how long one turn can be. A turn visits nodes until it comes to a collect node or a terminal, so it can only be long
// where nodes follow each other silently. Bound and cycles are computed over all edges, as if every condition could hold: the bound
// is one that no walk exceeds. Called through rules.ts; the bound also stands in the statistics of a validation.
import { components, cycles, filtered, wayRound, type Graph } from './flow-graph.ts';
import { atNode, quoted, type Finding, type Rule } from './finding.ts';
import { witnessOf, type FlowIndex } from './flow-index.ts';
import { isSilent } from './node-kinds.ts';

export const silentCycle: Rule = (index) => {
  const live = filtered(index.silent, (from, _to, label) => !index.routing[from]!.dead.has(label));
  const forced = cycles(live).filter((members) => !canBeLeft(index, members));
  const isForced = new Set(forced.flat());
  const findings: Finding[] = forced.map((members) => {
    const entered = members.some((vertex) => index.reachable[vertex] === 1);
    const finding = cycleFinding(index, live, members, 'and nothing leads out of it');
    return entered ? finding : { ...finding, severity: 'warning' };
  });
  for (const members of cycles(index.silent))
    if (!members.some((vertex) => isForced.has(vertex)))
      findings.push({
        ...cycleFinding(index, index.silent, members, 'and only a condition leads out of it'),
        severity: 'warning',
      });
  return findings;
};

function cycleFinding(index: FlowIndex, graph: Graph, members: readonly number[], how: string): Finding {
  const witness = witnessOf(index, wayRound(graph, members));
  const node = index.nodes[members[0]!]!;
  return { ...atNode(node, `The cycle at ${quoted(node.id)} never waits for the caller, ${how}`), witness };
}

/** Some edge that can be taken leads out of the vertices, or some node can be left without a way on, which ends the turn. */
function canBeLeft({ flow, nodes, vertexOf, routing }: FlowIndex, members: readonly number[]): boolean {
  const inside = new Set(members);
  return members.some((vertex) => {
    const { dead, exhaustive } = routing[vertex]!;
    const edges = flow.outgoing.get(nodes[vertex]!.id) ?? [];
    if (!exhaustive && !edges.some(({ kind }) => kind === 'default')) return true;
    return edges.some(({ index, target }) => !dead.has(index) && !inside.has(vertexOf.get(target) ?? -1));
  });
}

export interface StepBound {
  /** Nodes that the longest turn visits, first and last included; null when a silent cycle makes it endless. */
  readonly steps: number | null;
  /** Vertices of such a turn. */
  readonly path: readonly number[];
}

/**
 * The exact length of the longest turn: one that begins at the start node, resumes at a collect node, or visits a node that the caller
 * names. A resumed collect node counts and goes on by its edges; a collect node or terminal that the walk comes to counts and ends it.
 */
export function longestTurn({ nodes, walk, silent }: FlowIndex): StepBound {
  const { of, members } = components(silent);
  if (members.length < nodes.length || hasSelfLoop(silent)) return { steps: null, path: [] };
  /** Visits of a turn that comes to the vertex, and the next vertex of the longest. */
  const visits = new Int32Array(nodes.length).fill(1);
  const next = new Int32Array(nodes.length).fill(-1);
  const longestFrom = (vertex: number): number => {
    let longest = 1;
    for (let at = walk.offsets[vertex]!; at < walk.offsets[vertex + 1]!; at++) {
      const to = walk.targets[at]!;
      if (visits[to]! + 1 <= longest) continue;
      longest = visits[to]! + 1;
      next[vertex] = to;
    }
    return longest;
  };
  // Components are numbered backwards, so whatever a silent vertex leads to has been settled before it.
  const backwards = [...nodes.keys()].sort((a, b) => of[a]! - of[b]!);
  for (const vertex of backwards) if (isSilent(nodes[vertex]!)) visits[vertex] = longestFrom(vertex);

  let first = -1;
  let steps = 0;
  for (const vertex of nodes.keys()) {
    const resumed = nodes[vertex]!.type === 'collect' ? longestFrom(vertex) : visits[vertex]!;
    if (resumed <= steps) continue;
    steps = resumed;
    first = vertex;
  }
  const path: number[] = [];
  for (let vertex = first; vertex !== -1 && path.length < steps; vertex = next[vertex]!) path.push(vertex);
  return { steps, path };
}

function hasSelfLoop({ size, offsets, targets }: Graph): boolean {
  for (let v = 0; v < size; v++) for (const to of targets.subarray(offsets[v], offsets[v + 1])) if (to === v) return true;
  return false;
}

export const boundExceedsLimit: Rule = (index) => {
  const { steps, path } = index.longest;
  const { stepsMax } = index.options;
  if (steps === null || steps <= stepsMax) return [];
  const node = index.nodes[path[0]!]!;
  const message = `A turn that begins at ${quoted(node.id)} can visit ${steps} nodes; at most ${stepsMax} are allowed`;
  return [{ ...atNode(node, message), witness: witnessOf(index, path) }];
};
