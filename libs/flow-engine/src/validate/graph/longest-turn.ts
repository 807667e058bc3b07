// The exact length of the longest turn of a flow. A turn visits nodes until it comes to one that waits or a terminal, so it is long
// only where nodes follow each other silently. Every edge counts, as if its condition could hold: no walk ever exceeds the bound.
// It stands in the statistics of a validation, and the walk enforces it (TurnInput.stepsProvedMax).
import type { NodeModel } from '../../define/model.ts';
import { components, cycles, type Graph } from './flow-graph.ts';
import { isSilent, isWait } from '../node-kinds.ts';

export interface StepBound {
  /** Nodes that the longest turn visits, first and last included; null when a silent cycle makes it endless. */
  readonly steps: number | null;
  /** Vertices of such a turn. */
  readonly path: readonly number[];
}

/**
 * The exact length of the longest turn: one that begins at the start node, resumes at a node that waits, or visits a node that the caller
 * names. A resumed node counts and goes on by its edges; a node that waits or a terminal that the walk comes to counts and ends it.
 */
export function longestTurn(nodes: readonly NodeModel[], walk: Graph, silent: Graph): StepBound {
  if (cycles(silent).length > 0) return { steps: null, path: [] };
  const { of } = components(silent);
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
    const resumed = isWait(nodes[vertex]!) ? longestFrom(vertex) : visits[vertex]!;
    if (resumed <= steps) continue;
    steps = resumed;
    first = vertex;
  }
  const path: number[] = [];
  for (let vertex = first; vertex !== -1 && path.length < steps; vertex = next[vertex]!) path.push(vertex);
  return { steps, path };
}
