// The results of a walk, and its refusals, which are values too.
import { forgetCallsExceptAt, forgetTalkExceptAt, setInterrupted } from './bookkeeping.ts';
import { isAwaiting, isTalk } from './caller-answer.ts';
import type { ChoiceExit, CollectNode, CompiledNode, ToolNode } from '../compile/compiled.ts';
import { TurnTooCostly } from '../read/turn-budget.ts';
import { traceEnding } from './trace.ts';
import {
  depart,
  toChosenDeparture,
  toDefaultDeparture,
  toQuestionOutcome,
  toTraceClassifier,
  type ClassifierDecision,
  type Departure,
  type TriedExits,
} from './route.ts';
import type { Step, TurnOutcome, TurnStatus } from './turn.ts';
import { storeTranscript } from './transcript.ts';
import type { Walk } from './walk-state.ts';

/** Runs the walk up to the next question. Its cost is counted where the work is done. */
export function withinBudget(walk: () => Step): Step {
  try {
    return walk();
  } catch (error) {
    return toRefusal(error);
  }
}

export function toRefusal(error: unknown): Step {
  if (!(error instanceof TurnTooCostly)) throw error;
  return done({ kind: 'turn_too_costly', cost: error.cost, max: error.max });
}

export function finish(walk: Walk, node: CompiledNode, status: Exclude<TurnStatus, 'no_route'>): Step {
  if (walk.trace !== null) traceEnding(walk, node, status);
  const resumes = node.type === 'collect' || isAwaiting(node) || isTalk(node);
  return settled(walk, node, status, resumes ? node.id : null);
}

/** The result of the commands before a failure is recorded. */
export interface CommandAttempt {
  readonly tried: readonly TriedExits[];
  readonly asked: readonly ChoiceExit[];
  /** Null = the classifier was not asked. */
  readonly decision: ClassifierDecision | null;
}

/** The node waits again: a question after a failed answer, or a tool that is still running. */
export function waitAgain(
  walk: Walk,
  node: CollectNode | ToolNode,
  attempt: CommandAttempt | null,
  status: 'waiting' | 'waiting_for_tool' = 'waiting',
): Step {
  if (attempt === null) return finish(walk, node, status);
  const { decision, tried, asked } = attempt;
  const classifier = decision && toTraceClassifier(decision);
  if (classifier !== null) walk.questions.push(toQuestionOutcome(walk, node, classifier));
  if (walk.trace !== null)
    traceEnding(walk, node, status, { exit: null, decidedBy: null, classifier, tried, asked });
  return settled(walk, node, status, node.id);
}

/** The caller may come back to the node with other variables, or another utterance. */
export function noRoute(walk: Walk, node: CompiledNode): Step {
  return settled(walk, node, 'no_route', node.id);
}

export function settled(walk: Walk, node: CompiledNode, status: TurnStatus, nextNode: string | null): Step {
  if (nextNode === null && walk.flow.commands !== null) setInterrupted(walk.variables, []);
  const { outputs, actions, variables, input, visited, taken, questions, trace } = walk;
  forgetCallsExceptAt(variables, nextNode);
  if (walk.flow.talks) {
    forgetTalkExceptAt(variables, nextNode);
    storeTranscript(walk);
  }
  return done({
    kind: 'turn',
    status,
    nextNode,
    lastNode: node.id,
    outputs,
    actions,
    variables,
    input,
    steps: visited.length,
    visited,
    taken,
    questions,
    trace,
  });
}

export function didNotSettle(walk: Walk, node: CompiledNode): Step {
  return done({ kind: 'turn_did_not_settle', stepsMax: walk.stepsMax, path: [...walk.visited, node.id] });
}

export function done(result: TurnOutcome): Step {
  return { kind: 'done', result };
}

/** By the classifier's choice, or by the default edge. */
export function departByDecision(
  walk: Walk,
  node: CompiledNode,
  decision: ClassifierDecision,
  attempted: Pick<Departure, 'tried' | 'asked'> | null,
): CompiledNode | Step {
  const { exit } = decision;
  const departure =
    exit === null
      ? toDefaultDeparture(node.routes, toTraceClassifier(decision))
      : toChosenDeparture(decision, exit);
  return depart(walk, node, { ...departure, ...attempted }) ?? noRoute(walk, node);
}
