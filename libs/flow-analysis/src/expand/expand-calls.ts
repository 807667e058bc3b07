// Replaces calls by the nodes of the called flows (docs/flow-language.md#calls). The result is a
// flow like any other: compiled, walked, proved and drawn as if its author had written it all.
// Pure: the service that stores the flow loads the called ones.
import {
  calledKey,
  readCall,
  type Call,
  type CalledVersion,
  type CalledVersions,
  type PinnedCall,
} from '@parley/flow-engine/define/calls';
import {
  textOrNull,
  type AuthoredEdge,
  type AuthoredFlow,
  type AuthoredNode,
} from '@parley/flow-engine/define/definition';
import { limits } from '@parley/flow-engine/define/limits';
import type { FlowModel, NodeModel } from '@parley/flow-engine/define/model';
import { readParsedFlow } from '@parley/flow-engine/define/parse';
import { jsonBytes } from '@parley/flow-engine/read/turn-budget';
import { isLeft, isWalked } from '../validate/node-kinds.ts';
import { readVariables } from '../validate/variable-uses.ts';
import { makePathReader } from '../validate/variable-paths.ts';

export interface Expansion {
  /**
   * The same object when nothing is called. Nodes and edges of the author come first and keep their
   * places.
   */
  readonly definition: AuthoredFlow;
  readonly calls: readonly PinnedCall[];
  /** Why a call stays as it is, by the place of its node. */
  readonly problems: ReadonlyMap<number, string>;
  /** By place among the added nodes or edges: the place of the calling node. */
  readonly nodeOwners: readonly number[];
  readonly edgeOwners: readonly number[];
}

/**
 * The node at which a call returns: its edges leave from here. No id of a definition ends like
 * this.
 */
export const toReturnNodeId = (caller: string): string => `${caller}/`;

/** @param flowId of the flow itself, if it has one: nothing may call it at any depth. */
export function expandCalls(
  definition: AuthoredFlow,
  flowId: string | null,
  called: CalledVersions,
): Expansion {
  const nodes: AuthoredNode[] = [...definition.nodes];
  const edges: AuthoredEdge[] = [...(definition.edges ?? [])];
  const calls: PinnedCall[] = [];
  const problems = new Map<number, string>();
  const nodeOwners: number[] = [];
  const edgeOwners: number[] = [];
  const returning = new Set<string>();
  let bytesLeft: number = limits.expandedBytesMax;

  definition.nodes.forEach((node, place) => {
    const call = readCall(node);
    if (call === null || typeof call === 'string' || returning.has(node.id)) return;
    const target = Object.hasOwn(called, calledKey(call)) ? called[calledKey(call)] : undefined;
    const inner = target === undefined ? notThere(call) : innerFlow(node, call, target, flowId);
    if (typeof inner === 'string') return void problems.set(place, inner);
    const bytes = jsonBytes([inner.nodes, inner.edges], bytesLeft);
    const isTooLarge =
      calls.length >= limits.callsMax ||
      bytes > bytesLeft ||
      nodes.length + inner.nodes.length > limits.nodesMax ||
      edges.length + inner.edges.length > limits.edgesMax;
    if (isTooLarge) return void problems.set(place, tooLarge);
    bytesLeft -= bytes;
    returning.add(node.id);
    nodes[place] = inner.caller;
    nodes.push(...inner.nodes);
    edges.push(...inner.edges);
    calls.push(...inner.calls);
    nodeOwners.push(...inner.nodes.map(() => place));
    edgeOwners.push(...inner.edges.map(() => place));
  });

  if (calls.length === 0) return { definition, calls, problems, nodeOwners, edgeOwners };
  const own = definition.edges?.length ?? 0;
  const led = edges.map((edge, place) =>
    place < own && returning.has(edge.source) ? { ...edge, source: toReturnNodeId(edge.source) } : edge,
  );
  return { definition: { ...definition, nodes, edges: led }, calls, problems, nodeOwners, edgeOwners };
}

const notThere = ({ flowId, version }: Call): string =>
  version === 'published'
    ? `Flow "${flowId}" has no published version`
    : `Flow "${flowId}" has no version ${version}`;
const tooLarge =
  `With what it calls, the flow has more than ${limits.callsMax} calls, ${limits.nodesMax} nodes, ` +
  `${limits.edgesMax} edges or ${limits.expandedBytesMax} bytes`;

interface InnerFlow {
  readonly caller: AuthoredNode;
  readonly nodes: readonly AuthoredNode[];
  readonly edges: readonly AuthoredEdge[];
  readonly calls: readonly PinnedCall[];
}

