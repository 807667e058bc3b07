// Builds the nodes and edges of xyflow from a document and an overlay. Unchanged ones keep their
// objects, so that React does not render them again.
import { MarkerType, type Edge, type Node } from '@xyflow/react';
import type { Severity } from '@parley/flow-analysis';
import type { AuthoredEdge, AuthoredFlow, AuthoredNode } from '@parley/flow-engine';
import type { EdgeSketch } from '../../engine/check.ts';
import { edgesOf, type Place, type Places } from '../document/doc.ts';
import type { Selection } from '../document/flow-store.ts';
import { worst, type Problems } from '../document/problems.ts';
import { calledBy } from './called-by.ts';
import { laneOf } from './edge-route.ts';
import { boxesOf, heightOf, type Box } from '../document/card-size.ts';
import { portOf } from '../document/edits.ts';
import { NODE_WIDTH } from '../document/sizes.ts';
import { choiceOf, handlesOf, type Leaving } from './ports.ts';
import { nameOf, titleOf } from '../tables.ts';
import { plainWords } from '../words.tsx';

export type Difference = 'added' | 'removed' | 'changed';

/** A mark on an edge: coverage or counts. */
export interface Mark {
  readonly tone: 'good' | 'accent' | 'warn' | 'quiet';
  /** Text at the label; '' = none. */
  readonly note: string;
  /** Line width, if it has a meaning. */
  readonly width?: number;
}

/**
 * What is drawn over a flow: the path of a turn, the proof of a finding, or the changes between
 * versions.
 */
export interface Overlay {
  /** Ids of nodes in the order of the walk. */
  readonly visited: readonly string[];
  readonly taken: ReadonlySet<number>;
  /** Edges that were tried and did not match. */
  readonly refused: ReadonlySet<number>;
  readonly path: readonly string[];
  readonly pathEdges: ReadonlySet<number>;
  readonly nodes: ReadonlyMap<string, Difference>;
  readonly edges: ReadonlyMap<number, Difference>;
  readonly marks: ReadonlyMap<number, Mark>;
  /** Texts at nodes. */
  readonly notes: ReadonlyMap<string, string>;
  /** Visited nodes of called flows, by the calling node. */
  readonly inside: ReadonlyMap<string, readonly string[]>;
}

export const noOverlay: Overlay = {
  visited: [],
  taken: new Set(),
  refused: new Set(),
  path: [],
  pathEdges: new Set(),
  nodes: new Map(),
  edges: new Map(),
  marks: new Map(),
  notes: new Map(),
  inside: new Map(),
};

export interface CardData extends Record<string, unknown> {
  readonly node: AuthoredNode;
  readonly isStart: boolean;
  readonly severity: Severity | null;
  readonly problems: number;
  readonly isFaded: boolean;
  /** Positions in the walk, from 1: "2" or "2, 5". */
  readonly visits: string;
  readonly isOnPath: boolean;
  readonly isConnecting: boolean;
  readonly difference: Difference | null;
  readonly note: string;
  /**
   * Whether the called flow is expanded; null when there is none or the canvas cannot expand it.
   */
  readonly isUnfolded: boolean | null;
}

export interface LineData extends Record<string, unknown>, Leaving {
  readonly edge: AuthoredEdge;
  /** Position among the edges of its node without a port, from 0, and their number. */
  readonly place: number;
  readonly of: number;
  /** x position of an upward edge (edge-route.ts). */
  readonly lane: number | null;
  readonly kind: EdgeSketch['kind'];
  readonly says: string;
  readonly neverTaken: string | null;
  readonly severity: Severity | null;
  readonly isInSilentCycle: boolean;
  readonly isTaken: boolean;
  readonly isRefused: boolean;
  readonly isOnPath: boolean;
  readonly difference: Difference | null;
  readonly tone: Mark['tone'] | null;
  readonly note: string;
  readonly width: number | null;
}

export type CardNode = Node<CardData, 'card'>;
export type LineEdge = Edge<LineData, 'line'>;

export interface Scene {
  readonly flow: AuthoredFlow;
  readonly places: Places;
  readonly selection: Selection;
  readonly startId: string | null;
  readonly sketches: readonly EdgeSketch[];
  readonly problems: Problems;
  readonly overlay: Overlay;
  readonly connectFrom: string | null;
  /** Expanded nodes. Absent: the canvas cannot expand calls. */
  readonly unfolded?: readonly string[];
}

/** The same size for thick and thin lines. */
const ARROW = {
  type: MarkerType.ArrowClosed,
  color: 'var(--edge-ink)',
  width: 22,
  height: 22,
  markerUnits: 'userSpaceOnUse',
};
const ORIGIN: Place = { x: 0, y: 0 };
const NOWHERE: Box = { ...ORIGIN, height: 0 };

const cards = new WeakMap<AuthoredNode, CardNode>();
const lines = new WeakMap<AuthoredEdge, LineEdge>();
let lastCards: CardNode[] = [];
let lastLines: LineEdge[] = [];

/** Returns the previous list when it has the same objects. */
function unlessSame<Thing>(last: Thing[], now: Thing[]): Thing[] {
  return last.length === now.length && now.every((thing, at) => thing === last[at]) ? last : now;
}

