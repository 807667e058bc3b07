// Questions in a thread, which has no gateway.
import type { Answers } from './turn.ts';

/** A question that a thread cannot ask: it gives up its place meanwhile, and the turn is walked again with the answer. */
export class Asked extends Error {
  readonly to: keyof Answers;
  readonly question: unknown;

  constructor(to: keyof Answers, question: unknown) {
    super('a question to a model');
    this.to = to;
    this.question = question;
  }
}

/** Those that were given before, in the order of asking; the next one is `Asked`. */
export function answeredBefore(answered: readonly unknown[]): Answers {
  const left = [...answered];
  const next = (to: keyof Answers) => async (question: unknown) => {
    if (left.length === 0) throw new Asked(to, question);
    return left.shift() as never;
  };
  return { classify: next('classify'), extract: next('extract'), runAgent: next('runAgent') };
}
