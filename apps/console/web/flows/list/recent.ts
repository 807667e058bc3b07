// How many conversations each flow had in the last day: one question to the voice API for all of them, and none where it is not there.
import { useQuery } from '@tanstack/react-query';
import { usageQuery } from '../../analytics/api.ts';
import { windowOf } from '../../analytics/window.rules.ts';
import { useAccess } from '../../shell/access.tsx';
import { useNowMs } from '../../ui/time.tsx';

export interface Recent {
  readonly from: string;
  /** Null: not known yet. */
  countOf(flowId: string): number | null;
}

/** Null: there is nobody to ask, or who asks may not know; the list is what it is without. */
export function useRecent(): Recent | null {
  const isHere = useAccess()('voice-api') === 'signed_in';
  const window = windowOf('24h', useNowMs(), 0);
  const usage = useQuery({ ...usageQuery({ ...window, group_by: 'flow_id' }), enabled: isHere });
  if (!isHere || usage.isError) return null;
  const groups = usage.data?.totals.groups;
  const counts = new Map(groups?.map(({ key, conversations }) => [key, conversations]));
  return { from: window.from, countOf: (flowId) => (groups ? (counts.get(flowId) ?? 0) : null) };
}
