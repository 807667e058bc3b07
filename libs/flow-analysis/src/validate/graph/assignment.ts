// Definite assignment: finds reads whose variable may be unset although some node sets it, with a
// path. Dominance settles nearly every read in linear time (every path passes a setter); a backward
// search with a budget settles the rest.
import { makeAssignmentGraph, type AssignmentGraph } from './assignment-graph.ts';
import type { AssignmentEvent } from './assignment-event.ts';
import { dominatorTree } from './dominators.ts';
import { Arcs, makeGraph, reversed, type Graph } from './flow-graph.ts';
import type { FlowIndex } from '../flow-index.ts';
import type { VariableRead } from '../variable-uses.ts';

export interface UnsetRead {
  readonly variable: string;
  readonly read: VariableRead;
  /** Vertices of the index, from an entry to the node that reads. */
  readonly path: readonly number[];
  /** A tool on the path will set the variable, but its result comes only after the turn. */
  readonly promised: boolean;
}

/**
 * Backward steps of all searches together, per vertex and arc of the graph: keeps the analysis
 * linear.
 */
const searchStepsPerArcMax = 100;

/**
 * The first read of every variable that some path reaches unset, in document order; at most `max`.
 */
export function findUnsetReads(index: FlowIndex, max: number): UnsetRead[] {
  if (index.entries.length === 0) return [];
  const graph = makeAssignmentGraph(index);
  const unsettled = findUndominatedReads(graph);
  const place = new Map(index.variables.reads.map((read, at) => [read, at] as const));
  unsettled.sort((a, b) => place.get(a.read)! - place.get(b.read)!);

  const search = new UnsetPathSearch(graph);
  const found = new Map<number, UnsetRead>();
  for (const open of unsettled) {
    if (found.size === max) break;
    if (found.has(open.unit)) continue;
    const path = search.find(open);
    if (path === null) continue;
    found.set(open.unit, {
      variable: graph.units[open.unit]!,
      read: open.read,
      path: path.filter((vertex) => vertex < index.nodes.length),
      promised: path.some((vertex) => promises(graph.events[vertex]!, open.unit)),
    });
  }
  return [...found.values()];
}

function promises(events: readonly AssignmentEvent[], unit: number): boolean {
  return events.some((event) => event.kind === 'promised' && event.unit === unit);
}

interface OpenRead {
  readonly vertex: number;
  /** Place among the events of the vertex. */
  readonly at: number;
  readonly unit: number;
  readonly read: VariableRead;
}

/**
 * The reads that no setter dominates. Walks the dominator tree down and up again, counting set
 * variables on the way.
 */
function findUndominatedReads({ graph, root, events, units }: AssignmentGraph): OpenRead[] {
  const { parent, order } = dominatorTree(graph, root);
  // A variable that some node clears may be unset after a setter.
  const cleared = new Uint8Array(units.length);
  for (const event of events.flat()) if (event.kind === 'cleared') cleared[event.unit] = 1;
  const children = groupChildren(parent, order, graph.size);
  const open: OpenRead[] = [];
  const setters = new Int32Array(units.length);
  /**
   * Depth of the first promise (a called tool that will set the variable) on the way down; -1 =
   * none.
   */
  const promisedAt = new Int32Array(units.length).fill(-1);
  const way: number[] = [];
  /** By depth: the depth of the last wait. */
  const waits: number[] = [];

  const enter = (vertex: number) => {
    const depth = way.push(vertex) - 1;
    waits[depth] = depth === 0 ? -1 : waits[depth - 1]!;
    events[vertex]!.forEach((event, at) => {
      if (event.kind === 'wait') waits[depth] = depth;
      else if (event.kind === 'set') setters[event.unit]! += 1;
      else if (event.kind === 'promised') promisedAt[event.unit] = findFirst(promisedAt[event.unit]!, depth);
      else if (event.kind === 'read') {
        const { unit, read } = event;
        const isSet = setters[unit]! > 0 || isFulfilled(promisedAt[unit]!, waits[depth]!);
        if (!isSet || cleared[unit] === 1) open.push({ vertex, at, unit, read });
      }
    });
  };
  const leave = () => {
    const depth = way.length - 1;
    for (const event of events[way.pop()!]!) {
      if (event.kind === 'set') setters[event.unit]! -= 1;
      else if (event.kind === 'promised' && promisedAt[event.unit] === depth) promisedAt[event.unit] = -1;
    }
  };

  const cursor = children.offsets.slice();
  enter(root);
  while (way.length > 0) {
    const vertex = way.at(-1)!;
    if (cursor[vertex]! < children.offsets[vertex + 1]!) enter(children.targets[cursor[vertex]!++]!);
    else leave();
  }
  return open;
}

