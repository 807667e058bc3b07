// The line of an edge. Down the page it is a curve; upwards and sideways it goes round the cards, which a curve would cross.
import { GAP_X, NODE_WIDTH } from './sizes.ts';

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

/** Edges of one node leave it side by side, in the order in which they are tried. */
function leaveAt(x: number, place: number, of: number): number {
  if (of < 2) return x;
  const spread = Math.min(SPREAD_MAX, (NODE_WIDTH - 56) / (of - 1));
  return x + (place - (of - 1) / 2) * spread;
}

export function edgeRoute(source: Ending, target: Ending, place: number, of: number): Route {
  const x = leaveAt(source.x, place, of);
  return target.y - source.y >= 2 * BEND
    ? curve({ x, y: source.y }, target, of < 2 ? 0.5 : 0.38 + (0.28 * place) / (of - 1))
    : roundabout({ x, y: source.y }, target, place);
}

function curve(from: Ending, to: Ending, labelAt: number): Route {
  const pull = Math.max(24, (to.y - from.y) * 0.45);
  const [y1, y2] = [from.y + pull, to.y - pull];
  const t = labelAt;
  const s = 1 - t;
  const at = (a: number, b: number, c: number, d: number) =>
    s * s * s * a + 3 * s * s * t * b + 3 * s * t * t * c + t * t * t * d;
  return {
    path: `M${from.x},${from.y} C${from.x},${y1} ${to.x},${y2} ${to.x},${to.y}`,
    labelX: at(from.x, from.x, to.x, to.x),
    labelY: at(from.y, y1, y2, to.y),
  };
}

function roundabout(from: Ending, to: Ending, place: number): Route {
  const isRight = to.x <= from.x;
  const side = isRight ? 1 : -1;
  const edge = isRight ? Math.max(from.x, to.x) : Math.min(from.x, to.x);
  const far = edge + side * (NODE_WIDTH / 2 + GAP_X / 2 + place * 8);
  const [down, up] = [from.y + BEND + place * 4, to.y - BEND - 4];
  const turn = Math.min(BEND, Math.abs(far - from.x) / 2, Math.abs(down - up) / 2);
  return {
    path: [
      `M${from.x},${from.y}`,
      `Q${from.x},${down} ${from.x + side * turn},${down}`,
      `L${far - side * turn},${down}`,
      `Q${far},${down} ${far},${down - turn}`,
      `L${far},${up + turn}`,
      `Q${far},${up} ${far - side * turn},${up}`,
      `L${to.x + side * turn},${up}`,
      `Q${to.x},${up} ${to.x},${to.y}`,
    ].join(' '),
    labelX: far,
    labelY: (down + up) / 2,
  };
}
