// Which vertices every path to a vertex must pass. Lengauer and Tarjan's algorithm ("A fast
// algorithm for finding dominators in a flowgraph", 1979) with path compression, without recursion:
// O(arcs · log vertices) on any graph.
import { reversed, type Graph } from './flow-graph.ts';

export interface DominatorTree {
  /** The immediate dominator; -1 for the root and for unreachable vertices. */
  readonly parent: Int32Array;
  /** Reachable vertices, each after its dominator. */
  readonly order: Int32Array;
}

export function dominatorTree(graph: Graph, root: number): DominatorTree {
  const search = depthFirst(graph, root);
  const { order, number, parent } = search;
  const back = reversed(graph);
  const semi = number.slice();
  const dominator = new Int32Array(graph.size).fill(-1);
  const forest = new Forest(graph.size, semi);
  // Vertices that wait for the link of their semidominator, as one linked list per semidominator.
  const firstWaiting = new Int32Array(graph.size).fill(-1);
  const nextWaiting = new Int32Array(graph.size).fill(-1);

  for (let i = order.length - 1; i > 0; i--) {
    const v = order[i]!;
    const up = parent[v]!;
    for (let at = back.offsets[v]!; at < back.offsets[v + 1]!; at++) {
      const before = back.targets[at]!;
      if (number[before] !== -1) semi[v] = Math.min(semi[v]!, semi[forest.lowest(before)]!);
    }
    const semidominator = order[semi[v]!]!;
    nextWaiting[v] = firstWaiting[semidominator]!;
    firstWaiting[semidominator] = v;
    forest.link(up, v);
    for (let w = firstWaiting[up]!; w !== -1; w = nextWaiting[w]!) {
      const lowest = forest.lowest(w);
      dominator[w] = semi[lowest]! < semi[w]! ? lowest : up;
    }
    firstWaiting[up] = -1;
  }
  for (let i = 1; i < order.length; i++) {
    const v = order[i]!;
    if (dominator[v] !== order[semi[v]!]) dominator[v] = dominator[dominator[v]!]!;
  }
  return { parent: dominator, order };
}

interface DepthFirst {
  /** Vertices in the order of their first visit. */
  readonly order: Int32Array;
  /** Place in `order`; -1 = not visited. */
  readonly number: Int32Array;
  readonly parent: Int32Array;
}

function depthFirst({ size, offsets, targets }: Graph, root: number): DepthFirst {
  const number = new Int32Array(size).fill(-1);
  const parent = new Int32Array(size).fill(-1);
  const cursor = offsets.slice(0, size);
  const order: number[] = [root];
  number[root] = 0;
  for (let v = root; v !== -1;) {
    if (cursor[v] === offsets[v + 1]) {
      v = parent[v]!;
      continue;
    }
    const to = targets[cursor[v]!++]!;
    if (number[to] !== -1) continue;
    number[to] = order.push(to) - 1;
    parent[to] = v;
    v = to;
  }
  return { order: Int32Array.from(order), number, parent };
}

/** The processed part of the search tree, with compressed paths. */
class Forest {
  readonly #ancestor: Int32Array;
  readonly #label: Int32Array;
  readonly #semi: Int32Array;
  /** Empty between calls. */
  readonly #way: number[] = [];

  constructor(size: number, semi: Int32Array) {
    this.#ancestor = new Int32Array(size).fill(-1);
    this.#label = Int32Array.from({ length: size }, (_, v) => v);
    this.#semi = semi;
  }

  link(parent: number, child: number): void {
    this.#ancestor[child] = parent;
  }

  /**
   * The vertex with the lowest semidominator on the way up from v, without the root of its tree.
   */
  lowest(v: number): number {
    if (this.#ancestor[v] === -1) return v;
    this.#compress(v);
    return this.#label[v]!;
  }

  #compress(v: number): void {
    const way = this.#way;
    for (let u = v; this.#ancestor[this.#ancestor[u]!] !== -1; u = this.#ancestor[u]!) way.push(u);
    for (let u = way.pop(); u !== undefined; u = way.pop()) {
      const above = this.#ancestor[u]!;
      if (this.#semi[this.#label[above]!]! < this.#semi[this.#label[u]!]!)
        this.#label[u] = this.#label[above]!;
      this.#ancestor[u] = this.#ancestor[above]!;
    }
  }
}