function innerFlow(
  caller: AuthoredNode,
  call: Call,
  target: CalledVersion,
  flowId: string | null,
): InnerFlow | string {
  const { id } = caller;
  if (!target.valid) return `Version ${target.version} of flow "${call.flowId}" has errors`;
  if (call.flowId === flowId || target.calls.some((pinned) => pinned.flow_id === flowId))
    return 'The flow would call itself';
  const calls = [
    { node_id: id, flow_id: call.flowId, version: target.version },
    ...target.calls.map((pinned) => ({ ...pinned, node_id: `${id}/${pinned.node_id}` })),
  ];
  if (calls.some((pinned) => pinned.node_id.split('/').length > limits.callDepthMax))
    return `Calls go more than ${limits.callDepthMax} deep`;

  const flow = readParsedFlow(target.definition);
  const kept = reachableNodes(flow);
  const within = (inner: string) => `${id}/${inner}`;
  if (kept.some((node) => within(node.id).length > limits.idCharsMax))
    return `Ids of nodes would be longer than ${limits.idCharsMax} characters`;
  const left = findVariablesLeftBehind(kept, flow, call);
  if (typeof left === 'string') return left;

  const keptIds = new Set(kept.map((node) => node.id));
  const leftIds = new Set(kept.filter(isLeft).map((node) => node.id));
  const ends = kept.filter(({ type }) => type === 'end');
  const isInside = ({ source, target: to }: AuthoredEdge) => leftIds.has(source) && keptIds.has(to);
  const { call: _call, set, graph_constraints: bounds, ...own } = caller as AuthoredNode & { set?: unknown };
  const [entering, leaving] = splitConstraints(bounds);
  return {
    caller: {
      ...own,
      ...entering,
      set: call.input.map(([variable, to]) => ({ variable, to })),
    },
    nodes: [
      ...kept.map((node) => ({ ...toInnerNode(node, left), id: within(node.id) })),
      { id: toReturnNodeId(id), type: 'branch', ...leaving, ...(set == null ? {} : { set }) },
    ],
    edges: [
      { source: id, target: within(flow.startId ?? '') },
      ...(target.definition.edges ?? [])
        .filter(isInside)
        .map((edge) => ({ ...edge, source: within(edge.source), target: within(edge.target) })),
      ...ends.map((end) => ({ source: within(end.id), target: toReturnNodeId(id) })),
    ],
    calls,
  };
}

/**
 * Nodes that a walk from the start can visit; triggers, webhooks, the persona and the review are
 * the caller's.
 */
function reachableNodes({ start, nodesById, outgoing }: FlowModel): NodeModel[] {
  const reached = new Set<NodeModel>();
  const left = [start];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if (node === null || !isWalked(node) || reached.has(node)) continue;
    reached.add(node);
    if (!isLeft(node)) continue;
    for (const { target } of outgoing.get(node.id) ?? []) left.push(nodesById.get(target) ?? null);
  }
  return [...nodesById.values()].filter((node) => reached.has(node));
}

/** An end says its text and the walk continues; variables that do not come back are cleared. */
function toInnerNode({ raw, type, skips }: NodeModel, left: readonly string[]): AuthoredNode {
  const { graph_constraints: _bounds, ...node } = raw;
  // From the global node of the called flow, which is not copied.
  if (type !== 'end') return skips ? { ...node, skip_if_set: true } : node;
  const {
    message: _message,
    set: _set,
    resume: _resume,
    ...rest
  } = node as AuthoredNode & {
    set?: unknown;
    resume?: unknown;
  };
  const text = textOrNull(raw.message) ?? textOrNull(raw.text);
  const clears = left.map((variable) => ({ variable, clear: true }));
  return {
    ...rest,
    type: text === null ? 'branch' : 'message',
    text,
    ...(clears.length ? { set: clears } : {}),
  };
}

/** Variables that the called flow writes or receives, and that do not come back. */
function findVariablesLeftBehind(
  kept: readonly NodeModel[],
  flow: FlowModel,
  call: Call,
): readonly string[] | string {
  if (call.output === null) return [];
  const readPath = makePathReader();
  const inside = new Set(kept);
  const written = readVariables(flow, readPath).writes.filter(({ node }) => inside.has(node));
  const roots = (names: readonly string[]) => names.map((name) => readPath(name)?.root ?? name);
  const known = new Set([
    ...written.map(({ root }) => root),
    ...roots(call.input.map(([variable]) => variable)),
  ]);
  const output = roots(call.output);
  const unknown = call.output.find((_, place) => !known.has(output[place]!));
  if (unknown !== undefined) return `Flow "${call.flowId}" sets no variable "${unknown}"`;
  const left = [...known].filter((root) => !output.includes(root));
  return left.length <= limits.assignmentsMax
    ? left
    : `More than ${limits.assignmentsMax} variables would not come back; name more in \`output\``;
}

/** Constraints on the edges into a call, and on those out of it. */
function splitConstraints(bounds: AuthoredNode['graph_constraints']) {
  const entries = Object.entries(bounds ?? {});
  const some = (isOut: boolean) => {
    const kept = entries.filter(([name]) => name.endsWith('_outgoing') === isOut);
    return kept.length === 0 ? {} : { graph_constraints: Object.fromEntries(kept) };
  };
  return [some(false), some(true)] as const;
}