const findFirst = (before: number, now: number): number => (before === -1 ? now : before);
/** A wait after a promise fulfils it. */
const isFulfilled = (promisedAt: number, waitedAt: number): boolean =>
  promisedAt !== -1 && waitedAt > promisedAt;

function groupChildren(parent: Int32Array, order: Int32Array, size: number): Graph {
  const arcs = new Arcs();
  for (const vertex of order) if (parent[vertex] !== -1) arcs.add(parent[vertex]!, vertex, -1);
  return makeGraph(size, arcs);
}

/** Searches backwards from a read for a path on which nothing sets the variable. */
class UnsetPathSearch {
  readonly #graph: AssignmentGraph;
  readonly #back: Graph;
  /**
   * By state: the next state of the path, and the search that found it. Reused between searches,
   * since most are small.
   */
  readonly #next: Int32Array;
  readonly #foundBy: Int32Array;
  #searches = 0;
  #stepsLeft: number;

  constructor(graph: AssignmentGraph) {
    const { size, targets } = graph.graph;
    this.#graph = graph;
    this.#back = reversed(graph.graph);
    this.#next = new Int32Array(2 * size);
    this.#foundBy = new Int32Array(2 * size);
    this.#stepsLeft = searchStepsPerArcMax * (size + targets.length);
  }

  /**
   * A shortest such path from the root to the vertex of the read; null when there is none, or the
   * budget is spent. A state is a vertex and whether a wait follows it on the path: a wait fulfils
   * the promises before it.
   */
  find({ vertex, at, unit }: OpenRead): number[] | null {
    const { root, events } = this.#graph;
    const { offsets, targets } = this.#back;
    const search = ++this.#searches;
    const before = events[vertex]!.slice(0, at);
    const waitedHere = passUnset(before, unit, 0);
    if (waitedHere === null) return null;
    if (waitedHere === 'cleared') return [vertex];
    const queue = [vertex * 2 + waitedHere];
    this.#next[queue[0]!] = -1;
    this.#foundBy[queue[0]!] = search;
    for (let head = 0; head < queue.length; head++) {
      const state = queue[head]!;
      const here = state >> 1;
      for (let arc = offsets[here]!; arc < offsets[here + 1]!; arc++) {
        if (--this.#stepsLeft < 0) return null;
        const before = targets[arc]!;
        const waited = passUnset(events[before]!, unit, state % 2);
        if (waited === null) continue;
        if (waited === 'cleared') return [before, ...this.#follow(state)];
        const stateBefore = before * 2 + waited;
        if (this.#foundBy[stateBefore] === search) continue;
        this.#foundBy[stateBefore] = search;
        this.#next[stateBefore] = state;
        if (before === root) return this.#follow(state);
        queue.push(stateBefore);
      }
    }
    return null;
  }

  #follow(first: number): number[] {
    const path: number[] = [];
    for (let state = first; state !== -1; state = this.#next[state]!) path.push(state >> 1);
    return path;
  }
}

/**
 * Goes back over the events of a vertex: null when one of them sets the variable, else whether it
 * met a wait, or a clear.
 */
function passUnset(
  events: readonly AssignmentEvent[],
  unit: number,
  waitedAfter: number,
): number | 'cleared' | null {
  let waited = waitedAfter;
  for (let at = events.length - 1; at >= 0; at--) {
    const event = events[at]!;
    if (event.kind === 'wait') waited = 1;
    else if (event.kind === 'read' || event.unit !== unit) continue;
    else if (event.kind === 'cleared') return 'cleared';
    else if (event.kind === 'set' || waited === 1) return null;
  }
  return waited;
}
