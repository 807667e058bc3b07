// Reads an answer that is a yes or a no. In a sentence the first word decides, unless a later one
// contradicts it.
import type { ReadingBudget } from './budget.ts';
import { accountFor } from './grammar/account.ts';
import type { TokenizedUtterance } from './grammar/tokens.ts';
import { collectStarts } from './grammar/phrases.ts';
import type { Language, LanguagePhrases } from './language/language.ts';
import { captured, failed, type CastOutcome } from './outcome.ts';
import { understand, listValues, type Demand, type ValueReader } from './understand.ts';

type YesNo = boolean | null;

export function readYesNo(
  answer: string,
  language: Language,
  demand: Demand,
  budget: ReadingBudget,
): CastOutcome {
  const text = demand.strict ? answer.replaceAll(',', ' ') : answer;
  const readers = demand.strict ? strictReaders : lenientReaders;
  let reader = readers.get(language.phrases);
  if (reader === undefined) readers.set(language.phrases, (reader = yesNoReader(language, demand.strict)));
  return understand(text, language, reader, demand, budget);
}

const strictReaders = new Map<LanguagePhrases, ValueReader<YesNo>>();
const lenientReaders = new Map<LanguagePhrases, ValueReader<YesNo>>();

function yesNoReader(language: Language, strict: boolean): ValueReader<YesNo> {
  const { phrases } = language;
  const { sentence } = phrases;
  const read = (said: TokenizedUtterance, at: number) => {
    const match = phrases.yesNo.match(said, at);
    return match && { value: match.meaning, next: match.next };
  };
  return {
    split: null,
    noIsValue: true,
    whole: (said) => {
      const pieces = accountFor(said, read, strict ? [] : [phrases.fillers]) ?? [];
      if (strict && pieces.length > 1) return failed('not_a_boolean');
      const [value, ...others] = new Set(pieces.filter((piece) => piece !== null));
      return value === undefined || others.length > 0 ? failed('not_a_boolean') : captured(value);
    },
    readers: {
      value: read,
      fillers: [phrases.yesNoFillers],
      // "Yes, at seven" and "no, after seven" are answers: only words that take back a yes or a no
      // change it.
      changes: phrases.changes.yesNo,
      starts: collectStarts([phrases.yesNo, phrases.yesNoFillers, phrases.changes.yesNo]),
    },
    settle: (said, segments) => {
      const values = new Set(listValues(segments).filter((value) => value !== null));
      const [value, second] = values;
      if (value === undefined || second !== undefined) return null;
      const first = segments.find(({ kind }) => kind !== 'filler')!;
      // A later value may be part of a statement: "that is the right one".
      if (first.kind !== 'value' || first.value === null) return null;
      const rest = said.tokens.slice(first.to);
      // "No cars", "no sé": without a mark after it, a no may deny the next words.
      const next = rest[0];
      if (next === undefined) return null;
      const isMarked = next.kind === 'mark';
      if (value && !isMarked && sentence.plainYes.match(said, first.from) === null) return null;
      const denies = !value && first.to === first.from + 1 && !isMarked;
      if (denies && sentence.denials.match(said, first.from) !== null) return null;
      if (denies && phrases.negations.match(said, first.from) !== null) return null;
      if (denies && !sentence.plainNo.match(said, first.from)) return null;
      if (denies && sentence.small.match(said, first.to) === null && !isFree(language)) return null;
      // A yes beside a denial says two things.
      const isDenied = rest.some((_, index) => phrases.negations.match(said, first.to + index) !== null);
      return value && isDenied ? null : captured(value);
    },
  };
}

/** Languages in which "no" stands alone, and never before a noun or a verb. */
const freeNo: ReadonlySet<string> = new Set(['de', 'fr', 'nl', 'it']);
const isFree = ({ tag }: Language): boolean => freeNo.has(tag.split('-')[0]!);
