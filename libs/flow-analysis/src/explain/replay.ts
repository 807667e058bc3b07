// Replays recorded turns on a version (docs/why.md#replay). Pure: on the recorded version the
// result is the same, byte for byte, and every difference on another comes from its definition.
import type { CompiledFlow } from '@parley/flow-engine/compile/compiled';
import { classifierVersion } from '@parley/flow-engine/classify/classifier';
import { limits } from '@parley/flow-engine/define/limits';
import type { FlowModel } from '@parley/flow-engine/define/model';
import { toJson } from '@parley/answers/readings';
import { bookkeepingName, type Bag } from '@parley/flow-engine/read/paths';
import type { TurnInput } from '@parley/flow-engine/walk/turn';
import { walkTurn } from '@parley/flow-engine/walk/walk';
import { turnResultToWire } from '@parley/flow-engine/walk/wire';
import { bagAfter, compareTurns, type Difference } from './differences.ts';
import { drive, type WalkQuestion } from './drive.ts';
import { readEarlierDecisions } from './earlier-decisions.ts';
import { replayAnswers } from './recorded-answers.ts';
import type { RecordedAnswer } from './recorded-answer.ts';
import { toCallerAnswer, recordTurn, type RecordedTurn } from './recorded-turn.ts';
import { matchNodes, type NodeNow } from './same-nodes.ts';

export interface ReplayOptions {
  /**
   * pinned = every turn starts from its recorded state; free = each turn starts from the outcome of
   * the turn before.
   */
  readonly mode: 'pinned' | 'free';
  /** The flow id and version of the resulting turns. */
  readonly of: { readonly flowId: string; readonly version: number };
  /** The definition that a turn ran on; null = unknown. */
  readonly recordedOn: (turn: RecordedTurn) => FlowModel | null;
  readonly stepsMax?: number;
  readonly stepsProvedMax?: number | null;
  /** Explain every turn, not only those that differ. */
  readonly trace?: boolean;
}

/** Why a turn was not replayed to its end. */
export type StopReason =
  /** A required answer was not recorded: of a model, or of the caller to another question. */
  | 'unknown_answer'
  /** The initial state of the turn was too large to record. */
  | 'not_recorded'
  /** The conversation ended before this turn. */
  | 'ended'
  /** The conversation stopped at an earlier turn. */
  | 'not_reached';

export interface OpenQuestion {
  readonly kind: WalkQuestion['kind'] | 'answer';
  readonly node_id: string;
  /** The prompts of a collect node, the choices of the classifier, or the goal of an agent. */
  readonly asks: readonly string[];
}

export interface ReplayedTurn {
  /** Null = stopped before the comparison. */
  readonly same: boolean | null;
  /** Everything that the turn depends on was recorded. */
  readonly exact: boolean;
  readonly differences: readonly Difference[];
  readonly stopped?: StopReason;
  readonly question?: OpenQuestion;
  /** The replayed turn, in recorded form. */
  readonly after: RecordedTurn | null;
  readonly trace?: readonly unknown[];
}

/** The start of the next turn of a conversation. */
interface Standing {
  readonly recorded: RecordedTurn;
  readonly after: RecordedTurn | null;
  readonly variables: Bag;
}

/**
 * Replays turns one by one, in the given order: a conversation is a run of turns of one session
 * with ascending numbers.
 */
export function startReplay(
  flow: CompiledFlow,
  options: ReplayOptions,
): (turn: RecordedTurn) => ReplayedTurn {
  const pairings = new Map<FlowModel | null, NodeNow>();
  let before: Standing | null = null;
  return (turn) => {
    const from = options.recordedOn(turn);
    const nodeNow = pairings.get(from) ?? matchNodes(from, flow.model);
    pairings.set(from, nodeNow);
    const isLater = before !== null && goesOn(before.recorded, turn);
    const start =
      options.mode === 'free' && isLater ? toStanding(before!, turn, nodeNow) : asRecorded(turn, nodeNow);
    const { replayed, variables } =
      'stopped' in start
        ? { replayed: unreplayed(turn, start.stopped, start.question), variables: {} }
        : replayTurn(flow, turn, start, { from, nodeNow }, options);
    before = { recorded: turn, after: replayed.after, variables };
    return replayed;
  };
}

function goesOn(before: RecordedTurn, turn: RecordedTurn): boolean {
  return before.input?.session_id === turn.input?.session_id && turn.turn > before.turn;
}

type Start =
  | { readonly currentNode: string | null; readonly variables: Bag }
  | { readonly stopped: StopReason; readonly question?: OpenQuestion };

function asRecorded({ current_node, variables_in }: RecordedTurn, nodeNow: NodeNow): Start {
  if (variables_in === null) return { stopped: 'not_recorded' };
  // A removed node is requested all the same, so that the walk refuses it as usual.
  return {
    currentNode: current_node === null ? null : (nodeNow(current_node) ?? current_node),
    variables: variables_in,
  };
}

/** The current state of the conversation, if it is at the node of the recorded answer. */
function toStanding({ after, recorded, variables }: Standing, turn: RecordedTurn, nodeNow: NodeNow): Start {
  if (after === null) return { stopped: 'not_reached' };
  const { next_node: currentNode, messages } = after;
  const wasAt = turn.current_node === null ? null : (nodeNow(turn.current_node) ?? turn.current_node);
  if (wasAt !== currentNode) {
    if (currentNode === null) return { stopped: 'ended' };
    const asks = (messages ?? []).filter(({ type }) => type !== 'message').map(({ text }) => text);
    return { stopped: 'unknown_answer', question: { kind: 'answer', node_id: currentNode, asks } };
  }
  return { currentNode, variables: applyCallersChanges(variables, recorded, turn) };
}

