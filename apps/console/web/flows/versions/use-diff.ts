// Queries for the differences between two definitions.
import { queryOptions } from '@tanstack/react-query';
import type { AuthoredFlow } from '@parley/flow-engine';
import { sharedEngine } from '../../engine/client.ts';
import { getFlow, type StoredTest } from '../api.ts';
import { storedCalls } from '../calls/called.ts';

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
    staleTime: Infinity, // versions are immutable
  });

/** @param key identifies the pair, because a definition is too large for a key */
export const draftDiffQuery = (key: readonly unknown[], from: AuthoredFlow, to: AuthoredFlow) =>
  queryOptions({
    queryKey: ['draft-diff', ...key],
    queryFn: () => sharedEngine().diff(from, to),
    staleTime: 0,
    gcTime: 0,
  });

/** Compares a draft with its base version, which runs with its pinned calls. */
export const draftBehaviourQuery = (
  flowId: string,
  version: number,
  draft: AuthoredFlow,
  tests: readonly StoredTest[],
) =>
  queryOptions({
    queryKey: ['draft-behaviour', flowId, version],
    queryFn: async () => {
      const { definition, calls = [] } = await getFlow(flowId, version);
      const called = { flowId, versions: await storedCalls(definition, calls) };
      return sharedEngine().compare({ definition, called }, draft, tests);
    },
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
