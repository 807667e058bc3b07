// What commands add to a flow (docs/flow-language.md#commands): from every question a turn may lead to what they lead to, and an end
// may lead back to the question. Proofs about one turn read it as it is; those over any number of turns take the graph below.
import { answeringEdges, commandEdges, priorities } from '../define/commands.ts';
import type { EdgeModel, FlowModel, NodeModel } from '../define/model.ts';
import { Arcs, makeGraph, type Graph } from './graph/flow-graph.ts';
import { isWalked } from './node-kinds.ts';

export interface Interruption {
  /** Edges of commands that can be taken, in the order in which they are tried. */
  readonly edges: readonly EdgeModel[];
  /** Vertices that they lead to. */
  readonly targets: readonly number[];
  /** Those of them that the words of a command answer: the turn then goes on by their edges. */
  readonly answering: readonly number[];
  /** Vertices of the questions: each can be interrupted, and gone back to. */
  readonly questions: readonly number[];
}

/** null where nothing can be interrupted, and then no end goes back. */
export function readInterruption(
  flow: FlowModel,
  nodes: readonly NodeModel[],
  vertexOf: ReadonlyMap<string, number>,
): Interruption | null {
  const edges = priorities
    .toReversed()
    .flatMap((priority) => commandEdges(flow, priority))
    .filter(({ target }) => {
      const node = flow.nodesById.get(target);
      return node !== undefined && isWalked(node);
    });
  const questions = [...nodes.keys()].filter((vertex) => nodes[vertex]!.type === 'collect');
  if (edges.length === 0 || questions.length === 0) return null;
  const targets = [...new Set(edges.map(({ target }) => vertexOf.get(target)!))];
  const answering = [...new Set(answeringEdges(flow).map(({ target }) => vertexOf.get(target)!))];
  return { edges, targets, answering, questions };
}

/**
 * The walk over any number of turns, with one vertex more that every question leads to and that leads to every command: as many arcs as
 * there are questions and commands, and not their product. The way back is left out: it adds nothing to where a question leads.
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
