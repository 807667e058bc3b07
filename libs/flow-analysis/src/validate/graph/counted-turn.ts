// Bounds turns that repeat a silent cycle as often as a counter allows. A counter that is set to a
// constant before the cycle, incremented in it and compared with constants on its edges has few
// values. Trying every way with these values gives the exact length.
import type { EdgeModel, NodeModel } from '@parley/flow-engine/define/model';
import { isResuming } from '@parley/flow-engine/define/commands';
import type { Interruption } from '../interruption.ts';
import {
  canBeFollowed,
  compileDecision,
  isScalarConstant,
  knownAfter,
  nothingKnown,
  type Decide,
  type Known,
} from '../known-values.ts';
import { isLeft, isWait, mayPass } from '../node-kinds.ts';
import { listAssignments, type VariableWrite } from '../variable-uses.ts';
import type { PathReader } from '../variable-paths.ts';

export interface CountedFlow {
  readonly nodes: readonly NodeModel[];
  readonly vertexById: ReadonlyMap<string, number>;
  readonly edgesOf: readonly (readonly EdgeModel[])[];
  readonly entries: readonly number[];
  readonly interruption: Interruption | null;
  readonly readPath: PathReader;
  readonly writesOf: ReadonlyMap<NodeModel, readonly VariableWrite[]>;
}

export interface CountedTurn {
  readonly steps: number;
  readonly path: readonly number[];
  /**
   * By component number of a vertex: those that a turn enters, and of them those that it may never
   * leave.
   */
  readonly entered: ReadonlySet<number>;
  readonly endless: ReadonlySet<number>;
}

/**
 * Edges tried with counter values, and visits of one turn beside one of each node; beyond either it
 * claims nothing.
 */
const arcsMax = 200_000;
const visitsMax = 2_000;
/** Counters to follow in one flow. */
const countersMax = 8;

/**
 * The longest turn, by trial. A turn begins at an entry, at a question, by a command, or at a node
 * without a matching edge; with any variables.
 * @returns null without counters, or when there is too much to try.
 */
export function findCountedTurn(
  flow: CountedFlow,
  cycles: readonly (readonly number[])[],
  componentOf: Int32Array,
): CountedTurn | null {
  const tracked = findCounters(flow, cycles);
  if (tracked.size === 0) return null;
  const exploration = new Exploration(flow, tracked, componentOf);
  return exploration.run() ? exploration : null;
}

/**
 * Paths that a node of a cycle increments or sets to a constant, and that an edge of the same cycle
 * compares.
 */
function findCounters(
  { nodes, edgesOf, readPath }: CountedFlow,
  cycles: readonly (readonly number[])[],
): ReadonlySet<string> {
  const counters = new Set<string>();
  for (const members of cycles) {
    const compared = new Set(
      members.flatMap((vertex) =>
        edgesOf[vertex]!.map(({ condition }) => readPath(condition?.variable ?? '')?.path),
      ),
    );
    for (const vertex of members)
      for (const { variable, op, operand } of listAssignments(nodes[vertex]!)) {
        const path = readPath(variable)?.path;
        const isCounted =
          op === 'add' ? typeof operand === 'number' : op === 'to' && isScalarConstant(operand);
        if (!isCounted || path === undefined || !compared.has(path) || !canBeFollowed(path)) continue;
        if (counters.size < countersMax) counters.add(path);
      }
  }
  return counters;
}

/** A visit of a silent node with the known values on arrival. */
interface State {
  readonly vertex: number;
  readonly known: Known;
  settled: 'no' | 'open' | 'yes';
  next: readonly State[];
  /** A node at which a visit from here ends the turn; -1 = none. */
  last: number;
  /** Visits from here on. */
  visits: number;
  longest: State | null;
}

class Exploration implements CountedTurn {
  steps = 0;
  path: number[] = [];
  readonly entered = new Set<number>();
  readonly endless = new Set<number>();
  readonly #flow: CountedFlow;
  readonly #paths: readonly string[];
  readonly #componentOf: Int32Array;
  readonly #states = new Map<string, State>();
  readonly #after: readonly ((before: Known) => Known)[];
  readonly #decisions = new Map<EdgeModel, Decide>();
  readonly #tracked: ReadonlySet<string>;
  /** Vertices at which a turn stops without a matching edge: the next one begins there. */
  readonly #stops = new Set<number>();
  #arcs = 0;

