// Counts the conversations of all flows in the last day with one request.
import { useQuery } from '@tanstack/react-query';
import { usageQuery } from '../../analytics/api.ts';
import { toWindow } from '../../analytics/window.rules.ts';
import { useAccess } from '../../session/access.tsx';
import { useNowMs } from '../../ui/time.tsx';

export interface Recent {
  readonly from: string;
  /** Null while loading. */
  countOf(flowId: string): number | null;
}

/** Null without the voice API or the scope: the list then has no counts. */
export function useRecent(): Recent | null {
  const isHere = useAccess()('voice-api') === 'signed_in';
  const window = toWindow({ span: '24h' }, useNowMs(), 0);
  const usage = useQuery({ ...usageQuery({ ...window, group_by: 'flow_id' }), enabled: isHere });
  if (!isHere || usage.isError) return null;
  const groups = usage.data?.totals.groups;
  const counts = new Map(groups?.map(({ key, conversations }) => [key, conversations]));
  return { from: window.from, countOf: (flowId) => (groups ? (counts.get(flowId) ?? 0) : null) };
}
