// Replays turns on the version that ran them, and on the draft or else the newest version.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { RecordedTurn } from '@parley/flow-analysis';
import type { Look, Replayed } from '../../engine/replay.ts';
import { flowQuery, type StoredFlow } from '../../flows/api.ts';
import { keptOf } from './recorded.ts';
import { draftQuery, replayQuery } from './replayed.ts';

export interface Replays {
  readonly ranOn: Look | undefined;
  readonly then: Asked;
  /** Null: nothing is newer than the version that ran. Undefined: still loading. */
  readonly draft: (Asked & { readonly look: Look }) | null | undefined;
  /** Numbers of the turns in which the draft has another result. */
  readonly otherwise: readonly number[];
  /** Why the version that ran could not be loaded. */
  readonly error: Error | null;
  again(): void;
}

export interface Asked {
  readonly replayed: Replayed | undefined;
  readonly error: Error | null;
  readonly isLoading: boolean;
}

/** Replays all turns of the page together, so that the next turn shows without waiting. */
export function useReplays(
  conversationId: string,
  turn: RecordedTurn,
  beside: readonly RecordedTurn[],
): Replays {
  const { flow_id, version } = turn;
  const stored = useQuery(flowQuery(flow_id, version));
  const newest = useQuery(flowQuery(flow_id));
  const kept = useQuery(draftQuery(flow_id));
  const turns = useMemo(
    () =>
      beside.filter((one) => one.flow_id === flow_id && one.version === version && keptOf(one) !== 'path'),
    [beside, flow_id, version],
  );
  const at = turns.indexOf(turn);
  const ranOn = useMemo(() => stored.data && lookOf(stored.data), [stored.data]);
  const look = useMemo<Look | null | undefined>(() => {
    if (kept.data === undefined || newest.data === undefined) return undefined;
    if (kept.data !== null) {
      const { definition, changedAt } = kept.data;
      return { flowId: flow_id, version: null, definition, changedAt };
    }
    return newest.data.version === version ? null : lookOf(newest.data);
  }, [kept.data, newest.data, flow_id, version]);
  const then = useQuery(replayQuery(conversationId, turns, ranOn, ranOn));
  const draft = useQuery(replayQuery(conversationId, turns, ranOn, look ?? undefined));
  return {
    ranOn,
    then: { replayed: then.data?.[at], error: then.error, isLoading: then.isLoading },
    draft: look && { look, replayed: draft.data?.[at], error: draft.error, isLoading: draft.isLoading },
    otherwise: turns.flatMap((one, place) => (draft.data?.[place]?.same === false ? [one.turn] : [])),
    error: stored.error,
    again: () => void stored.refetch(),
  };
}

const lookOf = ({ flow_id, version, definition }: StoredFlow): Look => ({
  flowId: flow_id,
  version,
  definition,
});

export const nameOf = ({ version }: Pick<Look, 'version'>): string =>
  version === null ? 'Your draft' : `Version ${version}`;
