// The page's side of the layout worker, and places for single nodes that came without one.
import { wrap } from 'comlink';
import type { AuthoredFlow } from '@parley/flow-engine';
import { edgesOf, type Place, type Places } from '../document/doc.ts';
import type { Layouts } from './layout.worker.ts';
import { GAP_X, GAP_Y, NODE_HEIGHT, NODE_WIDTH } from './sizes.ts';

export type Arrange = (flow: AuthoredFlow) => Promise<Places>;

let shared: Arrange | undefined;

export const arrangeFlow: Arrange = (flow) => (shared ??= startWorker())(flow);

/** For tests: there is no worker in jsdom. */
export const shareArrange = (arrange: Arrange): void => {
  shared = arrange;
};

function startWorker(): Arrange {
  const worker = new Worker(new URL('./layout.worker.ts', import.meta.url), {
    type: 'module',
    name: 'layout',
  });
  const far = wrap<Layouts>(worker);
  return async (flow) =>
    far.arrange(
      flow.nodes.map(({ id }) => id),
      edgesOf(flow).map(({ source, target }) => ({ source, target })),
    );
}

/** Where a new node goes: below the one that leads to it, beside what stands there already. */
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

/** Places for nodes that have none, such as those typed into the JSON. */
export function placeRest({ nodes, edges }: AuthoredFlow, places: Places): Places {
  const grown: Record<string, Place> = { ...places };
  for (const { id } of nodes) {
    if (grown[id] !== undefined) continue;
    const from = (edges ?? []).find(({ source, target }) => target === id && grown[source] !== undefined);
    grown[id] = placeBelow(grown, from?.source ?? null);
  }
  return grown;
}
