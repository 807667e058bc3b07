// Questions in a thread, which has no gateway.
import type { Answers } from './turn.ts';

/**
 * Ends a walk in a thread. The main thread gets the answer, and a thread walks the turn again with
 * it.
 */
export class UnansweredQuestion extends Error {
  readonly to: keyof Answers;
  readonly question: unknown;

  constructor(to: keyof Answers, question: unknown) {
    super('a question to a model');
    this.to = to;
    this.question = question;
  }
}

/** Gives these answers in order, then throws UnansweredQuestion. */
export function createGivenAnswers(answered: readonly unknown[]): Answers {
  const left = [...answered];
  const next = (to: keyof Answers) => async (question: unknown) => {
    if (left.length === 0) throw new UnansweredQuestion(to, question);
    return left.shift() as never;
  };
  return { classify: next('classify'), extract: next('extract'), runAgent: next('runAgent') };
}
