// Decides the choice of a question by the examples of its choices (docs/flow-language.md#examples).
import { normaliseUtterance } from '@parley/answers';
import type { TaughtChoices } from '../compile/choice-examples.ts';
import type { TurnBudget } from '../read/turn-budget.ts';
import { compareWithExamples } from './by-examples.ts';
import type { TraceExamples } from './trace-step.ts';

export interface ChoiceDecision {
  readonly value: string | number | boolean;
  readonly how: TraceExamples;
}

/** An example that equals the answer. One of two choices decides nothing. */
export function findEqualChoice(
  { choices }: TaughtChoices,
  answer: string,
  budget: TurnBudget,
): ChoiceDecision | null {
  const words = normaliseUtterance(answer, budget);
  const [equal, ...others] = choices.filter(({ examples }) => examples?.said.has(words));
  if (equal === undefined || others.length > 0) return null;
  const nearest = equal.examples!.said.get(words)!;
  return { value: equal.value, how: { by: 'example', confidence: 1, nearest } };
}

/** Cost of looking for the words of a choice, in characters. */
const namingChars = 64;

/**
 * What the embedded classifier is sure of, after the cast refused. An answer that names a choice
 * stays refused: it names two, denies one, or asks about it.
 */
export function findLikeChoice(
  { choices, embedded, isExact }: TaughtChoices,
  answer: string,
  budget: TurnBudget,
): ChoiceDecision | null {
  if (isExact) return null;
  const words = ` ${normaliseUtterance(answer, budget)} `;
  budget.text(namingChars * choices.length);
  const isNamed = choices.some(({ spellings }) => spellings.some((named) => words.includes(` ${named} `)));
  const like = isNamed ? null : compareWithExamples(embedded, answer, budget);
  if (like === null || !like.isSure) return null;
  const { branch, confidence, nearest, runnerUp } = like;
  const next = runnerUp === null ? {} : { runner_up: choices[runnerUp]!.value };
  return { value: choices[branch]!.value, how: { by: 'embedded', confidence, nearest, ...next } };
}
