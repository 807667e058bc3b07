// The exact length of the longest turn of a flow. A turn visits nodes until it comes to a collect node or a terminal, so it is long
// only where nodes follow each other silently. Every edge counts, as if its condition could hold: no walk ever exceeds the bound.
// It stands in the statistics of a validation, and the walk enforces it (TurnInput.stepsProvedMax).
import type { NodeModel } from '../../define/model.ts';
import { components, cycles, filtered, type Graph } from './flow-graph.ts';
import { isSilent } from '../node-kinds.ts';

export interface StepBound {
  /** Nodes that the longest turn visits, first and last included; null when a silent cycle makes it endless. */
  readonly steps: number | null;
  /** Vertices of such a turn. */
  readonly path: readonly number[];
}

/**
 * The exact length of the longest turn: one that begins at an entry, resumes at a collect node, or at a node that the caller names and
 * that a conversation can come to. A resumed collect node counts and goes on by its edges; a collect node or terminal that the walk comes to counts and ends it.
 */
export function longestTurn(
  nodes: readonly NodeModel[],
  walk: Graph,
  silent: Graph,
  reachable: Uint8Array,
): StepBound {
  if (cycles(filtered(silent, (from) => reachable[from] === 1)).length > 0) return { steps: null, path: [] };
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
    if (reachable[vertex] === 0) continue;
    const resumed = nodes[vertex]!.type === 'collect' ? longestFrom(vertex) : visits[vertex]!;
    if (resumed <= steps) continue;
    steps = resumed;
    first = vertex;
  }
  const path: number[] = [];
  for (let vertex = first; vertex !== -1 && path.length < steps; vertex = next[vertex]!) path.push(vertex);
  return { steps, path };
}
