// The choices of a question that have examples, with the classifier that learned them.
import { choiceValue, normaliseUtterance } from '@parley/answers';
import { trainInPieces, type EmbeddedClassifier } from '../classify/classifier.ts';
import { readAnswerRules } from '../define/answer-rules.ts';
import { isTaughtChoice } from '../define/examples.ts';
import type { NodeModel } from '../define/model.ts';
import type { Pieces } from '../define/pieces.ts';
import type { CompiledExamples } from './compiled.ts';
import { compileExamples } from './examples.ts';

export interface TaughtChoices {
  readonly choices: readonly TaughtChoice[];
  readonly embedded: EmbeddedClassifier;
  /** No word beside the answer is allowed, so only an equal example decides. */
  readonly isExact: boolean;
}

export interface TaughtChoice {
  readonly value: string | number | boolean;
  /** The words of the value and of each synonym. */
  readonly spellings: readonly string[];
  /** Null = the choice has no examples. */
  readonly examples: CompiledExamples | null;
}

/** Null = no choice of the node has examples. */
export function* learnChoices({ type, cast, raw }: NodeModel): Pieces<TaughtChoices | null> {
  if (type !== 'collect' || cast !== 'enum' || !(raw.choices ?? []).some(isTaughtChoice)) return null;
  const choices = (raw.choices ?? []).map((choice): TaughtChoice => {
    const value = choiceValue(choice);
    const [synonyms, examples] =
      typeof choice === 'object' ? [choice.synonyms ?? [], compileExamples(choice)] : [[], null];
    const spellings = [String(value), ...synonyms].map((text) => normaliseUtterance(text));
    return { value, spellings: spellings.filter((words) => words !== ''), examples };
  });
  const taught = choices.map(({ spellings, examples }) => ({
    described: spellings.join(' '),
    examples: examples?.examples ?? [],
    counterExamples: examples?.counterExamples ?? [],
  }));
  const { strict, reading } = readAnswerRules(raw, cast).rules;
  return { choices, embedded: yield* trainInPieces(taught), isExact: strict || reading === 'whole' };
}
