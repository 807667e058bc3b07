// Walks the earlier turns of a chat without reporting them (docs/openai.md#history). Threads load
// this file, so it imports nothing that opens a connection.
import { AppError } from '@parley/envelopes';
import {
  jsonBytes,
  walkTurn,
  openCallAt,
  type Bag,
  type CallerAnswer,
  type CompiledFlow,
  type TurnInput,
  type TurnResult,
} from '@parley/flow-engine';
import { UnansweredQuestion } from './unanswered-question.ts';
import { driveTurn, type Answers, toTurnResult, VARIABLES_BYTES_MAX } from './turn.ts';

/** The main thread pauses this often for other requests. */
const BREATHE_EVERY_MS = 5;

/** What arrived between two answers. */
export interface HistoryTurn {
  readonly userInput: string | null;
  readonly results: readonly ToolMessage[];
}

export interface ToolMessage {
  /** Null = the open call. */
  readonly callId: string | null;
  readonly outcome: ToolOutcome;
}

export type ToolOutcome = Extract<CallerAnswer, { kind: 'tool_result' }>['outcome'];

export interface History {
  /** The turns that remain. */
  readonly turns: readonly HistoryTurn[];
  /** Number of turns before them. */
  readonly done: number;
  readonly state: ConversationState;
  /** The part of the input that all turns share. */
  readonly turn: Omit<TurnInput, 'currentNode' | 'userInput' | 'answer' | 'variables'>;
}

export interface ConversationState {
  readonly currentNode: string | null;
  readonly variables: Bag;
  /** The tool call that the flow waits for. */
  readonly callId: string | null;
  /** Ids of all calls so far. */
  readonly calls: readonly string[];
  /** What arrived for calls that a command has interrupted, or that still run. */
  readonly late: readonly ToolMessage[];
  /** How the conversation ended; null while it continues. */
  readonly ended: 'completed' | 'handed_off' | null;
  /** A person has the conversation and may return it. */
  readonly isAway: boolean;
}

export function createState(variables: Bag): ConversationState {
  return { currentNode: null, variables, callId: null, calls: [], late: [], ended: null, isAway: false };
}

/** @throws AppError payload_too_large */
export function toTurnInput({ turn, state }: Pick<History, 'turn' | 'state'>, next: HistoryTurn): TurnInput {
  const { currentNode, variables, isAway } = state;
  const answer: CallerAnswer | null = isAway
    ? { kind: 'handoff_result', status: 'returned', reason: null }
    : selectToolResult(next, state);
  // No spread: a history has many turns, and copying costs more than the rest.
  return {
    agentMode: turn.agentMode,
    extractorAvailable: turn.extractorAvailable,
    stepsMax: turn.stepsMax,
    stepsProvedMax: turn.stepsProvedMax,
    classifierConfidenceMin: turn.classifierConfidenceMin,
    currentNode,
    userInput: next.userInput,
    answer,
    variables,
    nowMs: turn.nowMs,
    session: turn.session,
    variablesBytes: measureVariables(variables),
  };
}

/**
 * What is known of the open call: its result, or that it still runs. A result that arrives after
 * its node was left changes nothing; the engine refuses one of a call that was never made.
 */
function selectToolResult({ results }: HistoryTurn, state: ConversationState): CallerAnswer | null {
  const { callId, late, calls } = state;
  const ours = [...late, ...results].filter((one) => one.callId === callId || one.callId === null);
  const known = callId === null ? undefined : (ours.findLast(isFinal) ?? ours.at(-1));
  const result = known ?? results.findLast((one) => one.callId === null || !calls.includes(one.callId));
  return result ? { kind: 'tool_result', ...result } : null;
}

const isFinal = ({ outcome }: ToolMessage): boolean => outcome.status !== 'pending';

/** Only results of calls that nothing waits for: the caller said nothing, and nothing happens. */
export function isIdle({ userInput, results }: HistoryTurn, state: ConversationState): boolean {
  const { callId, calls, isAway } = state;
  if (userInput !== null || results.length === 0 || callId !== null || isAway) return false;
  return results.every((one) => one.callId !== null && calls.includes(one.callId));
}

function keepLate(state: ConversationState, { results }: HistoryTurn): ConversationState {
  return results.length === 0 ? state : { ...state, late: [...state.late, ...results] };
}

function measureVariables(variables: Bag): number {
  const bytes = jsonBytes(variables, VARIABLES_BYTES_MAX);
  // jsonBytes is fast because it counts the longest possible encoding of short texts.
  if (bytes <= VARIABLES_BYTES_MAX || Buffer.byteLength(JSON.stringify(variables)) <= VARIABLES_BYTES_MAX)
    return Math.min(bytes, VARIABLES_BYTES_MAX);
  throw new AppError(
    'payload_too_large',
    `the variables take more than ${VARIABLES_BYTES_MAX} bytes of JSON`,
  );
}

function toState(
  { status, nextNode, variables, actions }: TurnResult,
  before: ConversationState,
  { results }: HistoryTurn,
): ConversationState {
  const made = actions.flatMap((action) => ('callId' in action ? (action.callId ?? []) : []));
  const callId = nextNode === null ? null : openCallAt(variables, nextNode);
  return {
    currentNode: nextNode,
    variables,
    callId,
    calls: made.length === 0 ? before.calls : [...before.calls, ...made],
    late: results.length === 0 ? before.late : [...before.late, ...results],
    ended: nextNode !== null ? null : status === 'handed_off' ? 'handed_off' : 'completed',
    isAway: nextNode !== null && status === 'handed_off',
  };
}

/** Remaining turns mean that the time is up, or that a question needs an answer from elsewhere. */
export interface CatchUpProgress {
  readonly history: History;
  readonly asked?: { readonly to: keyof Answers; readonly question: unknown };
}

/** `msMax` limits turns without questions. Turns with questions wait and block nobody. */
export async function catchUp(
  flow: CompiledFlow,
  history: History,
  answersOf: (turn: number) => Answers,
  msMax = Infinity,
): Promise<CatchUpProgress> {
  const { turns, turn } = history;
  let { state } = history;
  let spentMs = 0;
  let breatheAtMs = BREATHE_EVERY_MS;
  for (const [index, one] of turns.entries()) {
    if (state.ended !== null) break;
    const done = history.done + index;
    const left: History = { turns: turns.slice(index), done, state, turn };
    if (spentMs > msMax) return { history: left };
    if (isIdle(one, state)) {
      state = keepLate(state, one);
      continue;
    }
    const started = performance.now();
    const first = walkTurn(flow, toTurnInput(left, one));
    if (first.kind === 'done') {
      state = toState(toTurnResult(first.result), state, one);
      spentMs += performance.now() - started;
      if (spentMs > breatheAtMs) {
        await breathe();
        breatheAtMs = spentMs + BREATHE_EVERY_MS;
      }
      continue;
    }
    try {
      state = toState(toTurnResult(await driveTurn(first, answersOf(done))), state, one);
    } catch (error) {
      if (!(error instanceof UnansweredQuestion)) throw error;
      return { history: left, asked: { to: error.to, question: error.question } };
    }
  }
  return { history: { turns: [], done: history.done + turns.length, state, turn } };
}

const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
