// Decides a branch by the examples of its edges, before and after a model is asked
// (docs/flow-language.md#examples).
import { normaliseUtterance } from '@parley/answers';
import type { ChoiceExit } from '../compile/compiled.ts';
import type { ClassifierDecision } from './route.ts';
import type { Walk } from './walk-state.ts';

const haveExamples = (choices: readonly ChoiceExit[]): boolean =>
  choices.some(({ examples }) => examples !== null);

/** Says that the model decided, where examples could have. */
export const nameModel = (
  decision: ClassifierDecision,
  choices: readonly ChoiceExit[],
): ClassifierDecision => (haveExamples(choices) ? { ...decision, by: 'model' } : decision);

/** Null = they leave it to the model. */
export function decideByExamples(walk: Walk, choices: readonly ChoiceExit[]): ClassifierDecision | null {
  if (!haveExamples(choices)) return null;
  const equal = findEqual(walk, choices);
  if (equal !== null) return equal;
  return walk.flow.classifierOrder === 'examples_only'
    ? { outcome: 'none', index: null, confidence: null, exit: null }
    : null;
}

/** An example that equals the utterance. One of two edges decides nothing. */
function findEqual(walk: Walk, choices: readonly ChoiceExit[]): ClassifierDecision | null {
  const words = normaliseUtterance(walk.userInput ?? '', walk.budget);
  const equal = choices.filter(({ examples }) => examples?.said.has(words));
  const [exit] = equal;
  if (exit === undefined || equal.length > 1) return null;
  return {
    outcome: 'chosen',
    index: choices.indexOf(exit),
    confidence: 1,
    by: 'example',
    nearest: exit.examples?.said.get(words),
    exit,
  };
}
