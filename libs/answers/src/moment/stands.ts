// Decides which pieces of a sentence about other things count as a day or a time. "The second",
// "sat" and "the 3rd floor" do not.
import type { Segment } from '../grammar/segments.ts';
import type { TokenizedUtterance } from '../grammar/tokens.ts';
import type { Language } from '../language/language.ts';
import type { DateKind } from '../read-date.ts';
import { unitNames, type PieceReading } from './pieces.ts';

/** Whether every piece of a sentence is certain, and no word about the hour is unread. */
export function standsInSentence(
  said: TokenizedUtterance,
  segments: readonly Segment<PieceReading>[],
  language: Language,
  kind: DateKind,
): boolean {
  const { sentence } = language.phrases;
  return segments.every(({ kind: segment, from, to, value }, index) => {
    if (segment === 'unread')
      return (
        (kind === 'date' ||
          (sentence.dayWords.match(said, from) === null &&
            !(hasBareHour(segments) && sentence.meals.match(said, from) !== null))) &&
        !(language.phrases.momentWords.has(said.tokens[from]!.text) && isNearValue(segments, index))
      );
    if (segment !== 'value') return true;
    const next = segments[index + 1];
    const isFollowed =
      next?.kind === 'unread' &&
      said.tokens[next.from]!.kind === 'word' &&
      sentence.small.match(said, next.from) === null;
    if (isDuration({ said, from, to, value: value! }, language)) return false;
    // "At 5 Main Street".
    if (value!.meaning === 'hour' && isFollowed && hasBareHour([segments[index]!])) return false;
    if (value!.meaning === 'dayOnly')
      return !isFollowed && isOrdinal(said, from, to, language) && isPlaced(said, from, sentence);
    if (value!.meaning === 'weekday' && sentence.doubtful.match(said, to - 1) !== null)
      return (
        isPlaced(said, from, sentence) &&
        (next === undefined || next.kind === 'value' || isMark(said, next.from))
      );
    return to > from + 1 || sentence.doubtful.match(said, from) === null;
  });
}

/** "Deux heures" is also a duration, without "à" before it or a part of the day after it. */
function isDuration({ said, from, to, value }: Place, { lexicon, phrases }: Language): boolean {
  const isOpen = value.value.some(
    (piece) => piece.kind === 'clock' && piece.bare && piece.part === null && piece.hour <= 12,
  );
  if (!isOpen || phrases.momentGlue.match(said, from) !== null) return false;
  const hours = lexicon.names.units[unitNames.indexOf('hour')]?.split('; ') ?? [];
  return said.tokens.slice(from, to).some(({ text }) => hours.includes(text));
}

interface Place {
  readonly said: TokenizedUtterance;
  readonly from: number;
  readonly to: number;
  readonly value: PieceReading;
}

const hasBareHour = (segments: readonly Segment<PieceReading>[]): boolean =>
  segments.some(({ value }) =>
    value?.value.some((piece) => piece.kind === 'clock' && piece.bare && piece.part === null),
  );

/** Segments beside a value in which a word may belong to it: "next … Friday". */
const nearSegments = 2;

const isNearValue = (segments: readonly Segment<PieceReading>[], index: number): boolean =>
  segments
    .slice(Math.max(0, index - nearSegments), index + nearSegments + 1)
    .some(({ kind }) => kind === 'value');

const isMark = ({ tokens }: TokenizedUtterance, at: number): boolean => tokens[at]!.kind === 'mark';

/** "On the 5th", and not "the 5th in line". */
function isPlaced(
  said: TokenizedUtterance,
  from: number,
  { dayPrepositions }: Language['phrases']['sentence'],
): boolean {
  if (dayPrepositions.match(said, from) !== null) return true;
  return from > 0 && (dayPrepositions.match(said, from - 1)?.next ?? 0) >= from;
}

/** Fewer ordinals are exceptions: in such a language days are cardinals. */
const ordinalsMin = 10;

/** In a language with ordinal days, another number word is no day: "the two of us". */
function isOrdinal({ tokens }: TokenizedUtterance, from: number, to: number, { lexicon }: Language): boolean {
  const ordinals = [...lexicon.numbers.ordinals].map(([word]) => word.split(' ').at(-1)!);
  const words = tokens.slice(from, to);
  // "The first" of a list, where only the first is an ordinal.
  if (ordinals.length < ordinalsMin) return !words.some(({ text }) => ordinals.includes(text));
  return words.some(({ kind, text }) => kind === 'digits' || ordinals.includes(text));
}
