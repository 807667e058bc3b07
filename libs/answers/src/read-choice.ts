// One of a node's choices: the answer as a whole, as `eq` compares, or the one choice that a sentence names, in whole words.
import { captured, failed, type CastOutcome } from './outcome.ts';
import { accountFor } from './grammar/account.ts';
import { compilePhrases } from './grammar/phrases.ts';
import { wordsOf, type Said } from './grammar/tokens.ts';
import type { Language } from './language/language.ts';
import { foldCase, readBoolean, readDecimal } from './readings.ts';
import { withoutFullStop } from './sentence.ts';
import type { ReadingBudget } from './budget.ts';
import { understand, valuesOf, type Demand, type ValueReader } from './understand.ts';

export type Choice =
  Scalar | { readonly value: Scalar; readonly synonyms?: readonly Scalar[] | null | undefined };
type Scalar = string | number | boolean;

/** Whether a text equals a choice, as `eq` compares the two. */
function equalTo(expected: Scalar): (said: string) => boolean {
  if (typeof expected === 'number') return (said) => readDecimal(said) === expected;
  if (typeof expected === 'boolean') return (said) => readBoolean(said) === expected;
  const folded = foldCase(expected);
  return (said) => foldCase(said) === folded;
}

/** What trying a choice takes beside the characters of the answer. */
const choiceChars = 8;

/** Choices and synonyms are matched as `eq` matches: folded texts, numbers by value. The first that fits wins. */
export function compileChoice(
  choices: readonly Choice[],
  demand: Demand,
): (answer: string, language: Language, budget: ReadingBudget) => CastOutcome {
  const compiled = choices.map((choice) => {
    const { value, synonyms } = typeof choice === 'object' ? choice : { value: choice, synonyms: null };
    const spellings = [value, ...(synonyms ?? [])];
    return {
      value,
      spellings,
      comparisons: spellings.map(equalTo),
    };
  });
  const find = (said: string, budget: ReadingBudget) =>
    compiled.find((choice) =>
      choice.comparisons.some((compare) => {
        budget.text(choiceChars + said.length);
        return compare(said);
      }),
    );
  // Words are matched as they stand, so that no choice is read as a pattern.
  const spelled = compiled.flatMap(({ value, spellings }) =>
    spellings.map((text) => [wordsOf(String(text)), value] as const),
  );
  const named = compilePhrases(spelled);
  const read = (said: Said, at: number) => {
    const match = named.match(said, at);
    return match && { value: match.meaning, next: match.next };
  };
  return (answer, language, budget) => {
    const choice = find(answer, budget) ?? find(withoutFullStop(answer), budget);
    if (choice !== undefined) return captured(choice.value);
    return demand.strict
      ? failed('not_a_choice')
      : understand(answer, language, choiceReader(language, read), demand, budget);
  };
}

type ChoicePiece = { readonly value: Scalar; readonly next: number };

function choiceReader(
  { phrases }: Language,
  read: (said: Said, at: number) => ChoicePiece | null,
): ValueReader<Scalar> {
  const { sentence } = phrases;
  const oneOf = (values: readonly Scalar[]): CastOutcome => {
    const [value, ...others] = new Set(values);
    return value === undefined || others.length > 0 ? failed('not_a_choice') : captured(value);
  };
  return {
    split: null,
    whole: (said) => oneOf(accountFor(said, read, [phrases.fillers, phrases.choiceFillers]) ?? []),
    readers: {
      // A choice that is a small word is one only where it is the whole answer.
      value: (said, at) => {
        const piece = read(said, at);
        return piece === null || sentence.small.match(said, at)?.next === piece.next ? null : piece;
      },
      fillers: [phrases.fillers, phrases.choiceFillers],
      changes: phrases.changes.choice,
    },
    settle: (_said, segments) => oneOf(valuesOf(segments)),
  };
}