export function cardNodes(scene: Scene): CardNode[] {
  const { flow, places, selection, startId, problems, overlay, connectFrom } = scene;
  const selected = new Set(selection.nodes);
  const path = new Set(overlay.path);
  const visits = new Map<string, string>();
  overlay.visited.forEach((id, at) =>
    visits.set(id, `${visits.has(id) ? `${visits.get(id)}, ` : ''}${at + 1}`),
  );
  const ids = new Set<string>();
  const drawn = flow.nodes.flatMap((node): CardNode[] => {
    // Of nodes with the same id only the first is drawn; validation reports the others.
    if (ids.has(node.id)) return [];
    ids.add(node.id);
    const findings = problems.byNode.get(node.id) ?? [];
    const data: CardData = {
      node,
      isStart: node.id === startId,
      severity: worst(findings),
      problems: findings.length,
      isFaded: problems.unreachable.has(node.id),
      visits: visits.get(node.id) ?? '',
      isOnPath: path.has(node.id),
      isConnecting: connectFrom === node.id,
      difference: overlay.nodes.get(node.id) ?? null,
      note: overlay.notes.get(node.id) ?? '',
      isUnfolded:
        scene.unfolded === undefined || calledBy(node) === null ? null : scene.unfolded.includes(node.id),
    };
    const old = cards.get(node);
    const position = places[node.id] ?? old?.position ?? ORIGIN;
    const isSelected = selected.has(node.id);
    const isSame = old !== undefined && sameMembers(old.data, data);
    if (
      isSame &&
      old.selected === isSelected &&
      old.position.x === position.x &&
      old.position.y === position.y
    )
      return [old];
    const card: CardNode = {
      id: node.id,
      type: 'card',
      position,
      width: NODE_WIDTH,
      height: heightOf(node),
      measured: { width: NODE_WIDTH, height: heightOf(node) },
      handles: handlesOf(node),
      selected: isSelected,
      data: isSame ? old.data : data,
      ariaLabel: labelOf(data),
    };
    cards.set(node, card);
    return [card];
  });
  return (lastCards = unlessSame(lastCards, drawn));
}

/** A card that shows only visits. */
export const plainCard = (node: AuthoredNode, visited: readonly string[]): CardData => ({
  node,
  isStart: false,
  severity: null,
  problems: 0,
  isFaded: false,
  isOnPath: false,
  isConnecting: false,
  difference: null,
  note: '',
  isUnfolded: null,
  visits: visited.flatMap((id, at) => (id === node.id ? [String(at + 1)] : [])).join(', '),
});

function labelOf({ node, isStart, problems, isFaded }: CardData): string {
  return [
    `${titleOf(node)} ${node.id}`,
    isStart && 'start',
    isFaded && 'unreachable',
    problems > 0 && `${problems} ${problems === 1 ? 'problem' : 'problems'}`,
  ]
    .filter(Boolean)
    .join(', ');
}

export function lineEdges(scene: Scene): LineEdge[] {
  const { flow, places, selection, sketches, problems, overlay } = scene;
  const edges = edgesOf(flow);
  const known = new Map(flow.nodes.map((node) => [node.id, node] as const).reverse());
  const boxes = boxesOf(flow, places);
  const counts = new Map<string, number>();
  const ports = edges.map((edge) => portOf(edge, known.get(edge.source)));
  edges.forEach(({ source }, index) => {
    if (ports[index] === null) counts.set(source, (counts.get(source) ?? 0) + 1);
  });
  const seen = new Map<string, number>();
  const drawn = edges.flatMap((edge, index) => {
    const { source, target } = edge;
    const place = seen.get(source) ?? 0;
    const port = ports[index] ?? null;
    if (port === null) seen.set(source, place + 1);
    const [from, to] = [known.get(source), known.get(target)];
    if (from === undefined || to === undefined) return [];
    const sketch = sketches[index];
    const data: LineData = {
      edge,
      place,
      of: counts.get(source) ?? 1,
      ...choiceOf(from, port),
      lane: laneOf(boxes, boxes[source] ?? NOWHERE, boxes[target] ?? NOWHERE),
      // Unknown before the first check.
      kind: sketch?.kind ?? 'deterministic',
      says: sketch?.says ?? '',
      neverTaken: problems.neverTaken.get(index) ?? null,
      severity: worst(problems.byEdge.get(index) ?? []),
      isInSilentCycle: problems.silentCycle.has(index),
      isTaken: overlay.taken.has(index),
      isRefused: overlay.refused.has(index),
      isOnPath: overlay.pathEdges.has(index),
      difference: overlay.edges.get(index) ?? null,
      tone: overlay.marks.get(index)?.tone ?? null,
      note: overlay.marks.get(index)?.note ?? '',
      width: overlay.marks.get(index)?.width ?? null,
    };
    const selected = selection.edge === index;
    const old = lines.get(edge);
    const isSame = old !== undefined && sameMembers(old.data ?? {}, data);
    if (isSame && old.id === edgeId(index) && old.selected === selected && old.sourceHandle === port)
      return [old];
    const line: LineEdge = {
      id: edgeId(index),
      type: 'line',
      source,
      target,
      sourceHandle: port,
      selected,
      focusable: false,
      markerEnd: ARROW,
      data,
      ariaLabel: `Edge from ${nameOf(from, source)} to ${nameOf(to, target)}${data.says === '' ? '' : `, ${plainWords(data.says)}`}`,
    };
    lines.set(edge, line);
    return [line];
  });
  return (lastLines = unlessSame(lastLines, drawn));
}

export const edgeId = (index: number): string => `e${index}`;
export const edgeIndexOf = (id: string): number => Number(id.slice(1));

function sameMembers(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(b).every((name) => a[name] === b[name]);
}
