// Walks the turns that a chat has behind it, to where the next one begins (docs/openai.md#history). Nobody is told of them again.
// Shared by the thread, so it imports nothing that opens a connection.
import { AppError } from '@parley/envelopes';
import {
  jsonBytes,
  walkTurn,
  type Bag,
  type CallerAnswer,
  type CompiledFlow,
  type TurnInput,
  type TurnResult,
} from '@parley/flow-engine';
import { Asked } from './model-question.ts';
import { driveTurn, type Answers, resultOf, VARIABLES_BYTES_MAX } from './turn.ts';

/** How long others wait at a time while turns are walked in the thread that answers everybody. */
const BREATHE_EVERY_MS = 5;

/** What came in between two answers. */
export interface HistoryTurn {
  /** null: nothing was said. */
  readonly userInput: string | null;
  readonly results: readonly ToolMessage[];
}

export interface ToolMessage {
  readonly callId: string;
  readonly outcome: ToolOutcome;
}

export type ToolOutcome = Extract<CallerAnswer, { kind: 'tool_result' }>['outcome'];

export interface History {
  /** The turns that are left. */
  readonly said: readonly HistoryTurn[];
  /** Turns before them. */
  readonly done: number;
  readonly standing: Standing;
  /** What all turns share. */
  readonly turn: Omit<TurnInput, 'currentNode' | 'userInput' | 'answer' | 'variables'>;
}

/** Where a conversation stands. */
export interface Standing {
  readonly currentNode: string | null;
  readonly variables: Bag;
  /** The tool call that it waits for. */
  readonly callId: string | null;
  /** How it ended; null while it goes on. */
  readonly ended: 'completed' | 'handed_off' | null;
  /** A person has it, and it may come back. */
  readonly isAway: boolean;
}

export function beginning(variables: Bag): Standing {
  return { currentNode: null, variables, callId: null, ended: null, isAway: false };
}

/** A turn of a history, as the engine takes it. @throws AppError payload_too_large */
export function turnAt({ turn, standing }: Pick<History, 'turn' | 'standing'>, said: HistoryTurn): TurnInput {
  const { currentNode, variables, callId, isAway } = standing;
  const answer: CallerAnswer | null = isAway
    ? { kind: 'handoff_result', status: 'returned', reason: null }
    : toolResult(said, callId);
  // Spelled out: a history has many turns, and the copies of a spread cost more than each.
  return {
    agentMode: turn.agentMode,
    extractorAvailable: turn.extractorAvailable,
    stepsMax: turn.stepsMax,
    stepsProvedMax: turn.stepsProvedMax,
    classifierConfidenceMin: turn.classifierConfidenceMin,
    currentNode,
    userInput: said.userInput,
    answer,
    variables,
    nowMs: turn.nowMs,
    session: turn.session,
    variablesBytes: bytesOf(variables),
  };
}

/** That of the call that is waited for; where there are only others, the last of them, which is then refused. */
function toolResult({ results }: HistoryTurn, callId: string | null): CallerAnswer | null {
  const result = results.find((one) => one.callId === callId) ?? results.at(-1);
  return result ? { kind: 'tool_result', ...result } : null;
}

function bytesOf(variables: Bag): number {
  const bytes = jsonBytes(variables, VARIABLES_BYTES_MAX);
  // Quickly measured, short texts count for as long as they may be.
  if (bytes <= VARIABLES_BYTES_MAX || Buffer.byteLength(JSON.stringify(variables)) <= VARIABLES_BYTES_MAX)
    return Math.min(bytes, VARIABLES_BYTES_MAX);
  throw new AppError(
    'payload_too_large',
    `the variables take more than ${VARIABLES_BYTES_MAX} bytes of JSON`,
  );
}

function standingAfter({ status, nextNode, variables, actions }: TurnResult): Standing {
  const call = actions.findLast((action) => action.type === 'tool' && action.callId !== undefined);
  return {
    currentNode: nextNode,
    variables,
    callId: call?.type === 'tool' ? (call.callId ?? null) : null,
    ended: nextNode !== null ? null : status === 'handed_off' ? 'handed_off' : 'completed',
    isAway: nextNode !== null && status === 'handed_off',
  };
}

/** What was walked, and what is left: all of it was, or the time is up, or a question has to be answered elsewhere. */
export interface CaughtUpTo {
  readonly history: History;
  readonly asked?: { readonly to: keyof Answers; readonly question: unknown };
}

/** `msMax` is of the turns that ask nothing: the others wait, and hold nobody up. */
export async function catchUp(
  flow: CompiledFlow,
  history: History,
  answersOf: (turn: number) => Answers,
  msMax = Infinity,
): Promise<CaughtUpTo> {
  const { said, turn } = history;
  let { standing } = history;
  let spentMs = 0;
  let breatheAtMs = BREATHE_EVERY_MS;
  for (const [index, one] of said.entries()) {
    if (standing.ended !== null) break;
    const done = history.done + index;
    const left: History = { said: said.slice(index), done, standing, turn };
    if (spentMs > msMax) return { history: left };
    const started = performance.now();
    const first = walkTurn(flow, turnAt(left, one));
    if (first.kind === 'done') {
      standing = standingAfter(resultOf(first.result));
      spentMs += performance.now() - started;
      if (spentMs > breatheAtMs) {
        await breathe();
        breatheAtMs = spentMs + BREATHE_EVERY_MS;
      }
      continue;
    }
    try {
      standing = standingAfter(resultOf(await driveTurn(first, answersOf(done))));
    } catch (error) {
      if (!(error instanceof Asked)) throw error;
      return { history: left, asked: { to: error.to, question: error.question } };
    }
  }
  return { history: { said: [], done: history.done + said.length, standing, turn } };
}

const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
