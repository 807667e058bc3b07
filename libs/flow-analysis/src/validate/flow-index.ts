// Facts that the rules of validation share, computed once per flow: which nodes may follow which,
// which are reachable, which edges are dead, and who reads and writes each variable.
import { listComparisons } from '@parley/flow-engine/define/conditions';
import { toJson } from '@parley/answers/readings';
import { isCommand } from '@parley/flow-engine/define/commands';
import type { EdgeModel, FlowModel, NodeModel } from '@parley/flow-engine/define/model';
import { Arcs, filtered, makeGraph, reachableFrom, type Graph } from './graph/flow-graph.ts';
import { groupBy } from './group-by.ts';
import { readInterruption, withCommands, type Interruption } from './interruption.ts';
import { findKnownAtEdges } from './graph/known-before.ts';
import { findLongestTurn, type StepBound } from './graph/longest-turn.ts';
import { isLeft, mayPass, isWalked } from './node-kinds.ts';
import { patternProblems, type PatternProblem } from './pattern-problems.ts';
import { analyseRouting, coverageSteps, type NodeRouting } from './routing-coverage.ts';
import { passingStatuses } from './value-domains.ts';
import { readVariables, type VariableUses, type VariableWrite } from './variable-uses.ts';
import { makePathMatcher, makePathReader, type PathReader } from './variable-paths.ts';

export interface ValidationOptions {
  /** Node visits of one turn, first and last included. */
  readonly stepsMax: number;
  /**
   * Tool endpoints that the operator allows although they are not public: a development stack
   * allows loopback.
   */
  readonly allowsUrl?: (url: URL) => boolean;
  /** False: the operator has configured no model for the second reader. Absent: unknown. */
  readonly hasExtractor?: boolean | undefined;
  /**
   * The models that a flow of the organisation may name; empty: no provider is configured. Absent:
   * unknown.
   */
  readonly models?: readonly string[] | undefined;
  /** Why calls were not expanded, by the place of their nodes. */
  readonly callProblems?: ReadonlyMap<number, string>;
}

export interface FlowIndex {
  readonly flow: FlowModel;
  readonly options: ValidationOptions;
  /** The vertices: of nodes that share an id, the first. */
  readonly nodes: readonly NodeModel[];
  readonly vertexById: ReadonlyMap<string, number>;
  /**
   * By vertex: the edges by which a walk may leave it, in declared order. Empty for nodes that end
   * the walk.
   */
  readonly edgesOf: readonly (readonly EdgeModel[])[];
  /** The same edges as a graph. Labels are positions in `definition.edges`. */
  readonly walk: Graph;
  /**
   * Those between nodes that the walk may pass without waiting: neither end always waits or is a
   * terminal.
   */
  readonly silent: Graph;
  /** The effect of commands; null without effective ones. */
  readonly interruption: Interruption | null;
  /** The walk over any number of turns, with commands, if any, behind one more vertex. */
  readonly talk: Graph;
  readonly longest: StepBound;
  /**
   * By vertex: edges that enter and leave a node, also those that no walk can follow. Parallel
   * edges count each.
   */
  readonly incoming: Int32Array;
  readonly outgoing: Int32Array;
  /** Where a conversation begins: the start, and the targets of triggers. */
  readonly entries: readonly number[];
  readonly reachable: Uint8Array;
  /** By vertex. */
  readonly routing: readonly NodeRouting[];
  readonly variables: VariableUses;
  readonly readPath: PathReader;
  /** Edges that equal an earlier one in everything that routing reads, with that one. */
  readonly repeats: ReadonlyMap<EdgeModel, EdgeModel>;
  /** Some node sets the variable, a part of the path, or what contains it. */
  readonly isWritten: (path: string) => boolean;
  readonly writesOf: ReadonlyMap<NodeModel, readonly VariableWrite[]>;
  readonly patternProblem: PatternProblem;
}

