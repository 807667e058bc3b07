// How the walk leaves a node: deterministic edges in declared order, then one question to the
// classifier, then the default edge. The classifier only advises: every answer but one valid index
// with enough confidence takes the default.
import type { ChoiceExit, CompiledNode, ConditionalExit, Exit, Routes } from '../compile/compiled.ts';
import { limits } from '../define/limits.ts';
import type { Scope } from '../read/paths.ts';
import { traceDeparture } from './trace.ts';
import type { TraceClassifier } from './trace-step.ts';
import type { BranchQuestion, Candidate, Classification, ClassifierOutcome } from './turn.ts';
import { spoken, type Walk } from './walk-state.ts';

/** How a node was left; `exit` null = no edge. */
export interface Departure {
  readonly exit: Exit | null;
  readonly decidedBy: 'deterministic' | 'classifier' | 'default' | null;
  readonly classifier: TraceClassifier | null;
  /**
   * With commands: the conditions, in order, up to the one that held, and the question to the
   * classifier.
   */
  readonly tried?: readonly TriedExits[];
  readonly asked?: readonly ChoiceExit[];
}

export interface TriedExits {
  readonly exits: readonly ConditionalExit[];
  readonly scope: Scope;
}

/** Cost of trying an edge beside its comparison, in characters. */
export const conditionChars = 16;

/** The first deterministic edge that matches. The hot path of a turn: allocates nothing. */
export function findMatchingExit(exits: readonly ConditionalExit[], scope: Scope): ConditionalExit | null {
  let tried = 0;
  for (const exit of exits) {
    tried += conditionChars;
    if (!exit.holds(scope)) continue;
    scope.budget.text(tried);
    return exit;
  }
  if (tried > 0) scope.budget.text(tried);
  return null;
}

/** Why the classifier may not be asked now, or null when it may. */
export function explainNotAsking(walk: Walk, node: CompiledNode): ClassifierOutcome | null {
  if (spoken(walk) === null) return 'no_utterance';
  if (walk.asked.includes(node.id)) return 'already_asked';
  // A second reader is the one model call of its turn.
  if (walk.proposal !== null) return 'budget_spent';
  const callsMax = walk.turn.classifierCallsMax ?? limits.classifierCallsMax;
  return walk.asked.length >= callsMax ? 'budget_spent' : null;
}

export function toBranchQuestion(
  walk: Walk,
  node: CompiledNode,
  choices: readonly ChoiceExit[],
): BranchQuestion {
  return {
    nodeId: node.id,
    utterance: walk.userInput ?? '',
    persona: walk.flow.persona?.(walk) ?? null,
    candidates: choices.map(toCandidate),
  };
}

function toCandidate({ nl, label, examples }: ChoiceExit, index: number): Candidate {
  if (examples === null) return { index, nl, label };
  const { examples: said, counterExamples } = examples;
  return { index, nl, label, examples: said, ...(counterExamples.length > 0 && { counterExamples }) };
}

/** The classifier's answer, as far as it counts. */
export type ClassifierDecision = TraceClassifier & { readonly exit: ChoiceExit | null };

/** The same as a trace shows it. */
export function toTraceClassifier(decision: ClassifierDecision): TraceClassifier {
  const { outcome, index, confidence, failure, by, nearest, runner_up } = decision;
  return {
    outcome,
    index,
    confidence,
    ...(failure === undefined ? {} : { failure }),
    ...(by === undefined ? {} : { by }),
    ...(nearest === undefined ? {} : { nearest }),
    ...(runner_up === undefined ? {} : { runner_up }),
  };
}

/** Checks the classifier's answer against the edges of the question. */
export function readClassification(
  answer: Classification,
  choices: readonly ChoiceExit[],
  confidenceMin: number,
): ClassifierDecision {
  const refused = { index: null, confidence: null, exit: null };
  if (answer.kind === 'none') return { ...refused, outcome: 'none' };
  if (answer.kind === 'unavailable') return { ...refused, outcome: answer.reason, failure: answer.failure };
  const { index, confidence } = answer;
  const exit = Number.isInteger(index) ? choices[index] : undefined;
  if (exit === undefined) return { index, confidence, exit: null, outcome: 'wrong_index' };
  // Written so that NaN is low too.
  if (!(confidence >= confidenceMin)) return { index, confidence, exit: null, outcome: 'low_confidence' };
  return { index, confidence, exit, outcome: 'chosen' };
}

export function toQuestionOutcome(walk: Walk, { id: nodeId }: CompiledNode, decided: TraceClassifier) {
  const { outcome, by } = decided;
  const isSaved = by !== undefined && by !== 'model' && !walk.modelAsked;
  return { kind: 'classify', nodeId, outcome, ...(isSaved ? { savedBy: by } : {}) } as const;
}

/** Leaves a node: records how, and returns the next node, or null without an edge. */
export function depart(walk: Walk, node: CompiledNode, departure: Departure): CompiledNode | null {
  const { classifier, exit } = departure;
  if (classifier !== null) walk.questions.push(toQuestionOutcome(walk, node, classifier));
  if (walk.trace !== null) traceDeparture(walk, node, departure);
  if (exit === null) return null;
  takeExit(walk, exit);
  return exit.target;
}

/** Every turn records its path, traced or not: a number a visit (docs/why.md#a-recorded-turn). */
export function takeExit(walk: Walk, { edgeIndex }: Exit): void {
  walk.taken.push(edgeIndex);
}

export const toConditionDeparture = (exit: ConditionalExit) =>
  ({ exit, decidedBy: 'deterministic', classifier: null }) as const;

export const toChosenDeparture = (decision: ClassifierDecision, exit: ChoiceExit) =>
  ({ exit, decidedBy: 'classifier', classifier: toTraceClassifier(decision) }) as const;

/** The default edge, or none. */
export function toDefaultDeparture(routes: Routes, classifier: TraceClassifier | null): Departure {
  return { exit: routes.fallback, decidedBy: routes.fallback === null ? null : 'default', classifier };
}
