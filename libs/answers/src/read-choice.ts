// Reads one of a node's choices: the whole answer, compared like `eq`, or the one choice named in a
// sentence, in whole words.
import { captured, failed, type CastOutcome } from './outcome.ts';
import { accountFor } from './grammar/account.ts';
import { compilePhrases, collectStarts } from './grammar/phrases.ts';
import { splitWords, type TokenizedUtterance } from './grammar/tokens.ts';
import type { Language } from './language/language.ts';
import { foldCase, readBoolean, readDecimal } from './readings.ts';
import { withoutFullStop } from './sentence.ts';
import type { ReadingBudget } from './budget.ts';
import { understand, listValues, type Demand, type ValueReader } from './understand.ts';

export type Choice =
  Scalar | { readonly value: Scalar; readonly synonyms?: readonly Scalar[] | null | undefined };
type Scalar = string | number | boolean;

export const choiceValue = (choice: Choice): Scalar => (typeof choice === 'object' ? choice.value : choice);

/** Each choice by its value and by its synonyms. */
const listSpellings = (choices: readonly Choice[]) =>
  choices.flatMap((choice) => {
    const value = choiceValue(choice);
    const synonyms = typeof choice === 'object' ? (choice.synonyms ?? []) : [];
    return [value, ...synonyms].map((spelling) => ({ value, spelling }));
  });

/** Cost of trying a choice beside the characters of the answer. */
const choiceChars = 8;

/**
 * Choices and synonyms are matched as `eq` matches: folded texts, numbers by value. The first that
 * fits wins.
 */
export function compileChoice(
  choices: readonly Choice[],
  demand: Demand,
): (answer: string, language: Language, budget: ReadingBudget) => CastOutcome {
  const spelled = listSpellings(choices);
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

/** The reader of the choices in a sentence. */
export function compileChoiceReader(choices: readonly Choice[]): (language: Language) => ValueReader<Scalar> {
  // Matched literally, so that no choice is read as a pattern.
  const named = compilePhrases(
    listSpellings(choices).map(({ value, spelling }) => [splitWords(String(spelling)), value] as const),
  );
  const read = (said: TokenizedUtterance, at: number) => {
    const match = named.match(said, at);
    return match && { value: match.meaning, next: match.next };
  };
  // A node nearly always reads in one language.
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
  const captureOnly = (values: readonly Scalar[]): CastOutcome => {
    const [value, ...others] = new Set(values);
    return value === undefined || others.length > 0 ? failed('not_a_choice') : captured(value);
  };
  return {
    split: null,
    whole: (said) => captureOnly(accountFor(said, read, [phrases.fillers, phrases.choiceFillers]) ?? []),
    readers: {
      // A choice that is a small word counts only as the whole answer.
      value: (said, at) => {
        const piece = read(said, at);
        return piece === null || sentence.small.match(said, at)?.next === piece.next ? null : piece;
      },
      fillers: [phrases.fillers, phrases.choiceFillers],
      changes: phrases.changes.choice,
      starts: collectStarts([phrases.fillers, phrases.choiceFillers, phrases.changes.choice], starts),
    },
    settle: (_said, segments) => captureOnly(listValues(segments)),
  };
}
