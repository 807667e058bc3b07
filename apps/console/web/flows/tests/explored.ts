// What the searching worker found in the flow on the page: how its tests do, and which edges they take. It looks again after every edit.
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
  /** What it was found in: positions of edges are those of this one. */
  readonly flow: AuthoredFlow | null;
  /** And with these tests, and what it called. */
  readonly beside: readonly unknown[];
}

const nothing: State = { searched: null, flow: null, beside: [] };
export const useExplored = create<State>()(() => nothing);

export const exploredOf = ({ searched }: State): Explored | null =>
  searched?.kind === 'found' ? searched.found : null;

/** After the last keystroke: a search is not worth beginning for every letter. */
const AFTER_MS = 500;
/** Above this many nodes it is searched only while somebody looks. */
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