  constructor(flow: CountedFlow, tracked: ReadonlySet<string>, componentOf: Int32Array) {
    this.#flow = flow;
    this.#tracked = tracked;
    this.#paths = [...tracked];
    this.#componentOf = componentOf;
    this.#after = flow.nodes.map((node) =>
      knownAfter(node, flow.writesOf.get(node) ?? [], tracked, flow.readPath),
    );
  }

  /** @returns false when it gave up. */
  run(): boolean {
    const { nodes, entries, interruption } = this.#flow;
    for (const vertex of entries) this.#beginAt(vertex);
    nodes.forEach((node, vertex) => {
      if (isLeft(node) && isWait(node)) this.#resumeAt(vertex, []);
    });
    // A command is called at a question, regardless of the known values.
    const [question] = interruption?.questions ?? [];
    if (question !== undefined) {
      this.#resumeAt(question, interruption!.targets);
      for (const vertex of interruption!.answering) this.#resumeAt(vertex, [], [question]);
    }
    // The set grows during the iteration.
    for (const vertex of this.#stops) this.#beginAt(vertex);
    return this.#arcs <= arcsMax;
  }

  #beginAt(vertex: number): void {
    if (!mayPass(this.#flow.nodes[vertex]!))
      return this.#take(this.#visitsAt(vertex), () => this.#ending(vertex));
    const state = this.#stateOf(vertex, nothingKnown);
    this.#settle(state);
    this.#take(state.visits, () => this.#follow(state));
  }

  /**
   * A turn that resumes at a question: by its edges, or to the targets of commands; `before` it,
   * commands led there.
   */
  #resumeAt(vertex: number, called: readonly number[], before: readonly number[] = []): void {
    const resumed: State = { ...blank, vertex, known: nothingKnown };
    if (called.length > 0)
      this.#lead(
        resumed,
        called.map((target) => [target, nothingKnown] as const),
      );
    else this.#expand(resumed);
    resumed.settled = 'open';
    for (const state of resumed.next) this.#settle(state);
    this.#close(resumed);
    this.#take(before.length + resumed.visits, () => [...before, ...this.#follow(resumed)]);
  }

  #take(visits: number, path: () => number[]): void {
    if (visits > this.steps) [this.steps, this.path] = [visits, path()];
  }

  /** Depth first, with the call stack as an array. */
  #settle(root: State): void {
    const way: { readonly state: State; cursor: number }[] = [];
    const enter = (state: State) => {
      state.settled = 'open';
      if (way.length > visitsMax + this.#flow.nodes.length) this.#arcs = Infinity;
      this.#expand(state);
      way.push({ state, cursor: 0 });
    };
    if (root.settled === 'no') enter(root);
    for (let top = way.at(-1); top !== undefined; top = way.at(-1)) {
      const next = top.state.next[top.cursor++];
      if (next === undefined) this.#close(way.pop()!.state);
      else if (next.settled === 'open') this.endless.add(this.#componentOf[next.vertex]!);
      else if (next.settled === 'no') enter(next);
    }
  }

  #close(state: State): void {
    state.visits = 1 + (state.last === -1 ? 0 : this.#visitsAt(state.last));
    for (const next of state.next) {
      if (next.settled !== 'yes' || next.visits + 1 <= state.visits) continue;
      state.visits = next.visits + 1;
      state.longest = next;
    }
    // Last: a visit that leads to itself is no longer for it.
    state.settled = 'yes';
  }

  /**
   * The possible ways by the routing order: known values decide conditions, all others may hold or
   * not.
   */
  #expand(state: State): void {
    const { edgesOf, vertexById } = this.#flow;
    const known = this.#after[state.vertex]!(state.known);
    const arrivals: (readonly [number, Known])[] = [];
    const edges = edgesOf[state.vertex]!;
    let isDecided = false;
    for (const edge of edges) {
      if (edge.kind !== 'deterministic') continue;
      const holds = this.#decide(edge, known);
      if (holds !== false) arrivals.push([vertexById.get(edge.target)!, known]);
      if ((isDecided = holds === true)) break;
    }
    if (!isDecided) {
      const fallback = edges.find(({ kind }) => kind === 'default');
      const others = edges.filter((edge) => edge.kind === 'nl' || edge === fallback);
      for (const { target } of others) arrivals.push([vertexById.get(target)!, known]);
      // A turn that stops at a question resumes with an answer to it.
      if (fallback === undefined && !isWait(this.#flow.nodes[state.vertex]!)) this.#stops.add(state.vertex);
    }
    this.#lead(state, arrivals);
  }

  #lead(state: State, arrivals: readonly (readonly [number, Known])[]): void {
    const next: State[] = [];
    this.#arcs += 1 + arrivals.length;
    // Past the bound nothing is learned, so the search ends.
    if (this.#arcs > arcsMax) return;
    for (const [vertex, known] of arrivals)
      if (mayPass(this.#flow.nodes[vertex]!)) next.push(this.#stateOf(vertex, known));
      else if (state.last === -1 || this.#visitsAt(vertex) > this.#visitsAt(state.last)) state.last = vertex;
    state.next = next;
  }

  #decide(edge: EdgeModel, known: Known): boolean | null {
    let decide = this.#decisions.get(edge);
    if (decide === undefined) {
      decide = compileDecision(edge, this.#tracked, this.#flow.readPath);
      this.#decisions.set(edge, decide);
    }
    return decide(known);
  }

  #stateOf(vertex: number, known: Known): State {
    const values = this.#paths.map((path) => (known.has(path) ? [known.get(path) ?? null] : 0));
    const key = `${vertex} ${JSON.stringify(values)}`;
    let state = this.#states.get(key);
    if (state === undefined) {
      state = { ...blank, vertex, known };
      this.#states.set(key, state);
      this.entered.add(this.#componentOf[vertex]!);
    }
    return state;
  }

  /** Visits of a turn that arrives at a node where it ends, or goes back to a question. */
  #visitsAt(vertex: number): number {
    return this.#flow.interruption !== null && isResuming(this.#flow.nodes[vertex]!) ? 2 : 1;
  }

  #ending(vertex: number): number[] {
    return this.#visitsAt(vertex) === 1 ? [vertex] : [vertex, this.#flow.interruption!.questions[0]!];
  }

  #follow(first: State): number[] {
    const path: number[] = [];
    let last = first;
    for (let state: State | null = first; state !== null; state = state.longest) {
      path.push(state.vertex);
      last = state;
    }
    return last.last === -1 ? path : [...path, ...this.#ending(last.last)];
  }
}

const blank = { settled: 'no', next: [], last: -1, visits: 1, longest: null } as const;
