// Positions single nodes without moving others, except to make room.
import type { AuthoredFlow } from '@parley/flow-engine';
import type { Place, Places } from './doc.ts';
import { boxesOf, heightOf, type Box, type Boxes } from './card-size.ts';
import { GAP_X, GAP_Y, NODE_HEIGHT, NODE_WIDTH } from './sizes.ts';

/** Below the source of the new node, next to existing nodes. */
export function placeBelow(boxes: Boxes, from: string | null): Place {
  const above = from === null ? undefined : boxes[from];
  const all = Object.values(boxes);
  let { x, y } = above === undefined ? { x: 0, y: 0 } : { x: above.x, y: above.y + above.height + GAP_Y };
  if (above === undefined && all.length > 0) {
    x = Math.min(...all.map((place) => place.x));
    y = Math.max(...all.map((box) => box.y + box.height)) + GAP_Y;
  }
  const isTaken = () =>
    all.some((box) => Math.abs(box.x - x) < NODE_WIDTH && box.y < y + NODE_HEIGHT && box.y + box.height > y);
  while (isTaken()) x += NODE_WIDTH + GAP_X;
  return { x, y };
}

/** Positions nodes without one, for example those typed into the JSON. */
export function placeRest(flow: AuthoredFlow, places: Places): Places {
  const boxes: Record<string, Box> = { ...boxesOf(flow, places) };
  const grown: Record<string, Place> = { ...places };
  for (const node of flow.nodes) {
    const { id } = node;
    if (grown[id] !== undefined) continue;
    const from = (flow.edges ?? []).find(
      ({ source, target }) => target === id && boxes[source] !== undefined,
    );
    const place = placeBelow(boxes, from?.source ?? null);
    grown[id] = place;
    boxes[id] = { x: place.x, y: place.y, height: heightOf(node) };
  }
  return grown;
}

/** Makes room for a row: moves everything at or below `top` down. */
export function roomAt(places: Places, top: number): Places {
  return Object.fromEntries(
    Object.entries(places).map(([id, { x, y }]) => [id, { x, y: y >= top ? y + NODE_HEIGHT + GAP_Y : y }]),
  );
}
