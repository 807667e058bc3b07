// Compares two versions of a flow (docs/flow-language.md#diff): what changes for the conversation,
// and the exact patch.
import type { EdgeModel, FlowModel } from '@parley/flow-engine/define/model';
import { describeDiff } from './describe-diff.ts';
import type {
  EdgeChange,
  EdgeEntry,
  EdgeMove,
  FlowDiff,
  NodeChange,
  NodeEntry,
  PairedEdge,
} from './flow-diff.ts';
import { compareObjects, type ValueChange } from './json-changes.ts';
import { findLongestAscending, pairEdges, pairNodes, type Pairing } from './pairing.ts';
import { patchFlow } from './patch-flow.ts';

/** Members that say where an editor draws something. */
export const layoutMembers: ReadonlySet<string> = new Set([
  ...['position', 'positionAbsolute', 'x', 'y', 'z', 'zIndex', 'z_index', 'width', 'height', 'measured'],
  ...['selected', 'dragging', 'resizing', 'style', 'className', 'color', 'viewport', 'zoom', 'layout'],
  ...['sourcePosition', 'targetPosition', 'sourceHandle', 'targetHandle', 'handleBounds'],
]);

/** Compares two versions. Never throws; takes time in proportion to both. */
export function diffFlows(from: FlowModel, to: FlowModel): FlowDiff {
  const nodes = pairNodes(from.nodes, to.nodes);
  const edges = pairEdges(from.edges, to.edges);
  const structured = {
    metadata: metadataChanges(from, to),
    nodes: nodeChanges(from, to, nodes),
    edges: edgeChanges(from, to, edges),
  };
  const lists = [structured.metadata, ...Object.values(structured.nodes), ...Object.values(structured.edges)];
  const identical = lists.every((list) => list.length === 0);
  const patch = patchFlow(from.definition, to.definition, nodes, edges);
  return { identical, summary: describeDiff(from, to, structured, patch.length), ...structured, patch };
}

const notMetadata: ReadonlySet<string> = new Set([...layoutMembers, 'nodes', 'edges']);

function metadataChanges(from: FlowModel, to: FlowModel): ValueChange[] {
  const changes = compareObjects(from.definition, to.definition, notMetadata);
  const isTold = (path: string) => changes.some((change) => change.path === path);
  // A version may have another name than its definition, and another first node is another start.
  if (from.name !== to.name && !isTold('/name'))
    changes.push({ path: '/name', before: from.name, after: to.name });
  if (from.startId !== to.startId && !isTold('/start'))
    changes.push({ path: '/start', before: from.startId, after: to.startId });
  return changes;
}

function nodeChanges(from: FlowModel, to: FlowModel, pairing: Pairing): FlowDiff['nodes'] {
  const added = to.nodes.filter(({ index }) => pairing[index] === -1);
  const kept = new Set(pairing);
  const removed = from.nodes.filter(({ index }) => !kept.has(index));
  const changed = to.nodes.flatMap(({ id, index, raw }): NodeChange[] => {
    if (pairing[index] === -1) return [];
    const changes = compareObjects(from.nodes[pairing[index]!]!.raw, raw, layoutMembers);
    return changes.length === 0 ? [] : [{ id, changes }];
  });
  const entry = ({ id, raw }: FlowModel['nodes'][number]): NodeEntry => ({ id, node: raw });
  return { added: added.map(entry), removed: removed.map(entry), changed };
}

function edgeChanges(from: FlowModel, to: FlowModel, pairing: Pairing): FlowDiff['edges'] {
  const kept = new Set(pairing);
  const entry = ({ index, source, target, raw }: EdgeModel): EdgeEntry => ({
    edge_index: index,
    source,
    target,
    edge: raw,
  });
  const changed = to.edges.flatMap((edge): EdgeChange[] => {
    const older = from.edges[pairing[edge.index]!];
    if (older === undefined) return [];
    const changes = compareObjects(older.raw, edge.raw, layoutMembers);
    return changes.length === 0 ? [] : [{ ...paired(older, edge), changes }];
  });
  return {
    added: to.edges.filter(({ index }) => pairing[index] === -1).map(entry),
    removed: from.edges.filter(({ index }) => !kept.has(index)).map(entry),
    changed,
    moved: [...to.outgoing.values()].flatMap((edges) => findMoves(edges, from, pairing)),
  };
}

function paired(older: EdgeModel, newer: EdgeModel): PairedEdge {
  const { source, target } = newer;
  return { from_index: older.index, to_index: newer.index, source, target };
}

/**
 * Edges of one node that changed places among those in both versions: the walk tries them in their
 * order.
 */
function findMoves(edges: readonly EdgeModel[], from: FlowModel, pairing: Pairing): EdgeMove[] {
  const stayed = edges.flatMap((edge, place) => {
    const older = from.edges[pairing[edge.index]!];
    return older?.source === edge.source ? [{ edge, older, place }] : [];
  });
  const inOrder = findLongestAscending(stayed.map(({ older }) => older.index));
  if (inOrder.size === stayed.length) return [];
  const placeBefore = new Map(
    from.outgoing.get(edges[0]!.source)!.map((edge, place) => [edge, place] as const),
  );
  return stayed
    .filter((_, at) => !inOrder.has(at))
    .map(({ edge, older, place }) => ({
      ...paired(older, edge),
      before: placeBefore.get(older)! + 1,
      after: place + 1,
    }));
}
