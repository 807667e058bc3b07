// Conditions on the whole sentence around a value (docs/flow-language.md#sentences): no question,
// no word that changes a value, no number that may be another value.
import { readPiece } from './moment/pieces.ts';
import { isNumberWord, numberStarts, readNumberAt } from './read-number.ts';
import type { TokenizedUtterance } from './grammar/tokens.ts';
import type { Language } from './language/language.ts';

/** Whether a sentence asks something. */
export const isQuestion = (said: TokenizedUtterance, language: Language): boolean =>
  questionAt(said, language) !== -1;

/** The token that makes a sentence a question; -1 = none. */
export function questionAt(said: TokenizedUtterance, { phrases }: Language): number {
  const { questions, questionOpenings } = phrases.sentence;
  let opens = true;
  for (let at = 0; at < said.tokens.length; at++) {
    const { kind, text } = said.tokens[at]!;
    if (text === '?' || text === '¿') return at;
    if (opens && questionOpenings.match(said, at) !== null && !isPolite(said, at, phrases)) return at;
    const filler = phrases.fillers.match(said, at) ?? phrases.momentFillers.match(said, at);
    if (filler !== null) {
      at = filler.next - 1;
      continue;
    }
    if (questions.match(said, at) !== null) return at;
    opens = kind === 'mark';
  }
  return -1;
}

/** "Can I have" is a polite request. */
const isPolite = (said: TokenizedUtterance, at: number, phrases: Language['phrases']): boolean =>
  phrases.fillers.match(said, at) !== null || phrases.momentFillers.match(said, at) !== null;

/** What a number in a sentence is to the words beside it. */
/** Torn: words stand between the parts of one value, or may. */
export type NumberRole = 'alone' | 'torn' | 'people' | 'noun' | 'label' | 'article';

/** The role of a number at a place; `isUnit` tests for a word that the node counts. */
export function classifyNumber(
  said: TokenizedUtterance,
  from: number,
  to: number,
  language: Language,
  startsKnown: (at: number) => boolean,
): NumberRole {
  const { phrases } = language;
  const { sentence } = phrases;
  const [before, after] = [said.tokens[from - 1], said.tokens[to]];
  const isArticle = to === from + 1 && sentence.articles.match(said, from) !== null;
  if (before !== undefined && '$€£#%'.includes(before.text)) return 'label';
  if (from > 0 && sentence.labels.match(said, from - 1)?.next === from && !isArticle) return 'label';
  if (isHouseNumber(said, from, language)) return 'label';
  if (after === undefined) return isArticle ? 'article' : 'alone';
  if (after.kind === 'mark')
    return '%$€£/-+°º'.includes(after.text) ? 'noun' : isArticle ? 'article' : 'alone';
  const and = language.lexicon.and;
  // "Vingt et … un".
  if (after.text === and || (isArticle && before?.text === and)) return 'torn';
  // "One of us".
  if (isArticle && sentence.small.match(said, to) !== null) return 'article';
  if (sentence.people.match(said, to) !== null) return 'people';
  if (after.kind === 'digits') return 'torn';
  if (sentence.small.match(said, to) !== null || phrases.fillers.match(said, to) !== null || startsKnown(to))
    return isArticle ? 'article' : 'alone';
  // "Twenty … first", "five over …": what looks like a noun may have come between the parts of one
  // value.
  if (isNumberWord(said, to, language) || phrases.momentWords.has(after.text)) return 'torn';
  const further = said.tokens[to + 1];
  if (isArticle) return 'article';
  if (further !== undefined && startsKnown(to + 1)) return 'torn';
  if (further !== undefined && phrases.clockJoins.has(further.text) && startsClock(said, to + 2, language))
    return 'torn';
  return 'noun';
}

/** Words between a street and the number of a house: "calle de Alcalá 5". */
const streetWordsMax = 3;

function isHouseNumber(
  { tokens }: TokenizedUtterance,
  from: number,
  { lexicon: { streets } }: Language,
): boolean {
  if (streets === undefined) return false;
  for (let at = from - 1; at >= Math.max(0, from - streetWordsMax) && tokens[at]!.kind === 'word'; at--)
    if (streets.test(tokens[at]!.text)) return true;
  return false;
}

const startsClock = (said: TokenizedUtterance, at: number, language: Language): boolean =>
  at < said.tokens.length &&
  readPiece(said, at, language, 'hour')?.value.some(({ kind }) => kind === 'clock') === true;

/** Unread digits and number words. */
export const isLeftover = (said: TokenizedUtterance, at: number, language: Language) =>
  said.tokens[at]!.kind === 'digits' || isPartOfNumber(said, at, language)
    ? { next: at + 1, isLoose: true }
    : null;

/** "Con" is a decimal point only after a number: "tres con cinco". */
function isPartOfNumber(said: TokenizedUtterance, at: number, language: Language): boolean {
  if (!isNumberWord(said, at, language)) return false;
  const before = said.tokens[at - 1];
  const isSmall = language.phrases.sentence.small.match(said, at) !== null;
  return !isSmall || before?.kind === 'digits' || numberStarts(language).has(before?.text ?? '');
}

/**
 * A number that is no part of a day or a time: with a noun of its own it is another thing. Without
 * one it may be the value, so there is no value.
 */
export function findOtherNumber(
  said: TokenizedUtterance,
  at: number,
  language: Language,
  startsKnown: (at: number) => boolean,
): { next: number; isLoose: boolean } | null {
  const number = readNumberAt(said, at, language);
  if (number === null) return isLeftover(said, at, language);
  const role = classifyNumber(said, at, number.next, language, startsKnown);
  return { next: number.next, isLoose: role === 'alone' || role === 'torn' };
}
