// What the rules of validation share, computed once per flow: who may follow whom, what can be reached, which edge can never be
// taken, and who reads and writes which variable. Built by validate-flow.ts.
import type { EdgeModel, FlowModel, NodeModel } from '../model.ts';
import { nodeTypes } from '../node-types.ts';
import { filtered, makeGraph, reachableFrom, reversed, type Arc, type Graph } from './flow-graph.ts';
import { analyseRouting, type NodeRouting } from './routing-coverage.ts';
import { readVariables, type VariableUses } from './variable-uses.ts';

export interface ValidationOptions {
  /** Node visits of one turn, first and last included (FLOW_STEPS_MAX). */
  readonly stepsMax: number;
  /** Tool endpoints that the operator allows although they are not public: a development stack allows loopback. */
  readonly allowsUrl?: (url: URL) => boolean;
}

export interface FlowIndex {
  readonly flow: FlowModel;
  readonly options: ValidationOptions;
  /** The vertices: of nodes that share an id, the first. */
  readonly nodes: readonly NodeModel[];
  readonly vertexOf: ReadonlyMap<string, number>;
  /** Every edge that a walk may follow. Labels are positions in `definition.edges`. */
  readonly walk: Graph;
  readonly back: Graph;
  /** Where a conversation begins: the start, and what a trigger leads to. */
  readonly entries: readonly number[];
  readonly reachable: Uint8Array;
  /** Edges between nodes that the walk passes without waiting: neither end is a collect node or a terminal. */
  readonly silent: Graph;
  /** By vertex; null for a node that the walk does not leave. */
  readonly routing: readonly (NodeRouting | null)[];
  readonly variables: VariableUses;
}

export function indexFlow(flow: FlowModel, options: ValidationOptions): FlowIndex {
  const nodes = [...flow.nodesById.values()];
  const vertexOf = new Map(nodes.map((node, vertex) => [node.id, vertex] as const));
  const arcs: Arc[] = [];
  const entries: number[] = [];
  if (flow.start !== null && isWalked(flow.start)) entries.push(vertexOf.get(flow.start.id)!);
  for (const { source, target, index } of flow.edges) {
    const [from, to] = [vertexOf.get(source), vertexOf.get(target)];
    if (from === undefined || to === undefined || !isWalked(nodes[to]!)) continue;
    if (isLeft(nodes[from]!)) arcs.push({ from, to, label: index });
    else if (nodes[from]!.type === 'trigger') entries.push(to);
  }
  const walk = makeGraph(nodes.length, arcs);
  const statuses = inputStatuses(nodes);
  return {
    flow,
    options,
    nodes,
    vertexOf,
    walk,
    back: reversed(walk),
    entries,
    reachable: reachableFrom(walk, entries),
    silent: filtered(walk, (from, to) => isSilent(nodes[from]!) && isSilent(nodes[to]!)),
    routing: nodes.map((node) =>
      isLeft(node)
        ? analyseRouting(node, walkableEdges(flow, node), node.type === 'collect' ? null : statuses)
        : null,
    ),
    variables: readVariables(flow),
  };
}

/** Edges out of a node, in declared order, without those to a node that the walk cannot stand on: it never takes them. */
function walkableEdges(flow: FlowModel, node: NodeModel): readonly EdgeModel[] {
  const edges = flow.outgoing.get(node.id) ?? [];
  return edges.filter(({ target }) => {
    const to = flow.nodesById.get(target);
    return to !== undefined && isWalked(to);
  });
}

/** What `_input_status` can be at a node that the walk comes to after a collect node. */
function inputStatuses(nodes: readonly NodeModel[]): ReadonlySet<string> {
  const collects = nodes.filter((node) => node.type === 'collect');
  if (collects.length === 0) return new Set();
  const anyGivesUp = collects.some((node) => attemptsMax(node) !== null);
  return new Set(anyGivesUp ? ['captured', 'no_match', 'no_input'] : ['captured']);
}

/** The failure at which a collect node is left without an answer; null = never. As compile.ts reads it. */
export function attemptsMax({ raw }: NodeModel): number | null {
  const attempts = raw.max_attempts;
  return attempts != null && Number.isInteger(attempts) && attempts >= 1 ? attempts : null;
}

/** The walk may stand here. A node of unknown type is taken for a step, so that one typing error is reported once. */
export const isWalked = ({ type }: NodeModel): boolean => type === null || nodeTypes[type].walked;
export const isTerminal = ({ type }: NodeModel): boolean => type !== null && nodeTypes[type].terminal;
export const isDeclarative = ({ type }: NodeModel): boolean => type !== null && nodeTypes[type].declarative;
/** The walk goes on from here by the edges. */
export const isLeft = (node: NodeModel): boolean => isWalked(node) && !isTerminal(node);
/** The walk passes here without waiting. */
export const isSilent = (node: NodeModel): boolean => isLeft(node) && node.type !== 'collect';

/** Node ids shown by one witness; of a longer one, the first and the last. */
export const witnessNodesMax = 50;

/** A path as item members carry it: node ids, with "…" for the middle of a long one. */
export function witnessOf(index: FlowIndex, path: readonly number[]): string[] {
  const ids = (vertices: readonly number[]) => vertices.map((vertex) => index.nodes[vertex]!.id);
  if (path.length <= witnessNodesMax) return ids(path);
  const half = witnessNodesMax / 2;
  return [...ids(path.slice(0, half)), '…', ...ids(path.slice(-half))];
}
