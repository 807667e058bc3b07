// What is different between two definitions, from the engine.
import { queryOptions } from '@tanstack/react-query';
import type { AuthoredFlow } from '@parley/flow-engine';
import { sharedEngine } from '../../engine/client.ts';
import { getFlow } from '../api.ts';

export const versionDiffQuery = (flowId: string, from: number | null, to: number) =>
  queryOptions({
    queryKey: ['flow', flowId, 'diff', from, to],
    queryFn: async () => {
      if (from === null) return null;
      const [older, newer] = await Promise.all([getFlow(flowId, from), getFlow(flowId, to)]);
      const [diff, checked] = await Promise.all([
        sharedEngine().diff(older.definition, newer.definition),
        sharedEngine().read(newer.definition),
      ]);
      return { older, newer, diff, checked };
    },
    staleTime: Infinity, // versions never change
  });

/** @param key names the two: the definition of a draft is no key */
export const draftDiffQuery = (key: readonly unknown[], from: AuthoredFlow, to: AuthoredFlow) =>
  queryOptions({
    queryKey: ['draft-diff', ...key],
    queryFn: () => sharedEngine().diff(from, to),
    staleTime: 0,
    gcTime: 0,
  });