/**
 * Between two turns the caller may have changed variables, for example with the result of a tool.
 */
function applyCallersChanges(variables: Bag, before: RecordedTurn, { variables_in }: RecordedTurn): Bag {
  const handedBack = bagAfter(before);
  if (handedBack === null || variables_in === null) return variables;
  const isKept = (name: string) => toJson(handedBack[name]) === toJson(variables_in[name]);
  const changed = Object.entries(variables_in).filter(([name]) => name !== bookkeepingName && !isKept(name));
  const removed = new Set(Object.keys(handedBack).filter((name) => !Object.hasOwn(variables_in, name)));
  const left = Object.entries(variables).filter(([name]) => !removed.has(name));
  return Object.fromEntries([...left, ...changed]);
}

function unreplayed(turn: RecordedTurn, stopped: StopReason, question?: OpenQuestion): ReplayedTurn {
  const asked = question === undefined ? {} : { question };
  return { same: null, exact: isExact(turn), differences: [], stopped, ...asked, after: null };
}

const isExact = ({ truncated, redacted }: RecordedTurn): boolean =>
  truncated !== true && (redacted ?? []).length === 0;

function replayTurn(
  flow: CompiledFlow,
  turn: RecordedTurn,
  start: { readonly currentNode: string | null; readonly variables: Bag },
  { from, nodeNow }: { readonly from: FlowModel | null; readonly nodeNow: NodeNow },
  options: ReplayOptions,
): { readonly replayed: ReplayedTurn; readonly variables: Bag } {
  const version = turn.input?.classifier ?? classifierVersion;
  const isEarlier = version !== classifierVersion;
  // On an unknown definition, a position of an edge says nothing.
  if (turn.input === null || (isEarlier && from === null))
    return { replayed: unreplayed(turn, 'not_recorded'), variables: {} };
  const earlier = isEarlier ? readEarlierDecisions(turn, version, from!, flow, nodeNow) : undefined;
  const input = toTurnInput(turn, turn.input, { ...start, earlier }, options);
  const given: RecordedAnswer[] = [];
  const outcome = drive(walkTurn(flow, input), replayAnswers(turn, from, flow.model, nodeNow, given));
  if (isQuestion(outcome))
    return { replayed: unreplayed(turn, 'unknown_answer', openQuestion(outcome)), variables: {} };
  const exact = isExact(turn);
  if (outcome.kind !== 'turn') {
    const refused = { what: 'status', before: turn.status, after: outcome.kind } as const;
    return { replayed: { same: false, exact, differences: [refused], after: null }, variables: {} };
  }
  // Fully recorded turns are compared completely, so nothing is measured.
  const after = recordTurn(options.of, flow.model, input, given, outcome, exact ? Infinity : undefined);
  const differences = compareTurns(turn, after, nodeNow);
  const same = differences.length === 0;
  const { variables } = outcome;
  if (same && options.trace !== true) return { replayed: { same, exact, differences, after }, variables };
  // Walked again, so that a turn without an explanation pays nothing for it.
  const explained = drive(
    walkTurn(flow, { ...input, trace: true }),
    replayAnswers(turn, from, flow.model, nodeNow, []),
  );
  const trace = explained.kind === 'turn' ? (turnResultToWire(explained).trace ?? []) : undefined;
  return {
    replayed: { same, exact, differences, after, ...(trace === undefined ? {} : { trace }) },
    variables,
  };
}

const isQuestion = (outcome: ReturnType<typeof drive>): outcome is WalkQuestion =>
  outcome.kind === 'classify' || outcome.kind === 'extract' || outcome.kind === 'run_agent';

function openQuestion(asked: WalkQuestion): OpenQuestion {
  switch (asked.kind) {
    case 'classify':
      return {
        kind: asked.kind,
        node_id: asked.question.nodeId,
        asks: asked.question.candidates.map(({ nl }) => nl),
      };
    case 'extract':
      return { kind: asked.kind, node_id: asked.question.nodeId, asks: [asked.question.prompt ?? ''] };
    case 'run_agent':
      return { kind: asked.kind, node_id: asked.spec.nodeId, asks: [asked.spec.goal ?? ''] };
  }
}

/** Written out: copies of a spread cost more than the turn. */
function toTurnInput(
  { now }: RecordedTurn,
  input: NonNullable<RecordedTurn['input']>,
  { currentNode, variables, earlier }: Pick<TurnInput, 'currentNode' | 'variables' | 'earlier'>,
  { stepsMax, stepsProvedMax }: ReplayOptions,
): TurnInput {
  return {
    currentNode,
    userInput: input.user_input,
    answer: toCallerAnswer(input),
    variables,
    nowMs: Math.round(now * 1000),
    session: input.session_id,
    agentMode: input.agent_mode,
    extractorAvailable: input.extractor,
    stepsMax: stepsMax ?? limits.stepsMax,
    stepsProvedMax: stepsProvedMax ?? null,
    classifierConfidenceMin: input.confidence_min,
    earlier,
  };
}
