// Finds the next node for an arrow key.
import type { Place, Places } from '../document/doc.ts';

const WAYS: Readonly<Record<string, (from: Place, to: Place) => readonly [ahead: number, aside: number]>> = {
  ArrowDown: (from, to) => [to.y - from.y, to.x - from.x],
  ArrowUp: (from, to) => [from.y - to.y, to.x - from.x],
  ArrowRight: (from, to) => [to.x - from.x, to.y - from.y],
  ArrowLeft: (from, to) => [from.x - to.x, to.y - from.y],
};
/** Sideways distance counts more than distance ahead. */
const ASIDE = 2;
const AHEAD_MIN = 8;

export const isArrow = (key: string): boolean => Object.hasOwn(WAYS, key);

/** The nearest node in the direction of an arrow key, preferably straight ahead; null if none. */
export function nearest(places: Places, from: string, key: string): string | null {
  const here = places[from];
  const way = WAYS[key];
  if (here === undefined || way === undefined) return null;
  const found = Object.entries(places)
    .filter(([id]) => id !== from)
    .map(([id, place]) => {
      const [ahead, aside] = way(here, place);
      return {
        id,
        ahead,
        isAside: Math.abs(aside) > ASIDE * ahead,
        distance: ahead + ASIDE * Math.abs(aside),
      };
    })
    .filter(({ ahead }) => ahead >= AHEAD_MIN)
    .sort((a, b) => Number(a.isAside) - Number(b.isAside) || a.distance - b.distance);
  return found[0]?.id ?? null;
}
