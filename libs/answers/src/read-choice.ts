// One of a node's choices: the answer as a whole, as `eq` compares, or the one choice that a
// sentence names, in whole words.
import { captured, failed, type CastOutcome } from './outcome.ts';
import { accountFor } from './grammar/account.ts';
import { compilePhrases, startsOf } from './grammar/phrases.ts';
import { wordsOf, type TokenizedUtterance } from './grammar/tokens.ts';
import type { Language } from './language/language.ts';
import { foldCase, readBoolean, readDecimal } from './readings.ts';
import { withoutFullStop } from './sentence.ts';
import type { ReadingBudget } from './budget.ts';
import { understand, valuesOf, type Demand, type ValueReader } from './understand.ts';

export type Choice =
  Scalar | { readonly value: Scalar; readonly synonyms?: readonly Scalar[] | null | undefined };
type Scalar = string | number | boolean;

export const choiceValue = (choice: Choice): Scalar => (typeof choice === 'object' ? choice.value : choice);

/** Each choice by its value and by its synonyms. */
const spellingsOf = (choices: readonly Choice[]) =>
  choices.flatMap((choice) => {
    const value = choiceValue(choice);
    const synonyms = typeof choice === 'object' ? (choice.synonyms ?? []) : [];
    return [value, ...synonyms].map((spelling) => ({ value, spelling }));
  });

/** What trying a choice takes beside the characters of the answer. */
const choiceChars = 8;

/**
 * Choices and synonyms are matched as `eq` matches: folded texts, numbers by value. The first that
 * fits wins.
 */
export function compileChoice(
  choices: readonly Choice[],
  demand: Demand,
): (answer: string, language: Language, budget: ReadingBudget) => CastOutcome {
  const spelled = spellingsOf(choices);
  const places = new Map<Scalar, number>();
  for (const [place, { spelling }] of spelled.entries()) {
    const key = typeof spelling === 'string' ? foldCase(spelling) : spelling;
    if (!places.has(key)) places.set(key, place);
  }
  /** As `eq` compares: a text, a number or a boolean. */
  const find = (said: string, budget: ReadingBudget): Scalar | undefined => {
    budget.text(choiceChars * spelled.length + said.length);
    const keys = [foldCase(said), readDecimal(said), readBoolean(said)];
    const found = keys.map((key) => (key === null ? undefined : places.get(key)) ?? spelled.length);
    return spelled[Math.min(...found)]?.value;
  };
  const readerIn = compileChoiceReader(choices);
  return (answer, language, budget) => {
    const choice = find(answer, budget) ?? find(withoutFullStop(answer), budget);
    if (choice !== undefined) return captured(choice);
    return demand.strict
      ? failed('not_a_choice')
      : understand(answer, language, readerIn(language), demand, budget);
  };
}

/** The reader of the choices that a sentence names. */
export function compileChoiceReader(choices: readonly Choice[]): (language: Language) => ValueReader<Scalar> {
  // Words are matched as they stand, so that no choice is read as a pattern.
  const named = compilePhrases(
    spellingsOf(choices).map(({ value, spelling }) => [wordsOf(String(spelling)), value] as const),
  );
  const read = (said: TokenizedUtterance, at: number) => {
    const match = named.match(said, at);
    return match && { value: match.meaning, next: match.next };
  };
  // A node reads nearly always in one language.
  let last: { readonly language: Language; readonly reader: ValueReader<Scalar> } | null = null;
  return (language) => {
    if (last?.language !== language) last = { language, reader: choiceReader(language, read, named.starts) };
    return last.reader;
  };
}

type ChoicePiece = { readonly value: Scalar; readonly next: number };

function choiceReader(
  { phrases }: Language,
  read: (said: TokenizedUtterance, at: number) => ChoicePiece | null,
  starts: ReadonlySet<string>,
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
      starts: startsOf([phrases.fillers, phrases.choiceFillers, phrases.changes.choice], starts),
    },
    settle: (_said, segments) => oneOf(valuesOf(segments)),
  };
}
