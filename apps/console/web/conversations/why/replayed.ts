// Replays recorded turns in the browser's engine, or in the service for flows that call others.
import { queryOptions } from '@tanstack/react-query';
import type { RecordedTurn } from '@parley/flow-analysis';
import type { TraceStep } from '@parley/flow-engine';
import { readBody, flowBuilder } from '../../api/clients.ts';
import { sharedEngine } from '../../engine/client.ts';
import type { FlowSnapshot, Replayed } from '../../engine/replay.ts';
import { readDraft } from '../../flows/document/drafts.ts';
import { readOrganizationId } from '../../api/organization.ts';

/** @param turns of one version. */
export const replayQuery = (
  conversationId: string,
  turns: readonly RecordedTurn[],
  ranOn: FlowSnapshot | undefined,
  on: FlowSnapshot | undefined,
) =>
  queryOptions({
    queryKey: [
      ...['replay', conversationId, turns[0]?.turn, turns.length],
      ...[ranOn?.flowId, ranOn?.version, on?.version, on?.changedAt],
    ],
    queryFn: async () => {
      const here = await sharedEngine().replay({ turns, ranOn: ranOn!, on: on! });
      return here ?? replayInService(turns, on!);
    },
    enabled: turns.length > 0 && on !== undefined && ranOn !== undefined,
    retry: false,
    staleTime: Infinity, // recordings and versions are immutable
  });

/**
 * The service stores every version with the flows it calls, and reports what is wrong with a draft.
 */
async function replayInService(
  turns: readonly RecordedTurn[],
  { flowId, version, definition }: FlowSnapshot,
): Promise<readonly Replayed[]> {
  const on = version === null ? { definition: { ...definition } } : { version };
  const answer = await readBody(
    flowBuilder.POST('/v1/flows/{flow_id}/replay', {
      params: { path: { flow_id: flowId } },
      body: { ...on, mode: 'pinned', trace: true, turns: turns.map((turn) => ({ ...turn })) },
    }),
  );
  return answer.turns;
}

/** The unsaved draft in this browser. */
export const draftQuery = (flowId: string) =>
  queryOptions({
    queryKey: ['draft', flowId],
    queryFn: async ({ client }) => {
      try {
        return (await readDraft(await readOrganizationId(client), flowId)) ?? null;
      } catch {
        return null; // the browser has no storage
      }
    },
    staleTime: 0,
  });

type Wire<T> = { readonly [Name in keyof T]?: T[Name] };
/** A step in a response, which omits members that are null. */
interface WireStep extends Omit<Wire<TraceStep>, 'edges' | 'input' | 'extraction' | 'classifier'> {
  readonly node_id: string;
  readonly edge_index?: number;
  readonly edges_omitted?: number;
  readonly decided_by?: TraceStep['decidedBy'];
  readonly input?: Wire<NonNullable<TraceStep['input']>>;
  readonly extraction?: Wire<NonNullable<TraceStep['extraction']>>;
  readonly classifier?: Wire<NonNullable<TraceStep['classifier']>>;
  readonly edges?: readonly (Omit<TraceStep['edges'][number], 'edgeIndex'> & {
    readonly edge_index: number;
  })[];
}

/** Converts a trace to the engine's form; null when there is no trace. */
export const toSteps = (trace: Replayed['trace']): TraceStep[] | null =>
  trace === undefined ? null : trace.map((step) => toStep(step as WireStep));

function toStep({ node_id, edge_index, edges_omitted, decided_by, ...step }: WireStep): TraceStep {
  const { input, extraction, classifier, edges = [] } = step;
  return {
    ...(step as Pick<TraceStep, 'type' | 'why' | 'result' | 'sets' | 'command'>),
    nodeId: node_id,
    input:
      input === undefined
        ? null
        : ({ status: 'none', attempts: 0, reason: null, ...input } as TraceStep['input']),
    extraction:
      extraction === undefined ? null : { merged: [], rejected: [], unavailable: null, ...extraction },
    classifier:
      classifier === undefined
        ? null
        : ({ index: null, confidence: null, ...classifier } as TraceStep['classifier']),
    edges: edges.map(({ edge_index: edgeIndex, ...edge }) => ({ edgeIndex, ...edge })),
    edgesOmitted: edges_omitted ?? 0,
    decidedBy: decided_by ?? null,
    edgeIndex: edge_index ?? null,
    target: step.target ?? null,
  };
}
