// Directed graphs in compressed form, and linear algorithms over them. Nothing recurses: a chain of
// 10,000 nodes is as deep as it is long. Vertices are numbers from 0; their meaning belongs to the
// caller (flow-index.ts, assignment.ts).

/**
 * Collects arcs as plain numbers: tens of thousands of objects would keep the garbage collector
 * busy.
 */
export class Arcs {
  readonly from: number[] = [];
  readonly to: number[] = [];
  readonly labels: number[] = [];

  /** @param label the position of the edge of the arc, or -1. */
  add(from: number, to: number, label: number): void {
    this.from.push(from);
    this.to.push(to);
    this.labels.push(label);
  }
}

/**
 * The arcs of vertex v are those from offsets[v] up to offsets[v + 1], in the order in which they
 * were added.
 */
export interface Graph {
  readonly size: number;
  readonly offsets: Int32Array;
  readonly targets: Int32Array;
  readonly labels: Int32Array;
}

export function makeGraph(size: number, { from, to, labels }: Arcs): Graph {
  const offsets = new Int32Array(size + 1);
  for (const v of from) offsets[v + 1]! += 1;
  for (let v = 0; v < size; v++) offsets[v + 1]! += offsets[v]!;
  const next = offsets.slice();
  const graph = { size, offsets, targets: new Int32Array(to.length), labels: new Int32Array(to.length) };
  from.forEach((v, at) => {
    const place = next[v]!++;
    graph.targets[place] = to[at]!;
    graph.labels[place] = labels[at]!;
  });
  return graph;
}

export function reversed({ size, offsets, targets, labels }: Graph): Graph {
  const back = new Arcs();
  for (let from = 0; from < size; from++)
    for (let at = offsets[from]!; at < offsets[from + 1]!; at++) back.add(targets[at]!, from, labels[at]!);
  return makeGraph(size, back);
}

/** The same vertices with a part of the arcs. */
export function filtered(
  { size, offsets, targets, labels }: Graph,
  keeps: (from: number, to: number, label: number) => boolean,
): Graph {
  const kept = new Arcs();
  for (let from = 0; from < size; from++)
    for (let at = offsets[from]!; at < offsets[from + 1]!; at++)
      if (keeps(from, targets[at]!, labels[at]!)) kept.add(from, targets[at]!, labels[at]!);
  return makeGraph(size, kept);
}

/** 1 for every vertex that a path from one of the roots reaches, the roots included. */
export function reachableFrom(graph: Graph, roots: Iterable<number>): Uint8Array {
  const reached = new Uint8Array(graph.size);
  const stack: number[] = [];
  const arriveAt = (v: number) => {
    if (reached[v] === 1) return;
    reached[v] = 1;
    stack.push(v);
  };
  for (const root of roots) arriveAt(root);
  for (let v = stack.pop(); v !== undefined; v = stack.pop())
    for (let at = graph.offsets[v]!; at < graph.offsets[v + 1]!; at++) arriveAt(graph.targets[at]!);
  return reached;
}

/** Strongly connected components, numbered so that every arc leads to an equal or lower number. */
export interface Components {
  readonly of: Int32Array;
  readonly members: readonly (readonly number[])[];
}

/** Tarjan's algorithm with its call stack as an array. */
export function components({ size, offsets, targets }: Graph): Components {
  const of = new Int32Array(size).fill(-1);
  const order = new Int32Array(size).fill(-1);
  const low = new Int32Array(size);
  const cursor = offsets.slice(0, size);
  const members: number[][] = [];
  const open: number[] = [];
  const path: number[] = [];
  let visited = 0;
  const enter = (v: number) => {
    order[v] = low[v] = visited++;
    open.push(v);
    path.push(v);
  };
  for (let root = 0; root < size; root++) {
    if (order[root] !== -1) continue;
    enter(root);
    while (path.length > 0) {
      const v = path.at(-1)!;
      if (cursor[v]! < offsets[v + 1]!) {
        const w = targets[cursor[v]!++]!;
        if (order[w] === -1) enter(w);
        else if (of[w] === -1) low[v] = Math.min(low[v]!, order[w]!);
        continue;
      }
      path.pop();
      const parent = path.at(-1);
      if (parent !== undefined) low[parent] = Math.min(low[parent]!, low[v]!);
      if (low[v] !== order[v]) continue;
      const component = open.splice(open.lastIndexOf(v));
      for (const member of component) of[member] = members.length;
      members.push(component);
    }
  }
  return { of, members };
}

/**
 * The components with a cycle: more than one vertex, or one with an arc to itself. Vertices in
 * ascending order.
 */
export function cycles(graph: Graph): number[][] {
  return components(graph)
    .members.filter((members) => members.length > 1 || hasLoop(graph, members[0]!))
    .map((members) => [...members].sort((a, b) => a - b));
}

function hasLoop({ offsets, targets }: Graph, v: number): boolean {
  for (let at = offsets[v]!; at < offsets[v + 1]!; at++) if (targets[at] === v) return true;
  return false;
}

function backtrack(from: ReadonlyMap<number, number>, goal: number): number[] {
  const path: number[] = [];
  for (let v = goal; v !== -1; v = from.get(v) ?? -1) path.push(v);
  return path.reverse();
}

/** A shortest cycle through the first vertex of a component. */
export function wayRound(graph: Graph, members: readonly number[]): number[] {
  const inside = new Set(members);
  const first = members[0]!;
  const within = (v: number) =>
    [...graph.targets.subarray(graph.offsets[v], graph.offsets[v + 1])].filter((to) => inside.has(to));
  const from = new Map<number, number>();
  const queue = within(first);
  for (const v of queue) from.set(v, -1);
  for (let head = 0; head < queue.length; head++) {
    const v = queue[head]!;
    if (v === first) return [first, ...backtrack(from, first)];
    for (const to of within(v))
      if (!from.has(to)) {
        from.set(to, v);
        queue.push(to);
      }
  }
  return [first];
}
