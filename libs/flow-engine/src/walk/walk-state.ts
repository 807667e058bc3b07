// The state of one turn while it walks. Only this object changes during a turn, and a question
// forks it, so that every `resume` starts from the same place, however often it is called.
import { startTurn } from './bookkeeping.ts';
import type { CompiledFlow, CompiledNode } from '../compile/compiled.ts';
import type { SpokenText } from '../compile/spoken.ts';
import { limits } from '../define/limits.ts';
import type { ReadingLevel } from '@parley/answers';
import type { InputStatus, Scope } from '../read/paths.ts';
import { TurnBudget } from '../read/turn-budget.ts';
import type { TraceProposal, TraceStep } from './trace-step.ts';
import type { Action, Output, QuestionOutcome, TurnInput, TurnInputResult } from './turn.ts';

type Writable<T> = { -readonly [Member in keyof T]: T[Member] };

export interface Walk extends Scope {
  readonly flow: CompiledFlow;
  readonly turn: TurnInput;
  readonly stepsMax: number;
  /** For the edges of the trace: explaining never costs the turn itself. Null = no trace. */
  readonly traceBudget: TurnBudget | null;
  /** The turn's own copy of the variables. */
  variables: Record<string, unknown>;
  /**
   * The variables before the utterance changed any, while it may still call a command; null = it
   * may not.
   */
  unanswered: Record<string, unknown> | null;
  /**
   * The utterance called a command that it also answers, and has not been read as that answer yet.
   */
  answering: boolean;
  inputStatus: InputStatus | null;
  attempts: number | null;
  inputReading: ReadingLevel | null;
  filled: readonly string[] | null;
  input: TurnInputResult | null;
  /** Who decided the value, if one is captured. */
  decider: NonNullable<TurnInputResult['decidedBy']>;
  /** The proposal of the second reader in this turn. */
  proposal: TraceProposal | null;
  /** The first member of a tool's result that a text reads and the result lacks. */
  gap: string | null;
  /** Ids of the nodes visited, in order. */
  readonly visited: string[];
  /** For each visit the edge taken. */
  readonly taken: number[];
  readonly outputs: Output[];
  readonly actions: Action[];
  readonly questions: QuestionOutcome[];
  /** A model was asked about a branch in this turn. */
  modelAsked: boolean;
  /** Ids of the nodes at which the classifier was asked. */
  readonly asked: string[];
  readonly trace: TraceStep[] | null;
  /** What happened at the current node before its edges were tried; part of its trace step. */
  traced: Pick<Writable<TraceStep>, 'input' | 'extraction' | 'agent' | 'result' | 'missing' | 'sets'> | null;
}

export function startWalk(flow: CompiledFlow, turn: TurnInput): Walk {
  const traced = turn.trace === true;
  return {
    flow,
    turn,
    budget: new TurnBudget(limits.turnResultBytesMax - (turn.variablesBytes ?? 0)),
    traceBudget: traced ? new TurnBudget(limits.traceBytesMax) : null,
    stepsMax: Math.min(turn.stepsMax ?? limits.stepsMax, turn.stepsProvedMax ?? Infinity),
    variables: startTurn(turn.variables),
    userInput: typeof turn.userInput === 'string' ? turn.userInput : null,
    unanswered: null,
    answering: false,
    inputStatus: null,
    attempts: null,
    inputReading: null,
    filled: null,
    language: flow.model.language,
    session: turn.session ?? null,
    input: null,
    decider: 'cast',
    proposal: null,
    gap: null,
    visited: [],
    taken: [],
    outputs: [],
    actions: [],
    questions: [],
    modelAsked: false,
    asked: [],
    trace: traced ? [] : null,
    traced: null,
  };
}

/**
 * An independent copy of the walk. Values inside variables are never changed in place, so a shallow
 * copy is enough.
 */
export function forkWalk(walk: Walk): Walk {
  return {
    ...walk,
    budget: walk.budget.fork(),
    traceBudget: walk.traceBudget && walk.traceBudget.fork(),
    variables: { ...walk.variables },
    visited: [...walk.visited],
    taken: [...walk.taken],
    outputs: [...walk.outputs],
    actions: [...walk.actions],
    questions: [...walk.questions],
    asked: [...walk.asked],
    trace: walk.trace && [...walk.trace],
    traced: walk.traced && { ...walk.traced },
  };
}

/** Emits a text of a node, if it has one. A text with a gap is not spoken. */
export function say(walk: Walk, type: Output['type'], node: CompiledNode, text: SpokenText | null): void {
  if (text === null) return;
  const gap = text.findGap === undefined ? null : text.findGap(walk);
  if (gap === null) return output(walk, type, node, text(walk));
  walk.gap ??= gap;
  if (walk.trace !== null)
    walk.traced = { ...(walk.traced ?? { input: null, extraction: null }), missing: gap };
}

/** Bytes of an output beside its text: type, node, and the names of its members. */
const outputBytes = 64;

export function output(walk: Walk, type: Output['type'], { id: nodeId }: CompiledNode, text: string): void {
  walk.budget.resultText(text, outputBytes);
  walk.outputs.push({ type, nodeId, text });
}

/** The utterance unless it is blank: models are not asked about silence. */
export function spoken(walk: Walk): string | null {
  return walk.userInput === null || walk.userInput.trim() === '' ? null : walk.userInput;
}
