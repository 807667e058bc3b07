// Replays recorded turns (docs/why.md#replay) on the version that ran them or on a draft.
import { startReplay, type OpenQuestion, type RecordedTurn, type ReplayedTurn } from '@parley/flow-analysis';
import {
  listCalls,
  compileFlow,
  limits,
  parseFlow,
  type AuthoredFlow,
  type FlowModel,
} from '@parley/flow-engine';

/** A version or draft of a flow. */
export interface FlowSnapshot {
  readonly flowId: string;
  /** Null for a draft. */
  readonly version: number | null;
  /** Drafts only. */
  readonly changedAt?: number;
  readonly definition: AuthoredFlow;
}

export interface Replay {
  readonly on: FlowSnapshot;
  /** The version that ran, to detect changed questions. */
  readonly ranOn: FlowSnapshot;
  readonly turns: readonly RecordedTurn[];
}

/** From the engine in the browser or in the service. */
export interface Replayed extends Omit<ReplayedTurn, 'after' | 'question'> {
  readonly question?: Omit<OpenQuestion, 'kind'> & { readonly kind: string };
}

/** Null when only the service can replay: the definition is invalid or calls other flows. */
export function replay({ on, ranOn, turns }: Replay): readonly Replayed[] | null {
  const flow = toModel(on);
  const before = ranOn.version === on.version ? flow : toModel(ranOn);
  if (flow === null || before === null) return null;
  const replayOne = startReplay(compileFlow(flow), {
    mode: 'pinned',
    of: { flowId: on.flowId, version: on.version ?? 0 },
    recordedOn: ({ version }) => (version === ranOn.version ? before : null),
    stepsMax: limits.stepsMax,
    trace: true,
  });
  return turns.map((turn) => {
    const { after: _after, ...replayed } = replayOne(turn);
    return replayed;
  });
}

function toModel({ definition }: FlowSnapshot): FlowModel | null {
  const parsed = parseFlow(definition);
  return parsed.ok && listCalls(definition).length === 0 ? parsed.flow : null;
}
