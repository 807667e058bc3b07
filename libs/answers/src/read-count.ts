// Reads an answer that is a number: the number alone, with words that change nothing, or the one
// number of a sentence.
import type { ReadingBudget } from './budget.ts';
import { accountFor } from './grammar/account.ts';
import { compilePhrases, phraseRows, collectStarts, type Phrases } from './grammar/phrases.ts';
import { tokenize, splitWords, type TokenizedUtterance } from './grammar/tokens.ts';
import type { Language, Lexicon } from './language/language.ts';
import { momentStarts, readPiece } from './moment/pieces.ts';
import { captured, failed, type CastOutcome } from './outcome.ts';
import { numberStarts, readNumberAt } from './read-number.ts';
import { isCarriable } from './readings.ts';
import { isLeftover, classifyNumber } from './sentence-rules.ts';
import { understand, listValues, type Demand, type ValueReader } from './understand.ts';

const digitsOnly = /^\d{1,15}$/;

/** Reads numbers; the words in `units` may follow one, and in a sentence no other noun may. */
export function compileCount(
  units: readonly string[],
  isInteger: boolean,
  demand: Demand,
): (answer: string, language: Language, budget: ReadingBudget) => CastOutcome {
  const readerIn = compileCountReader(units, isInteger, demand.strict);
  return (answer, language, budget) => {
    // The most common answers, for example from a keypad, need no words.
    if (digitsOnly.test(answer)) return acceptCount(Number(answer), isInteger);
    return understand(answer, language, readerIn(language), demand, budget);
  };
}

function acceptCount(number: number, isInteger: boolean): CastOutcome {
  if (isInteger && !Number.isInteger(number)) return failed('not_an_integer');
  return isCarriable(number) ? captured(number) : failed('out_of_range');
}

/** The reader of a counting node. */
export function compileCountReader(
  units: readonly string[],
  isInteger: boolean,
  strict: boolean,
): (language: Language) => ValueReader<number> {
  const unitWords = compileUnits(units);
  const unitSaid = tokenize(units.join(' , '));
  const accept = (number: number) => acceptCount(number, isInteger);
  // A node nearly always reads in one language.
  let last: { readonly language: Language; readonly reader: ValueReader<number> } | null = null;
  return (language) => {
    if (last?.language !== language) {
      const isPeople = unitSaid.tokens.some((_, at) => language.phrases.sentence.people.match(unitSaid, at));
      const counts = units.length === 0 ? 'anything' : isPeople ? 'people' : 'things';
      const reader = countReader(language, unitWords, counts, accept, strict);
      last = { language, reader };
    }
    return last.reader;
  };
}

/** Literally: no unit is read as a pattern. */
export const compileUnits = (units: readonly string[]): Phrases<true> =>
  compilePhrases(units.map((unit) => [splitWords(unit), true] as const));

function countReader(
  language: Language,
  unitWords: Phrases<true>,
  counts: 'anything' | 'people' | 'things',
  accept: (number: number) => CastOutcome,
  strict: boolean,
): ValueReader<number> {
  const { fillers, numberFillers, sentence } = language.phrases;
  const { ages, groups } = compileCounts(language);
  const hasUnits = counts !== 'anything';
  const numberAt = (said: TokenizedUtterance, at: number) => {
    const group = groups.match(said, at);
    if (group !== null) return { value: group.meaning, next: group.next };
    const age = ages.match(said, at);
    return age === null ? readNumberAt(said, at, language) : { value: age.values[0]!, next: age.next };
  };
  const momentAt = (said: TokenizedUtterance, at: number) => readPiece(said, at, language, 'sentence');
  const isKnown = (said: TokenizedUtterance) => (at: number) =>
    momentAt(said, at) !== null || numberAt(said, at) !== null;
  /** The end of a number with its noun, or null when it counts something else. */
  const counted = (said: TokenizedUtterance, from: number, to: number): number | null => {
    const unit = unitWords.match(said, to);
    if (unit !== null) return unit.next;
    // "Zu sechst" is complete in itself.
    if (groups.match(said, from)?.next === to) return to;
    const role = classifyNumber(said, from, to, language, isKnown(said));
    if (role === 'alone') return to;
    if (role !== 'people') return null;
    if (!hasUnits) return sentence.people.match(said, to)!.next;
    // "Six of us" are people, even if the node has another name for them.
    return (counts === 'people' && numberFillers.match(said, to)?.next) || null;
  };
  /** Without a unit, either of two counts may be meant. */
  const mayBeMeant = (said: TokenizedUtterance, from: number, to: number): boolean =>
    counted(said, from, to) !== null ||
    (hasUnits ? tornRole : nounRoles).has(classifyNumber(said, from, to, language, isKnown(said)));
  return {
    split: language.lexicon.numbers.split ?? null,
    whole: (said) => {
      const numbers = accountFor(said, numberAt, strict ? [] : [fillers, numberFillers, unitWords]);
      // Two numbers, even the same, may be one number in pieces.
      return numbers?.length === 1 ? accept(numbers[0]!) : failed('not_a_number');
    },
    readers: {
      value: (said, at) => {
        const number = numberAt(said, at);
        if (number === null) return null;
        const next = counted(said, at, number.next);
        return next === null ? null : { value: number.value, next };
      },
      other: (said, at) => {
        const moment = momentAt(said, at);
        const number = readNumberAt(said, at, language);
        if (moment !== null && moment.next > (number?.next ?? at))
          return { next: moment.next, isLoose: false };
        if (number !== null) return { next: number.next, isLoose: mayBeMeant(said, at, number.next) };
        return isLeftover(said, at, language);
      },
      fillers: [fillers, numberFillers],
      changes: language.phrases.changes.count,
      starts: collectStarts(
        [fillers, numberFillers, ages, groups, language.phrases.changes.count],
        momentStarts(language),
        numberStarts(language),
      ),
    },
    settle: (_said, segments) => {
      const [number, second] = listValues(segments);
      return number === undefined || second !== undefined ? null : accept(number);
    },
  };
}

const tornRole: ReadonlySet<string> = new Set(['torn']);
const nounRoles: ReadonlySet<string> = new Set(['torn', 'noun']);

interface Counts {
  readonly ages: Phrases<true>;
  readonly groups: Phrases<number>;
}

const countsByLexicon = new Map<Lexicon, Counts>();

function compileCounts(language: Language): Counts {
  const { lexicon } = language;
  let counts = countsByLexicon.get(lexicon);
  if (counts === undefined) {
    const slots = { n: (said: TokenizedUtterance, at: number) => readNumberAt(said, at, language) };
    counts = {
      ages: compilePhrases(phraseRows(lexicon.ages, true as const), slots),
      groups: compilePhrases(lexicon.groups.flatMap(([patterns, count]) => phraseRows(patterns, count))),
    };
    countsByLexicon.set(lexicon, counts);
  }
  return counts;
}
