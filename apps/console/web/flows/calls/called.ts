// Loads the flows that a flow calls, as saving it now would resolve them (../engine/called.ts).
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { calledKey, listCalls, type AuthoredFlow, type PinnedCall } from '@parley/flow-engine';
import { ApiError } from '../../api/error.ts';
import type { Called, StoredCall, StoredCalls } from '../../engine/called.ts';
import { getFlow } from '../api.ts';

/** Null while loading. */
export function useCalled(flowId: string, flow: AuthoredFlow): Called | null {
  const key = JSON.stringify(listCalls(flow));
  const { data } = useQuery({
    queryKey: ['called', flowId, key],
    queryFn: () => storedCalls(flow, null),
    enabled: key !== '[]',
    staleTime: 60_000,
  });
  const versions = key === '[]' ? nothing : data;
  return useMemo(() => (versions === undefined ? null : { flowId, versions }), [flowId, versions]);
}

const nothing: StoredCalls = {};

/** @param pinned inside a called flow: the versions pinned when it was saved */
export async function storedCalls(
  definition: AuthoredFlow,
  pinned: readonly PinnedCall[] | null,
): Promise<StoredCalls> {
  const calls = await Promise.all(
    listCalls(definition).map(async ({ flowId, version }) => {
      const asked = pinned === null ? version : pinnedVersion(definition, pinned, { flowId, version });
      const stored = asked === null ? null : await storedCall(flowId, asked);
      return stored === null ? [] : [[calledKey({ flowId, version }), stored] as const];
    }),
  );
  return Object.fromEntries(calls.flat());
}

type Call = Parameters<typeof calledKey>[0];

/** Identical calls are pinned to one version, so the first caller decides. */
function pinnedVersion(definition: AuthoredFlow, pinned: readonly PinnedCall[], call: Call): number | null {
  const key = calledKey(call);
  const caller = definition.nodes.find((node) =>
    listCalls({ nodes: [node] }).some((one) => calledKey(one) === key),
  );
  return pinned.find(({ node_id }) => node_id === caller?.id)?.version ?? null;
}

/** Null when the version does not exist; validation reports that. */
async function storedCall(flowId: string, asked: Call['version']): Promise<StoredCall | null> {
  try {
    const { definition, version, validation, calls = [] } = await getFlow(flowId, asked);
    const valid = validation.errors.length === 0;
    return { flowId, version, valid, definition, calls, inner: await storedCalls(definition, calls) };
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}
