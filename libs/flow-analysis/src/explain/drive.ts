// Walks a turn to its end with known answers.
import type { Step, TurnOutcome } from '@parley/flow-engine/walk/turn';

/** An open question of the walk. */
export type WalkQuestion = Exclude<Step, { readonly kind: 'done' }>;

/** Null = the answer is unknown. */
export type AnswerSource = (asked: WalkQuestion) => Step | null;

/** The outcome of the turn, or the first question without an answer. */
export function drive(first: Step, answer: AnswerSource): TurnOutcome | WalkQuestion {
  let step = first;
  while (step.kind !== 'done') {
    const next = answer(step);
    if (next === null) return step;
    step = next;
  }
  return step.result;
}

export const nodeAsked = (asked: WalkQuestion): string =>
  asked.kind === 'run_agent' ? asked.spec.nodeId : asked.question.nodeId;
