// Adds commands to the graph of a flow (docs/flow-language.md#commands): from every question a turn
// may go to their targets, and an end may lead back to the question. Proofs about one turn read the
// interruption directly; those over any number of turns use the graph below.
import { listAnsweringEdges, listCommandEdges, priorities } from '@parley/flow-engine/define/commands';
import type { EdgeModel, FlowModel, NodeModel } from '@parley/flow-engine/define/model';
import { Arcs, makeGraph, type Graph } from './graph/flow-graph.ts';
import { isInterruptible, isWalked } from './node-kinds.ts';

export interface Interruption {
  /** Edges of commands that can be taken, in the order in which the walk tries them. */
  readonly edges: readonly EdgeModel[];
  /** Vertices that they lead to. */
  readonly targets: readonly number[];
  /**
   * Targets that the words of their command also answer: the turn then continues by their edges.
   */
  readonly answering: readonly number[];
  /** Vertices of the questions and waiting tools: each can be interrupted, and gone back to. */
  readonly questions: readonly number[];
}

/** Null when nothing can be interrupted; then no end goes back. */
export function readInterruption(
  flow: FlowModel,
  nodes: readonly NodeModel[],
  vertexById: ReadonlyMap<string, number>,
): Interruption | null {
  const edges = priorities
    .toReversed()
    .flatMap((priority) => listCommandEdges(flow, priority))
    .filter(({ target }) => {
      const node = flow.nodesById.get(target);
      return node !== undefined && isWalked(node);
    });
  const questions = [...nodes.keys()].filter((vertex) => isInterruptible(nodes[vertex]!));
  if (edges.length === 0 || questions.length === 0) return null;
  const targets = [...new Set(edges.map(({ target }) => vertexById.get(target)!))];
  const answering = [...new Set(listAnsweringEdges(flow).map(({ target }) => vertexById.get(target)!))];
  return { edges, targets, answering, questions };
}

/**
 * The walk over any number of turns, with one more vertex that every question leads to and that
 * leads to every command: as many arcs as questions and commands, not their product. Omits the way
 * back, which adds nothing to where a question leads.
 */
export function withCommands(walk: Graph, { targets, questions }: Interruption): Graph {
  const arcs = new Arcs();
  for (let from = 0; from < walk.size; from++)
    for (let at = walk.offsets[from]!; at < walk.offsets[from + 1]!; at++)
      arcs.add(from, walk.targets[at]!, walk.labels[at]!);
  for (const question of questions) arcs.add(question, walk.size, -1);
  for (const target of targets) arcs.add(walk.size, target, -1);
  return makeGraph(walk.size + 1, arcs);
}
