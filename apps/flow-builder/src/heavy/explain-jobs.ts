// Heavy jobs that explain behaviour (docs/why.md). They get the request unchecked, because checking
// is work too.
import { AppError, jsonPointer } from '@parley/envelopes';
import {
  compareBehaviour,
  generateTests,
  groupUnrecognised,
  measureClassifiers,
  countScripts,
  countTurns,
  reach,
  readAt,
  recordedTurn,
  startReplay,
  type PassCounts,
  type ReachTarget,
  type RecordedTurn,
  type ReplayedTurn,
  type Script,
} from '@parley/flow-analysis';
import { compileFlow, jsonBytes, type FlowModel, type Bag } from '@parley/flow-engine';
import { z } from 'zod';
import { readFlow, limitAnswer, type Playable } from './job-parts.ts';

/** Turns of one request. Read a busy bot's day in several requests. */
export const REPLAYED_TURNS_MAX = 1_000;
/** Bytes of all traces in one response. */
const TRACES_BYTES_MAX = 1024 * 1024;

/** The version that a job explains. */
export type SelectedVersion = Playable & {
  readonly flowId: string;
  /** null: a definition in the request. */
  readonly version: number | null;
  readonly stepsMax: number;
  readonly stepsProvedMax: number | null;
};

/** Definitions on which turns of this flow were recorded, by version. */
export type RecordedOn = Readonly<Record<number, Playable>>;

export type ReplayInput = SelectedVersion & {
  readonly turns: readonly unknown[];
  readonly recordedOn: RecordedOn;
  readonly mode: 'pinned' | 'free';
  readonly trace: boolean;
};

/** @throws AppError invalid_request, limit_exceeded */
export async function replay({ flowId, version, mode, trace, ...input }: ReplayInput) {
  const turns = parseTurns(input.turns);
  const flow = compileFlow(readFlow(input));
  const models = readModels(input.recordedOn);
  if (version !== null) models.set(version, flow.model);
  const { stepsMax, stepsProvedMax } = input;
  const replayOne = startReplay(flow, {
    mode,
    trace,
    stepsMax,
    stepsProvedMax,
    of: { flowId, version: version ?? 0 },
    recordedOn: (turn) => (turn.flow_id === flowId ? (models.get(turn.version) ?? null) : null),
  });
  let tracesLeft = TRACES_BYTES_MAX;
  const shown = turns.map((turn) => {
    const replayed = replayOne(turn);
    const bytes = replayed.trace === undefined ? 0 : jsonBytes(replayed.trace, tracesLeft);
    tracesLeft -= bytes;
    return toReplayedTurn(turn, tracesLeft < 0 ? { ...replayed, trace: undefined } : replayed);
  });
  const count = (same: boolean | null) => shown.filter((turn) => turn.same === same).length;
  return limitAnswer({ same: count(true), different: count(false), stopped: count(null), turns: shown });
}

export function readModels(recordedOn: RecordedOn): Map<number, FlowModel> {
  return new Map(Object.entries(recordedOn).map(([version, one]) => [Number(version), readFlow(one)]));
}

function toReplayedTurn(
  { flow_id, version, turn, input }: RecordedTurn,
  replayed: Omit<ReplayedTurn, 'trace'> & { readonly trace?: ReplayedTurn['trace'] | undefined },
) {
  const { same, exact, differences, stopped, question, trace } = replayed;
  return {
    recorded: { flow_id, version, session_id: input?.session_id ?? null, turn },
    same,
    exact,
    differences,
    ...(stopped === undefined ? {} : { stopped }),
    ...(question === undefined ? {} : { question }),
    ...(trace === undefined ? {} : { trace }),
  };
}

const recordedTurns = z.array(recordedTurn).max(REPLAYED_TURNS_MAX);
/** Maximum number of reported problems. */
const PROBLEMS_MAX = 100;

/** @throws AppError invalid_request, each place as a JSON pointer into the request body */
export function parseTurns(turns: readonly unknown[]): RecordedTurn[] {
  const parsed = recordedTurns.safeParse(turns);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues
    .slice(0, PROBLEMS_MAX)
    .map(({ path, message }) => ({ path: jsonPointer(['turns', ...path]), message }));
  throw new AppError('invalid_request', 'the request has turns that are not recorded turns', { fields });
}

/** Bytes of the tests in a response, and of the uncovered edges. */
const LISTED_BYTES_MAX = 1.5 * 1024 * 1024;

