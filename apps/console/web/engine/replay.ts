// Recorded turns, walked again (docs/why.md#replay): on the version that ran them, and on a draft that was never sent.
import {
  listCalls,
  compileFlow,
  limits,
  parseFlow,
  startReplay,
  type AuthoredFlow,
  type FlowModel,
  type OpenQuestion,
  type RecordedTurn,
  type ReplayedTurn,
} from '@parley/flow-engine';

/** A definition that is looked at. */
export interface Look {
  readonly flowId: string;
  /** null: a draft. */
  readonly version: number | null;
  /** Of a draft. */
  readonly changedAt?: number;
  readonly definition: AuthoredFlow;
}

export interface Replay {
  readonly on: Look;
  /** What the turns ran on: it tells whether a question is still the same. */
  readonly ranOn: Look;
  readonly turns: readonly RecordedTurn[];
}

/** As the engine tells it, or the service. */
export interface Replayed extends Omit<ReplayedTurn, 'after' | 'question'> {
  readonly question?: Omit<OpenQuestion, 'kind'> & { readonly kind: string };
}

/** Each turn from what was recorded. null where that cannot be done here: it is no definition, or calls flows that only the service has. */
export function replay({ on, ranOn, turns }: Replay): readonly Replayed[] | null {
  const flow = modelOf(on);
  const before = ranOn.version === on.version ? flow : modelOf(ranOn);
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

function modelOf({ definition }: Look): FlowModel | null {
  const parsed = parseFlow(definition);
  return parsed.ok && listCalls(definition).length === 0 ? parsed.flow : null;
}
