// What a card shows decides how high it is. Heights are computed, not measured, so that the canvas
// draws only what is visible.
import type { AuthoredFlow, AuthoredNode } from '@parley/flow-engine';
import { choicesOf, sayingOf, typeOf } from '../tables.ts';
import { NODE_HEIGHT, NODE_WIDTH, type Place, type Places } from './sizes.ts';

/** A choice of a question, with a port of its own. */
export interface CardRow {
  /** The id of its port. */
  readonly port: string;
  readonly label: string;
  readonly value: unknown;
}

/** Lines of text on a card; longer texts are cut. */
export const LINES_MAX = 6;
/** Characters of a line, counted on the safe side. */
const LINE_CHARACTERS = 34;
/** Further choices have no port on the card. */
const ROWS_MAX = 12;
/** Pixels. The style sheet has the same (flows.css). */
const [LINE, ROW, FOOT] = [16, 24, 18];
/** Border, padding and head. */
const FRAME = 40;

const rowsByNode = new WeakMap<AuthoredNode, readonly CardRow[]>();
const heights = new WeakMap<AuthoredNode, number>();

const toRow = (value: unknown): CardRow => ({
  port: JSON.stringify(value),
  label: typeof value === 'boolean' ? (value ? 'Yes' : 'No') : String(value),
  value,
});

export function rowsOf(node: AuthoredNode): readonly CardRow[] {
  const rows =
    rowsByNode.get(node) ?? (typeOf(node) === 'collect' ? choicesOf(node).slice(0, ROWS_MAX).map(toRow) : []);
  rowsByNode.set(node, rows);
  return rows;
}

/** Lines that a text takes when words are not split. */
export function linesOf(text: string): number {
  let [lines, used] = [1, 0];
  for (const word of text.split(' ')) {
    const wider = used === 0 ? word.length : used + 1 + word.length;
    if (wider > LINE_CHARACTERS && used > 0) [lines, used] = [lines + 1, word.length];
    else used = wider;
    if (lines >= LINES_MAX) return LINES_MAX;
  }
  return Math.min(LINES_MAX, lines + Math.floor(used / (LINE_CHARACTERS + 1)));
}

const hasFoot = (node: AuthoredNode): boolean =>
  typeOf(node) === 'collect' || (node['call'] !== undefined && node['call'] !== null);

const rowsTop = (node: AuthoredNode): number =>
  FRAME + linesOf(sayingOf(node)) * LINE + (hasFoot(node) ? FOOT : 0) + 4;

export function heightOf(node: AuthoredNode): number {
  const known = heights.get(node);
  if (known !== undefined) return known;
  const height = Math.max(NODE_HEIGHT, rowsTop(node) + rowsOf(node).length * ROW);
  heights.set(node, height);
  return height;
}

/** The height of a row's port above the bottom of its card. */
export const portAboveBottom = (node: AuthoredNode, row: number): number =>
  (rowsOf(node).length - row) * ROW - ROW / 2;

/** Where a card is, with its height. */
export interface Box extends Place {
  readonly height: number;
}
export type Boxes = Readonly<Record<string, Box>>;

export function boxesOf({ nodes }: AuthoredFlow, places: Places): Boxes {
  const boxes: Record<string, Box> = {};
  for (const node of nodes) {
    const place = places[node.id];
    if (place !== undefined) boxes[node.id] ??= { x: place.x, y: place.y, height: heightOf(node) };
  }
  return boxes;
}

/** Cards with less between them leave no room for a line. */
const [NEAR, APART] = [32, 48];
/** Larger flows stay as they are: each card is compared with those above it. */
const SPREAD_NODES_MAX = 500;

/** Moves cards down that lie over others, as when a text grows or a layout is older than it. */
export function spread(flow: AuthoredFlow, places: Places): Places {
  if (flow.nodes.length > SPREAD_NODES_MAX) return places;
  const boxes = Object.entries(boxesOf(flow, places)).sort(([, a], [, b]) => a.y - b.y);
  const moved: Record<string, Place> = { ...places };
  const above: Box[] = [];
  for (const [id, box] of boxes) {
    const over = above.filter(
      ({ x, y, height }) =>
        Math.abs(x - box.x) < NODE_WIDTH && y + height + NEAR > box.y && y < box.y + box.height,
    );
    const y = over.length === 0 ? box.y : Math.max(...over.map((one) => one.y + one.height)) + APART;
    above.push({ ...box, y });
    if (y !== box.y) moved[id] = { x: box.x, y };
  }
  return moved;
}