export function indexFlow(flow: FlowModel, options: ValidationOptions): FlowIndex {
  const nodes = [...flow.nodesById.values()];
  const vertexById = new Map(nodes.map((node, vertex) => [node.id, vertex] as const));
  const edgesOf = nodes.map((node) => (isLeft(node) ? listWalkableEdges(flow, node) : []));
  const arcs = new Arcs();
  edgesOf.forEach((edges, from) => {
    for (const { target, index } of edges) arcs.add(from, vertexById.get(target)!, index);
  });
  const walk = makeGraph(nodes.length, arcs);
  const silent = filtered(walk, (from, to) => mayPass(nodes[from]!) && mayPass(nodes[to]!));
  const entries = entryNodes(flow).map(({ id }) => vertexById.get(id)!);
  const interruption = readInterruption(flow, nodes, vertexById);
  const talk = interruption === null ? walk : withCommands(walk, interruption);
  const reachable = reachableFrom(talk, entries).subarray(0, nodes.length);
  const statuses = passingStatuses(nodes, interruption);
  const readPath = makePathReader();
  const variables = readVariables(flow, readPath);
  const writesOf = groupBy(variables.writes, ({ node }) => node);
  const counted = { nodes, vertexById, edgesOf, entries, interruption, readPath, writesOf };
  const known = findKnownAtEdges(counted, walk);
  const steps = coverageSteps();
  const called = groupBy(interruption?.edges ?? [], ({ source }) => source);
  return {
    flow,
    options,
    nodes,
    vertexById,
    edgesOf,
    walk,
    silent,
    interruption,
    talk,
    longest: findLongestTurn(
      nodes,
      walk,
      silent,
      counted,
      entries.length === 0 ? everything(nodes) : reachable,
    ),
    incoming: countEnds(flow.edges, vertexById, 'target'),
    outgoing: countEnds(flow.edges, vertexById, 'source'),
    entries,
    reachable,
    routing: nodes.map((node, vertex) =>
      analyseRouting(node, isCommand(node) ? (called.get(node.id) ?? []) : edgesOf[vertex]!, {
        statuses,
        readPath,
        flowSteps: steps,
        known: known[vertex]!,
      }),
    ),
    variables,
    readPath,
    repeats: repeatedEdges(flow),
    isWritten: makePathMatcher(variables.writes.map(({ path }) => path)),
    writesOf,
    patternProblem: patternProblems(),
  };
}

/** For a draft without a start. */
const everything = (nodes: readonly NodeModel[]): Uint8Array => new Uint8Array(nodes.length).fill(1);

/** Without edges to a node that the walk cannot visit: it never takes them (compile.ts). */
function listWalkableEdges(flow: FlowModel, { id }: Pick<NodeModel, 'id'>): readonly EdgeModel[] {
  const edges = flow.outgoing.get(id) ?? [];
  const isFollowed = ({ target }: EdgeModel) => {
    const to = flow.nodesById.get(target);
    return to !== undefined && isWalked(to);
  };
  return edges.every(isFollowed) ? edges : edges.filter(isFollowed);
}

function entryNodes(flow: FlowModel): NodeModel[] {
  const triggers = flow.nodes.filter((node) => node.type === 'trigger' && !isCommand(node));
  const triggered = triggers.flatMap((trigger) => listWalkableEdges(flow, trigger));
  const nodes = [flow.start, ...triggered.map(({ target }) => flow.nodesById.get(target)!)];
  return [...new Set(nodes)].filter((node) => node !== null && isWalked(node)) as NodeModel[];
}

function countEnds(
  edges: readonly EdgeModel[],
  vertexById: ReadonlyMap<string, number>,
  end: 'source' | 'target',
): Int32Array {
  const counts = new Int32Array(vertexById.size);
  for (const edge of edges) {
    const vertex = vertexById.get(edge[end]);
    if (vertex !== undefined) counts[vertex]! += 1;
  }
  return counts;
}

function repeatedEdges({ outgoing }: FlowModel): ReadonlyMap<EdgeModel, EdgeModel> {
  const repeats = new Map<EdgeModel, EdgeModel>();
  for (const edges of outgoing.values()) {
    const firsts = new Map<string, EdgeModel>();
    if (edges.length > 1)
      for (const edge of edges) {
        const { target, kind, group, nl, caseSensitive } = edge;
        const compared = listComparisons(edge).map(({ variable, op, hasValue, value }) => [
          variable,
          op,
          hasValue,
          value,
        ]);
        const key = toJson([target, kind, group?.joint, compared, nl, caseSensitive]);
        const first = firsts.get(key);
        if (first === undefined) firsts.set(key, edge);
        else if (key !== '') repeats.set(edge, first);
      }
  }
  return repeats;
}

/** Node ids in one witness. */
export const witnessNodesMax = 50;

/** A path as items have it: node ids, with "…" for the middle of a long one. */
export function toWitness(index: FlowIndex, path: readonly number[]): string[] {
  const ids = (vertices: readonly number[]) => vertices.map((vertex) => index.nodes[vertex]!.id);
  if (path.length <= witnessNodesMax) return ids(path);
  const half = Math.floor(witnessNodesMax / 2);
  return [...ids(path.slice(0, half)), '…', ...ids(path.slice(-half))];
}
