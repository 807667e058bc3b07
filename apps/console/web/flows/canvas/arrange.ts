// The client of the layout worker.
import { wrap } from 'comlink';
import { useEffect, useState } from 'react';
import type { AuthoredFlow } from '@parley/flow-engine';
import { edgesOf, type Doc, type Places } from '../document/doc.ts';
import { heightOf } from '../document/card-size.ts';
import type { Layouts } from './layout.worker.ts';

export type Arrange = (flow: AuthoredFlow) => Promise<Places>;

let shared: Arrange | undefined;

export const arrangeFlow: Arrange = (flow) => (shared ??= startWorker())(flow);

/** Positions of a read-only flow; null while arranging. Use another `key` for another flow. */
export function useArranged({ flow, places }: Doc): Places | null {
  const [arranged, setArranged] = useState<Places | null>(null);
  const isPlaced = flow.nodes.every(({ id }) => places[id] !== undefined);
  useEffect(() => {
    if (!isPlaced) void arrangeFlow(flow).then(setArranged);
  }, [isPlaced, flow]);
  return isPlaced ? places : arranged;
}

/** For tests: jsdom has no workers. */
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
      Object.fromEntries(flow.nodes.map((node) => [node.id, heightOf(node)])),
    );
}
