// What one turn knows while it walks. Only this object changes during a turn, and a question forks it, so that every `resume`
// starts from the same place however often it is called.
import { startTurn } from './bookkeeping.ts';
import type { CompiledFlow, CompiledNode } from '../compile/compiled.ts';
import type { Template } from '../compile/interpolate.ts';
import { limits } from '../define/limits.ts';
import type { InputStatus, Scope } from '../read/paths.ts';
import type {
  Action,
  Output,
  QuestionOutcome,
  TraceExtraction,
  TraceInput,
  TraceStep,
  TurnInput,
  TurnInputResult,
} from './turn.ts';

export interface Walk extends Scope {
  readonly flow: CompiledFlow;
  readonly turn: TurnInput;
  readonly stepsMax: number;
  /** The turn's own copy of the bag. */
  variables: Record<string, unknown>;
  inputStatus: InputStatus | null;
  attempts: number | null;
  input: TurnInputResult | null;
  /** Ids of the nodes visited, in order. */
  readonly visited: string[];
  readonly outputs: Output[];
  readonly actions: Action[];
  readonly questions: QuestionOutcome[];
  /** Ids of the nodes at which the classifier was asked. */
  readonly asked: string[];
  readonly trace: TraceStep[] | null;
  /** What happened at the current node before its edges were tried; goes into its trace step. */
  traced: { input: TraceInput | null; extraction: TraceExtraction | null } | null;
}

export function startWalk(flow: CompiledFlow, turn: TurnInput): Walk {
  return {
    flow,
    turn,
    stepsMax: Math.min(turn.stepsMax ?? limits.stepsMax, turn.stepsProvedMax ?? Infinity),
    variables: startTurn(turn.variables),
    userInput: typeof turn.userInput === 'string' ? turn.userInput : null,
    inputStatus: null,
    attempts: null,
    language: flow.model.language,
    session: turn.session ?? null,
    input: null,
    visited: [],
    outputs: [],
    actions: [],
    questions: [],
    asked: [],
    trace: turn.trace === true ? [] : null,
    traced: null,
  };
}

/** The same walk in its own copy. Values inside the bag are never changed in place, so a shallow copy is enough. */
export function forkWalk(walk: Walk): Walk {
  return {
    ...walk,
    variables: { ...walk.variables },
    visited: [...walk.visited],
    outputs: [...walk.outputs],
    actions: [...walk.actions],
    questions: [...walk.questions],
    asked: [...walk.asked],
    trace: walk.trace && [...walk.trace],
    traced: walk.traced && { ...walk.traced },
  };
}

/** Emits a text of a node, if it has one. */
export function say(walk: Walk, type: Output['type'], node: CompiledNode, text: Template | null): void {
  if (text !== null) walk.outputs.push({ type, nodeId: node.id, text: text(walk) });
}

/** The utterance, when there is something in it: models are not asked about silence. */
export function spoken(walk: Walk): string | null {
  return walk.userInput === null || walk.userInput.trim() === '' ? null : walk.userInput;
}
