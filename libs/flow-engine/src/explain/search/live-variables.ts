// Which variables can still make a difference from a node on: those that a condition reads before they are written again. Two
// conversations that stand at one node and differ in nothing else have the same future.
import type { FlowIndex } from '../../validate/flow-index.ts';
import { canGiveUp } from '../../validate/node-kinds.ts';

/** By node id: the roots, in a fixed order. */
export type LiveVariables = (nodeId: string) => readonly string[];

const bits = 32;

export function liveVariables(
  { nodes, vertexOf, walk, variables }: FlowIndex,
  roots: readonly string[],
): LiveVariables {
  const words = Math.ceil(roots.length / bits);
  const number = new Map(roots.map((root, at) => [root, at] as const));
  const reads = new Int32Array(nodes.length * words);
  const writes = new Int32Array(nodes.length * words);
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
      add(reads, vertexOf.get(node.id), root);
  for (const { path, root, node, by } of variables.writes)
    if (by === 'collect' && path === root && !canGiveUp(node)) add(writes, vertexOf.get(node.id), root);
  const live = spread(walk, reads, writes, words);
  const listed = new Map<string, readonly string[]>();
  return (nodeId) => {
    const known = listed.get(nodeId) ?? listAt(live, vertexOf.get(nodeId), roots, words);
    listed.set(nodeId, known);
    return known;
  };
}

/** Backwards over the walk, until nothing changes: what is read at a node, or later and not written at it. */
function spread(
  { size, offsets, targets }: FlowIndex['walk'],
  reads: Int32Array,
  writes: Int32Array,
  words: number,
): Int32Array {
  const sources: number[][] = Array.from({ length: size }, () => []);
  for (let from = 0; from < size; from++)
    for (let at = offsets[from]!; at < offsets[from + 1]!; at++) sources[targets[at]!]!.push(from);
  // What a collect node writes is read by its own edges: it is live behind the answer, and not before it.
  const live = reads.map((word, at) => word & ~writes[at]!);
  const waiting = Array.from({ length: size }, (_, vertex) => vertex);
  const isWaiting = new Uint8Array(size).fill(1);
  for (let vertex = waiting.pop(); vertex !== undefined; vertex = waiting.pop()) {
    isWaiting[vertex] = 0;
    for (const source of sources[vertex]!) {
      let changed = false;
      for (let word = 0; word < words; word++) {
        const at = source * words + word;
        const now = live[at]! | (live[vertex * words + word]! & ~writes[at]!);
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
