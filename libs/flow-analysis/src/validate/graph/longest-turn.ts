// Computes the exact length of the longest turn of a flow. A turn visits nodes until one waits or
// is a terminal, so it is long only where nodes follow each other silently. Every edge counts, as
// if its condition could hold: no walk ever exceeds the bound. Validation reports it, and the walk
// enforces it (TurnInput.stepsProvedMax).
import { isResuming } from '@parley/flow-engine/define/commands';
import type { NodeModel } from '@parley/flow-engine/define/model';
import { findCountedTurn, type CountedFlow } from './counted-turn.ts';
import { components, cycles, type Graph } from './flow-graph.ts';
import { mayPass, isWait } from '../node-kinds.ts';

export interface StepBound {
  /**
   * Nodes that the longest turn visits, first and last included; null when a silent cycle makes it
   * endless.
   */
  readonly steps: number | null;
  /** Vertices of such a turn. */
  readonly path: readonly number[];
  /** Vertices of silent cycles that no counter bounds. */
  readonly endless: ReadonlySet<number>;
}

/**
 * The exact length of the longest turn. A turn begins at an entry, or resumes at a waiting node, or
 * at a reachable node that the caller names. A resumed node counts and continues by its edges, a
 * collect node also by a command. A waiting node or a terminal counts and ends the turn, and so
 * does the question that an end goes back to.
 */
export function findLongestTurn(
  nodes: readonly NodeModel[],
  walk: Graph,
  silent: Graph,
  flow: CountedFlow,
  reachable: Uint8Array,
): StepBound {
  const targets = flow.interruption?.targets ?? [];
  /** One that can be interrupted, and gone back to. */
  const question = flow.interruption?.questions.find((vertex) => reachable[vertex] === 1);
  const [rounds, unreached] = partition(cycles(silent), ([first]) => reachable[first!] === 1);
  const { of } = components(silent);
  if (rounds.length > 0) return longestCounted(flow, rounds, unreached.flat(), of);
  /** Visits of a turn that arrives at the vertex, and the next vertex of the longest. */
  const visits = new Int32Array(nodes.length).fill(1);
  const next = new Int32Array(nodes.length).fill(-1);
  if (question !== undefined)
    for (const [vertex, node] of nodes.entries())
      if (isResuming(node)) [visits[vertex], next[vertex]] = [2, question];
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
  // Components are numbered backwards, so every target of a silent vertex is already settled.
  const backwards = [...nodes.keys()].sort((a, b) => of[a]! - of[b]!);
  for (const vertex of backwards) if (mayPass(nodes[vertex]!)) visits[vertex] = longestFrom(vertex);

  let first = -1;
  let steps = 0;
  for (const vertex of nodes.keys()) {
    if (reachable[vertex] === 0) continue;
    const resumed = isWait(nodes[vertex]!) ? longestFrom(vertex) : visits[vertex]!;
    if (resumed <= steps) continue;
    steps = resumed;
    first = vertex;
  }
  const path: number[] = [];
  const follow = (from: number) => {
    for (let vertex = from; vertex !== -1 && path.length < steps; vertex = next[vertex]!) path.push(vertex);
  };
  // A turn that begins with a command leaves one question as it leaves any other, and goes back to
  // that one.
  let called = -1;
  for (const target of question === undefined ? [] : targets)
    if (visits[target]! >= steps) [steps, called] = [visits[target]! + 1, target];
  // The words answer the question that they lead to: that turn leaves two questions.
  for (const target of question === undefined ? [] : flow.interruption!.answering) {
    const answered = longestFrom(target);
    if (answered >= steps) [steps, called] = [answered + 1, target];
  }
  if (called === -1) follow(first);
  else {
    path.push(question!);
    follow(called);
  }
  return { steps, path, endless: new Set(unreached.flat()) };
}

/** For a flow with silent cycles: exact if counters bound them all. */
function longestCounted(
  flow: CountedFlow,
  rounds: readonly (readonly number[])[],
  unreached: readonly number[],
  componentOf: Int32Array,
): StepBound {
  const counted = findCountedTurn(flow, rounds, componentOf);
  const isEndless = (component: number) =>
    counted === null || !counted.entered.has(component) || counted.endless.has(component);
  const endless = new Set(rounds.flat().filter((vertex) => isEndless(componentOf[vertex]!)));
  const isBounded = counted !== null && endless.size === 0;
  for (const vertex of unreached) endless.add(vertex);
  return { steps: isBounded ? counted.steps : null, path: isBounded ? counted.path : [], endless };
}

function partition<T>(all: readonly T[], test: (one: T) => boolean): [T[], T[]] {
  return [all.filter(test), all.filter((one) => !test(one))];
}
