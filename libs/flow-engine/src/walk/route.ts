// The way out of a node: deterministic edges in declared order, then one question to the classifier, then the default edge. The
// classifier only advises: every answer but one valid index with enough confidence takes the default.
import type { ChoiceExit, CompiledNode, ConditionalExit, Exit, Routes } from '../compile/compiled.ts';
import { limits } from '../define/limits.ts';
import type { Scope } from '../read/paths.ts';
import { traceDeparture } from './trace.ts';
import type { TraceClassifier } from './trace-step.ts';
import type { BranchQuestion, Classification, ClassifierOutcome } from './turn.ts';
import { spoken, type Walk } from './walk-state.ts';

/** How a node was left; `exit` null = no way out. */
export interface Departure {
  readonly exit: Exit | null;
  readonly decidedBy: 'deterministic' | 'classifier' | 'default' | null;
  readonly classifier: TraceClassifier | null;
}

/** What trying an edge takes beside what it looks at, in characters looked at. */
export const conditionChars = 16;

/** The first deterministic edge that matches. The hot path of a turn: nothing is allocated here. */
export function matchingExit({ deterministic }: Routes, scope: Scope): ConditionalExit | null {
  let tried = 0;
  for (const exit of deterministic) {
    tried += conditionChars;
    if (!exit.test(scope).matched) continue;
    scope.budget.text(tried);
    return exit;
  }
  if (tried > 0) scope.budget.text(tried);
  return null;
}

/** Why the classifier may not be asked here and now, or null when it may. */
export function whyNotAsked(walk: Walk, node: CompiledNode): ClassifierOutcome | null {
  if (spoken(walk) === null) return 'no_utterance';
  if (walk.asked.includes(node.id)) return 'already_asked';
  const callsMax = walk.turn.classifierCallsMax ?? limits.classifierCallsMax;
  return walk.asked.length >= callsMax ? 'budget_spent' : null;
}

export function branchQuestion(walk: Walk, node: CompiledNode): BranchQuestion {
  return {
    nodeId: node.id,
    utterance: walk.userInput ?? '',
    persona: walk.flow.persona?.(walk) ?? null,
    candidates: node.routes.choices.map(({ nl, label }, index) => ({ index, nl, label })),
  };
}

/** Reads the classifier's answer against the edges it was asked about. */
export function readClassification(
  answer: Classification,
  choices: readonly ChoiceExit[],
  confidenceMin: number,
): TraceClassifier & { readonly exit: Exit | null } {
  const refused = { index: null, confidence: null, exit: null };
  if (answer.kind === 'none') return { ...refused, outcome: 'none' };
  if (answer.kind === 'unavailable') return { ...refused, outcome: answer.reason };
  const { index, confidence } = answer;
  const exit = Number.isInteger(index) ? choices[index] : undefined;
  if (exit === undefined) return { index, confidence, exit: null, outcome: 'wrong_index' };
  // Written so that NaN is low too.
  if (!(confidence >= confidenceMin)) return { index, confidence, exit: null, outcome: 'low_confidence' };
  return { index, confidence, exit, outcome: 'chosen' };
}

/** Leaves a node: records how, and hands back the next node, or null when there is no way on. */
export function depart(walk: Walk, node: CompiledNode, departure: Departure): CompiledNode | null {
  const { classifier, exit } = departure;
  if (classifier !== null)
    walk.questions.push({ kind: 'classify', nodeId: node.id, outcome: classifier.outcome });
  if (walk.trace !== null) traceDeparture(walk, node, departure);
  if (exit === null) return null;
  takeExit(walk, exit);
  return exit.target;
}

/** The path of every turn is kept, traced or not: a number a visit (docs/why.md#a-recorded-turn). */
export function takeExit(walk: Walk, { edgeIndex }: Exit): void {
  walk.taken[walk.visited.length - 1] = edgeIndex;
}

/** The default edge, or no way out. */
export function defaultDeparture(routes: Routes, classifier: TraceClassifier | null): Departure {
  return { exit: routes.fallback, decidedBy: routes.fallback === null ? null : 'default', classifier };
}
