// Positions single nodes without moving others, except to make room.
import type { AuthoredFlow } from '@parley/flow-engine';
import type { Place, Places } from './doc.ts';
import { GAP_X, GAP_Y, NODE_HEIGHT, NODE_WIDTH } from './sizes.ts';

/** Below the source of the new node, next to existing nodes. */
export function placeBelow(places: Places, from: string | null): Place {
  const above = from === null ? undefined : places[from];
  const all = Object.values(places);
  let { x, y } = above === undefined ? { x: 0, y: 0 } : { x: above.x, y: above.y + NODE_HEIGHT + GAP_Y };
  if (above === undefined && all.length > 0) {
    x = Math.min(...all.map((place) => place.x));
    y = Math.max(...all.map((place) => place.y)) + NODE_HEIGHT + GAP_Y;
  }
  const isTaken = () =>
    all.some((place) => Math.abs(place.x - x) < NODE_WIDTH && Math.abs(place.y - y) < NODE_HEIGHT);
  while (isTaken()) x += NODE_WIDTH + GAP_X;
  return { x, y };
}

/** Positions nodes without one, for example those typed into the JSON. */
export function placeRest({ nodes, edges }: AuthoredFlow, places: Places): Places {
  const grown: Record<string, Place> = { ...places };
  for (const { id } of nodes) {
    if (grown[id] !== undefined) continue;
    const from = (edges ?? []).find(({ source, target }) => target === id && grown[source] !== undefined);
    grown[id] = placeBelow(grown, from?.source ?? null);
  }
  return grown;
}

/** Makes room for a row: moves everything at or below `top` down. */
export function roomAt(places: Places, top: number): Places {
  return Object.fromEntries(
    Object.entries(places).map(([id, { x, y }]) => [id, { x, y: y >= top ? y + NODE_HEIGHT + GAP_Y : y }]),
  );
}