/** @throws AppError invalid_request, limit_exceeded */
export async function generate({ stepsMax, stepsProvedMax, ...looked }: SelectedVersion) {
  const flow = compileFlow(readFlow(looked));
  const { tests, edges, uncovered } = generateTests(flow, { stepsMax, stepsProvedMax });
  const [listed, open] = [selectFitting(tests, LISTED_BYTES_MAX), selectFitting(uncovered, LISTED_BYTES_MAX)];
  return {
    edges,
    tests: listed,
    tests_omitted: tests.length - listed.length,
    uncovered: open.map(({ edge, ...why }) => ({ edge_index: edge, ...why })),
    uncovered_omitted: uncovered.length - open.length,
  };
}

function selectFitting<T>(list: readonly T[], bytesMax: number): T[] {
  let left = bytesMax;
  const end = list.findIndex((item) => (left -= JSON.stringify(item).length) < 0);
  return list.slice(0, end === -1 ? list.length : end);
}

export type CoverageInput = SelectedVersion & {
  readonly nowMs: number;
  /** Counts visits of stored tests, of recorded turns, or of generated tests. */
  readonly by: { readonly scripts: readonly Script[] } | { readonly turns: readonly unknown[] } | 'generated';
};

/** @throws AppError invalid_request */
export async function cover({ flowId, version, nowMs, by, ...looked }: CoverageInput) {
  const { stepsMax, stepsProvedMax } = looked;
  const bounds = { stepsMax, stepsProvedMax };
  const flow = compileFlow(readFlow(looked));
  if (by === 'generated') {
    const scripts = generateTests(flow, bounds).tests.map(({ test }) => test);
    return toCoverage(countScripts(flow, scripts, nowMs, bounds), scripts.length);
  }
  if ('scripts' in by) return toCoverage(countScripts(flow, by.scripts, nowMs, bounds), by.scripts.length);
  const ofThis = parseTurns(by.turns).filter((turn) => turn.flow_id === flowId && turn.version === version);
  return toCoverage(countTurns(flow.model, ofThis), ofThis.length, groupUnrecognised(flow, ofThis));
}

const toCoverage = (
  { edges, nodes }: PassCounts,
  count: number,
  unrecognised: ReturnType<typeof groupUnrecognised> = [],
) => ({ edges: [...edges], nodes: [...nodes], count, unrecognised });

/** @throws AppError limit_exceeded */
export async function measureClassifier(looked: SelectedVersion) {
  return limitAnswer(measureClassifiers(compileFlow(readFlow(looked))));
}

/** @throws AppError invalid_request */
export async function reachTarget({
  target,
  stepsMax,
  stepsProvedMax,
  ...looked
}: SelectedVersion & { readonly target: ReachTarget }) {
  return reach(compileFlow(readFlow(looked)), target, { stepsMax, stepsProvedMax });
}

/** @throws AppError invalid_request */
export async function readUtterance({
  nodeId,
  utterance,
  variables,
  nowMs,
  ...looked
}: SelectedVersion & {
  readonly nodeId: string;
  readonly utterance: string;
  readonly variables: Bag;
  readonly nowMs: number;
}) {
  return readAt(compileFlow(readFlow(looked)), nodeId, utterance, { variables, nowMs });
}

export interface ComparisonInput {
  readonly flowId: string;
  readonly from: Playable & { readonly version: number };
  readonly to: Playable & { readonly version: number | null };
  readonly tests: readonly { readonly name: string; readonly test: Script }[];
  readonly turns: readonly unknown[];
  readonly recordedOn: RecordedOn;
  readonly nowMs: number;
  readonly stepsMax: number;
}

/** @throws AppError invalid_request, limit_exceeded */
export async function compare({ flowId, from, to, tests, nowMs, stepsMax, ...recorded }: ComparisonInput) {
  const turns = parseTurns(recorded.turns);
  const [before, after] = [from, to].map((one) => compileFlow(readFlow(one)));
  const models = readModels(recorded.recordedOn).set(from.version, before!.model);
  if (to.version !== null) models.set(to.version, after!.model);
  const behaviour = compareBehaviour(before!, after!, {
    scripts: tests,
    turns,
    nowMs,
    bounds: { stepsMax },
    recordedOn: ({ flow_id, version }) => (flow_id === flowId ? (models.get(version) ?? null) : null),
  });
  return limitAnswer(behaviour);
}
