// Walks a turn to its end with answers that are there already.
import type { Step, TurnOutcome } from '../walk/turn.ts';

/** A question of the walk, still open. */
export type Asked = Exclude<Step, { readonly kind: 'done' }>;

/** null = nobody knows the answer. */
export type Answering = (asked: Asked) => Step | null;

/** What a turn came to, or the first question that could not be answered. */
export function drive(first: Step, answer: Answering): TurnOutcome | Asked {
  let step = first;
  while (step.kind !== 'done') {
    const next = answer(step);
    if (next === null) return step;
    step = next;
  }
  return step.result;
}

export const nodeAsked = (asked: Asked): string =>
  asked.kind === 'run_agent' ? asked.spec.nodeId : asked.question.nodeId;
