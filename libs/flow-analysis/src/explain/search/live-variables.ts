// Finds which variables can still make a difference from a node on: conditions read them before
// anything writes them. Two conversations at one node that differ in nothing else have the same
// future.
import { isCommand, isResuming } from '@parley/flow-engine/define/commands';
import { Arcs, makeGraph, type Graph } from '../../validate/graph/flow-graph.ts';
import type { FlowIndex } from '../../validate/flow-index.ts';
import { canGiveUp } from '../../validate/node-kinds.ts';

/** By node id: the roots, in a fixed order. */
export type LiveVariables = (nodeId: string) => readonly string[];

const bits = 32;

export function liveVariables(index: FlowIndex, roots: readonly string[]): LiveVariables {
  const { vertexById, variables } = index;
  const words = Math.ceil(roots.length / bits);
  const number = new Map(roots.map((root, at) => [root, at] as const));
  const talk = withWayBack(index);
  const reads = new Int32Array(talk.size * words);
  const writes = new Int32Array(talk.size * words);
  const add = (sets: Int32Array, vertex: number | undefined, root: string) => {
    const at = number.get(root);
    if (vertex !== undefined && at !== undefined) sets[vertex * words + (at >> 5)]! |= 1 << (at & 31);
  };
  for (const { root, node, moment, by, at } of variables.reads)
    if (
      moment === 'leaving' &&
      node !== null &&
      (by === 'comparison' || at.includes('/set/') || at.startsWith('/edges/'))
    )
      add(reads, isCommand(node) ? commandsVertex(index) : vertexById.get(node.id), root);
  for (const { path, root, node, by } of variables.writes)
    if (by === 'collect' && path === root && !canGiveUp(node) && !node.skips)
      add(writes, vertexById.get(node.id), root);
  // Whether the question is skipped depends on its variable.
  for (const node of index.nodes)
    if (node.skips) add(reads, vertexById.get(node.id), index.readPath(node.raw.variable!)?.root ?? '');
  const live = spread(talk, reads, writes, words, commandsVertex(index));
  const listed = new Map<string, readonly string[]>();
  return (nodeId) => {
    const known = listed.get(nodeId) ?? listAt(live, vertexById.get(nodeId), roots, words);
    listed.set(nodeId, known);
    return known;
  };
}

/**
 * The last vertex: every question leads to it, and it leads to every command; undefined = no
 * commands.
 */
const commandsVertex = ({ nodes, interruption }: FlowIndex): number | undefined =>
  interruption === null ? undefined : nodes.length;

/** Adds the way back to any question that may have been interrupted, by one more vertex. */
function withWayBack({ nodes, talk, interruption }: FlowIndex): Graph {
  const ends = [...nodes.keys()].filter((vertex) => isResuming(nodes[vertex]!));
  if (interruption === null || ends.length === 0) return talk;
  const arcs = new Arcs();
  for (let from = 0; from < talk.size; from++)
    for (let at = talk.offsets[from]!; at < talk.offsets[from + 1]!; at++)
      arcs.add(from, talk.targets[at]!, talk.labels[at]!);
  for (const end of ends) arcs.add(end, talk.size, -1);
  for (const question of interruption.questions) arcs.add(talk.size, question, -1);
  return makeGraph(talk.size + 1, arcs);
}

/** Backwards over the walk, to a fixed point: read at a node, or later and not written at it. */
function spread(
  { size, offsets, targets }: Graph,
  reads: Int32Array,
  writes: Int32Array,
  words: number,
  commands: number | undefined,
): Int32Array {
  const sources: number[][] = Array.from({ length: size }, () => []);
  for (let from = 0; from < size; from++)
    for (let at = offsets[from]!; at < offsets[from + 1]!; at++) sources[targets[at]!]!.push(from);
  // The node's own edges read what a collect node writes: it is live after the answer, not before
  // it.
  const live = reads.map((word, at) => word & ~writes[at]!);
  const waiting = Array.from({ length: size }, (_, vertex) => vertex);
  const isWaiting = new Uint8Array(size).fill(1);
  for (let vertex = waiting.pop(); vertex !== undefined; vertex = waiting.pop()) {
    isWaiting[vertex] = 0;
    for (const source of sources[vertex]!) {
      let changed = false;
      for (let word = 0; word < words; word++) {
        const at = source * words + word;
        // A command is called before anything is written.
        const kept = vertex === commands ? -1 : ~writes[at]!;
        const now = live[at]! | (live[vertex * words + word]! & kept);
        if (now === live[at]) continue;
        live[at] = now;
        changed = true;
      }
      if (changed && isWaiting[source] === 0) {
        isWaiting[source] = 1;
        waiting.push(source);
      }
    }
  }
  return live;
}

function listAt(
  live: Int32Array,
  vertex: number | undefined,
  roots: readonly string[],
  words: number,
): readonly string[] {
  if (vertex === undefined) return roots;
  return roots.filter((_, at) => (live[vertex * words + (at >> 5)]! & (1 << (at & 31))) !== 0);
}
