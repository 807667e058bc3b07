// Replays turns on the version that ran them, and on the draft or else the newest version.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { RecordedTurn } from '@parley/flow-analysis';
import type { FlowSnapshot, Replayed } from '../../engine/replay.ts';
import { flowQuery, type StoredFlow } from '../../flows/api.ts';
import { getCompleteness } from './recorded.ts';
import { draftQuery, replayQuery } from './replayed.ts';

export interface Replays {
  readonly ranOn: FlowSnapshot | undefined;
  readonly recorded: ReplayResult;
  /** Null: nothing is newer than the version that ran. Undefined: still loading. */
  readonly draft: (ReplayResult & { readonly look: FlowSnapshot }) | null | undefined;
  /** Numbers of the turns in which the draft has another result. */
  readonly differing: readonly number[];
  /** Why the version that ran could not be loaded. */
  readonly error: Error | null;
  retry(): void;
}

export interface ReplayResult {
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
      beside.filter(
        (one) => one.flow_id === flow_id && one.version === version && getCompleteness(one) !== 'path',
      ),
    [beside, flow_id, version],
  );
  const at = turns.indexOf(turn);
  const ranOn = useMemo(() => stored.data && toSnapshot(stored.data), [stored.data]);
  const look = useMemo<FlowSnapshot | null | undefined>(() => {
    if (kept.data === undefined || newest.data === undefined) return undefined;
    if (kept.data !== null) {
      const { definition, changedAt } = kept.data;
      return { flowId: flow_id, version: null, definition, changedAt };
    }
    return newest.data.version === version ? null : toSnapshot(newest.data);
  }, [kept.data, newest.data, flow_id, version]);
  const then = useQuery(replayQuery(conversationId, turns, ranOn, ranOn));
  const draft = useQuery(replayQuery(conversationId, turns, ranOn, look ?? undefined));
  return {
    ranOn,
    recorded: { replayed: then.data?.[at], error: then.error, isLoading: then.isLoading },
    draft: look && { look, replayed: draft.data?.[at], error: draft.error, isLoading: draft.isLoading },
    differing: turns.flatMap((one, place) => (draft.data?.[place]?.same === false ? [one.turn] : [])),
    error: stored.error,
    retry: () => void stored.refetch(),
  };
}

const toSnapshot = ({ flow_id, version, definition }: StoredFlow): FlowSnapshot => ({
  flowId: flow_id,
  version,
  definition,
});

export const labelVersion = ({ version }: Pick<FlowSnapshot, 'version'>): string =>
  version === null ? 'Your draft' : `Version ${version}`;
