// Computes the line of an edge: a curve downwards, and a route around the cards upwards and
// sideways.
import type { Box, Boxes } from '../document/card-size.ts';
import { GAP_X, NODE_WIDTH } from '../document/sizes.ts';

export interface Route {
  readonly path: string;
  readonly labelX: number;
  readonly labelY: number;
}
export interface Ending {
  readonly x: number;
  readonly y: number;
}

const SPREAD_MAX = 36;
const BEND = 12;
/** Labels of one node's edges are stacked in the order in which the engine tries them. */
const LABEL_DOWN = 20;
const LABEL_STEP = 18;

/** Edges leave a node side by side, in the order in which the engine tries them. */
function leaveAt(x: number, place: number, of: number): number {
  if (of < 2) return x;
  const spread = Math.min(SPREAD_MAX, (NODE_WIDTH - 56) / (of - 1));
  return x + (place - (of - 1) / 2) * spread;
}

/** @param lane x position of an upward edge; null = next to its ends */
export function edgeRoute(
  source: Ending,
  target: Ending,
  place: number,
  of: number,
  lane: number | null,
): Route {
  const x = leaveAt(source.x, place, of);
  return target.y - source.y >= 2 * BEND
    ? curve(
        { x, y: source.y },
        target,
        of < 2 ? (source.y + target.y) / 2 : source.y + LABEL_DOWN + place * LABEL_STEP,
      )
    : roundabout({ x, y: source.y }, target, place, lane ?? besideOf(x, target.x));
}

/** Distance of the innermost line from the card, and between the lines of two choices. */
const [PORT_OUT, PORT_STEP] = [14, 7];

/**
 * The line from the port of a choice, at the right of its card: down beside the card, the upper
 * choices outermost, and on from its bottom.
 * @param row from 0, of `rows`
 * @param drop pixels from the port to the bottom of the card
 */
export function portRoute(
  source: Ending,
  target: Ending,
  { row, rows, drop }: { readonly row: number; readonly rows: number; readonly drop: number },
  lane: number | null,
): Route {
  const bend = PORT_OUT / 2;
  const out = { x: source.x + PORT_OUT + (rows - 1 - row) * PORT_STEP, y: source.y + drop };
  const isBeside = target.x > out.x + bend && target.y > source.y + 2 * BEND;
  const stub = `M${source.x},${source.y} L${out.x - bend},${source.y} Q${out.x},${source.y} ${out.x},${source.y + bend}`;
  if (isBeside) {
    const half = (target.x - source.x) / 2;
    return {
      path: `M${source.x},${source.y} C${source.x + half},${source.y} ${target.x},${source.y} ${target.x},${target.y}`,
      labelX: source.x + half,
      labelY: source.y,
    };
  }
  const rest =
    target.y - out.y >= 2 * BEND
      ? curve(out, target, (out.y + target.y) / 2)
      : roundabout(out, target, 0, lane ?? besideOf(out.x, target.x));
  return { ...rest, path: `${stub} ${rest.path.replace('M', 'L')}` };
}

function curve(from: Ending, to: Ending, wish: number): Route {
  const pull = Math.max(24, (to.y - from.y) * 0.45);
  const [y1, y2] = [from.y + pull, to.y - pull];
  const labelY = Math.min(wish, to.y - LABEL_DOWN);
  const t = whereY(labelY, [from.y, y1, y2, to.y]);
  return {
    path: `M${from.x},${from.y} C${from.x},${y1} ${to.x},${y2} ${to.x},${to.y}`,
    labelX: bezier(t, [from.x, from.x, to.x, to.x]),
    labelY,
  };
}

type Points = readonly [number, number, number, number];

function bezier(t: number, [a, b, c, d]: Points): number {
  const s = 1 - t;
  return s * s * s * a + 3 * s * s * t * b + 3 * s * t * t * c + t * t * t * d;
}

/** The parameter at which a descending curve has the height y. */
function whereY(y: number, points: Points): number {
  let [low, high] = [0, 1];
  for (let step = 0; step < 12; step += 1) {
    const middle = (low + high) / 2;
    if (bezier(middle, points) < y) low = middle;
    else high = middle;
  }
  return low;
}

const besideOf = (from: number, to: number): number =>
  to <= from
    ? Math.max(from, to) + NODE_WIDTH / 2 + GAP_X / 2
    : Math.min(from, to) - NODE_WIDTH / 2 - GAP_X / 2;

function roundabout(from: Ending, to: Ending, place: number, far: number): Route {
  const [down, up] = [from.y + BEND + place * 4, to.y - BEND - 4];
  const bend = Math.min(BEND, Math.abs(down - up) / 2);
  const turn = (at: number) => Math.sign(far - at) * Math.min(bend, Math.abs(far - at) / 2);
  return {
    path: [
      `M${from.x},${from.y}`,
      `Q${from.x},${down} ${from.x + turn(from.x)},${down}`,
      `L${far - turn(from.x)},${down}`,
      `Q${far},${down} ${far},${down - bend}`,
      `L${far},${up + bend}`,
      `Q${far},${up} ${far - turn(to.x)},${up}`,
      `L${to.x + turn(to.x)},${up}`,
      `Q${to.x},${up} ${to.x},${to.y}`,
    ].join(' '),
    labelX: far,
    labelY: (down + up) / 2,
  };
}

/** Distance between a line and the cards. */
const CLEAR = 14;
/** Larger flows skip the search for a lane, which looks at every card. */
const LANES_NODES_MAX = 1_000;

/** The x position at which an upward edge crosses no card; null for a downward edge. */
export function laneOf(boxes: Boxes, source: Box, target: Box): number | null {
  if (target.y - source.y - source.height >= 2 * BEND) return null;
  const others = Object.values(boxes);
  if (others.length > LANES_NODES_MAX) return null;
  const [top, bottom] = [target.y - 2 * BEND, source.y + source.height + 2 * BEND];
  const inTheWay = others.filter(({ y, height }) => y < bottom && y + height > top);
  const right = clearLane(inTheWay, Math.max(source.x, target.x) + NODE_WIDTH + CLEAR, 1);
  const left = clearLane(inTheWay, Math.min(source.x, target.x) - CLEAR, -1);
  const middle = (source.x + target.x + NODE_WIDTH) / 2;
  return right - middle <= middle - left ? right : left;
}

function clearLane(cards: readonly Box[], from: number, way: 1 | -1): number {
  const ordered = [...cards].sort((a, b) => way * (a.x - b.x));
  let lane = from;
  for (const { x } of ordered)
    if (lane > x - CLEAR && lane < x + NODE_WIDTH + CLEAR)
      lane = way === 1 ? x + NODE_WIDTH + CLEAR : x - CLEAR;
  return lane;
}
