// Runs the tests of the flow in the search worker after every edit, and measures their coverage.
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { create } from 'zustand';
import type { AuthoredFlow } from '@parley/flow-engine';
import type { Called } from '../../engine/called.ts';
import { sharedEngine } from '../../engine/client.ts';
import type { Explored } from '../../engine/explore.ts';
import type { Searched } from '../../engine/searching.ts';
import { testsQuery } from '../api.ts';
import { useFlow } from '../document/flow-store.ts';

interface State {
  readonly searched: Searched<Explored> | null;
  /** The flow of the result: edge indexes refer to it. */
  readonly flow: AuthoredFlow | null;
  /** The tests and called flows of the result. */
  readonly beside: readonly unknown[];
}

const nothing: State = { searched: null, flow: null, beside: [] };
export const useExplored = create<State>()(() => nothing);

export const exploredOf = ({ searched }: State): Explored | null =>
  searched?.kind === 'found' ? searched.found : null;

/** Wait for a pause in typing before a search. */
const AFTER_MS = 500;
/** Larger flows are searched only while the panel is open. */
const WATCHED_NODES_MAX = 200;

export function useExplore(flowId: string, called: Called | null, isLookedAt: boolean): void {
  const flow = useFlow((state) => state.doc.flow);
  const { data: tests } = useQuery(testsQuery(flowId));
  const isWatched = isLookedAt || flow.nodes.length <= WATCHED_NODES_MAX;
  useEffect(() => {
    if (!isWatched || tests === undefined || called === null) return;
    const last = useExplored.getState();
    if (last.flow === flow && last.beside[0] === tests && last.beside[1] === called) return;
    const timer = setTimeout(() => {
      void sharedEngine()
        .explore({ definition: flow, tests, nowMs: Date.now() })
        .then((searched) => {
          if (searched !== null) useExplored.setState({ searched, flow, beside: [tests, called] });
        });
    }, AFTER_MS);
    return () => clearTimeout(timer);
  }, [isWatched, flow, called, tests]);
  useEffect(() => () => useExplored.setState(nothing), [flowId]);
}
