// A layered layout in linear time without recursion, for flows that are too large for dagre.
import type { Places } from '../document/doc.ts';
import { GAP_X, GAP_Y, NODE_HEIGHT, NODE_WIDTH } from '../document/sizes.ts';

export interface Ends {
  readonly source: string;
  readonly target: string;
}

/** By node id; absent = the least height. */
export type Heights = Readonly<Record<string, number>>;
export const heightIn = (heights: Heights, id: string): number => heights[id] ?? NODE_HEIGHT;

/** Number of sorting passes; more change little. */
const SWEEPS = 6;

export function layoutInLayers(
  ids: readonly string[],
  edges: readonly Ends[],
  heights: Heights = {},
): Places {
  const indexOf = new Map(ids.map((id, at) => [id, at] as const));
  const out: number[][] = ids.map(() => []);
  for (const { source, target } of edges) {
    const [from, to] = [indexOf.get(source), indexOf.get(target)];
    if (from !== undefined && to !== undefined && from !== to) out[from]!.push(to);
  }
  const { forward, order } = withoutWaysBack(out);
  const rank = new Int32Array(ids.length);
  for (const at of order) for (const to of forward[at]!) rank[to] = Math.max(rank[to]!, rank[at]! + 1);
  const layers: number[][] = [];
  for (const at of order) (layers[rank[at]!] ??= []).push(at);
  const seats = seated(layers, forward);
  const tops: number[] = [];
  layers.reduce((top, layer, at) => {
    tops[at] = top;
    return layer.reduce((most, one) => Math.max(most, heightIn(heights, ids[one]!)), 0) + top + GAP_Y;
  }, 0);
  return Object.fromEntries(
    ids.map((id, at) => [id, { x: Math.round(seats[at]! * (NODE_WIDTH + GAP_X)), y: tops[rank[at]!]! }]),
  );
}

/** Depth-first search with an explicit stack. Edges to open nodes lead back and are dropped. */
function withoutWaysBack(out: readonly (readonly number[])[]): { forward: number[][]; order: number[] } {
  const [fresh, open, done] = [0, 1, 2];
  const state = new Uint8Array(out.length).fill(fresh);
  const forward: number[][] = out.map(() => []);
  const finished: number[] = [];
  for (let root = 0; root < out.length; root += 1) {
    if (state[root] !== fresh) continue;
    const stack: [node: number, next: number][] = [[root, 0]];
    state[root] = open;
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const [at, next] = top;
      const to = out[at]![next];
      if (to === undefined) {
        state[at] = done;
        finished.push(at);
        stack.pop();
        continue;
      }
      top[1] = next + 1;
      if (state[to] !== open) forward[at]!.push(to);
      if (state[to] === fresh) {
        state[to] = open;
        stack.push([to, 0]);
      }
    }
  }
  return { forward, order: finished.toReversed() };
}

/** Places each node in its layer near the nodes that it is connected to. */
function seated(layers: readonly number[][], forward: readonly (readonly number[])[]): Float64Array {
  const back: number[][] = forward.map(() => []);
  forward.forEach((targets, at) => targets.forEach((to) => back[to]!.push(at)));
  const seats = new Float64Array(forward.length);
  const sit = (layer: readonly number[]) =>
    layer.forEach((at, place) => (seats[at] = place - (layer.length - 1) / 2));
  layers.forEach(sit);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const isDown = sweep % 2 === 0;
    for (const layer of isDown ? layers : layers.toReversed()) {
      const wish = new Map(
        layer.map((at) => [at, mean((isDown ? back : forward)[at]!, seats) ?? seats[at]!]),
      );
      layer.sort((a, b) => wish.get(a)! - wish.get(b)!);
      sit(layer);
    }
  }
  return seats;
}

function mean(nodes: readonly number[], seats: Float64Array): number | null {
  return nodes.length === 0 ? null : nodes.reduce((sum, node) => sum + seats[node]!, 0) / nodes.length;
}
