// The order of reading an answer: as a whole; as a correction of itself; as a sentence with one
// value. The first that yields a value is the reading; each later one has more conditions.
import type { ReadingBudget } from './budget.ts';
import { cutSentence, unreadWords, type Segment, type SegmentReaders } from './grammar/segments.ts';
import type { Phrases } from './grammar/phrases.ts';
import { tokenize, type TokenizedUtterance, type Splitter } from './grammar/tokens.ts';
import type { Language } from './language/language.ts';
import { captured, type CapturedAnswer, type CastOutcome } from './outcome.ts';
import { holdsNothing, repairsIn } from './repair.ts';
import { questionAt } from './sentence-rules.ts';

/** Reads one kind of value in one language and turn. */
export interface ValueReader<Piece> {
  /** Every word accounted for. `earlier` are the pieces that this answer corrects. */
  whole(said: TokenizedUtterance, earlier: readonly Piece[] | null): CastOutcome;
  readonly readers: SegmentReaders<Piece>;
  /** The value of a sentence, from its pieces; null when they make none. */
  settle(
    said: TokenizedUtterance,
    segments: readonly Segment<Piece>[],
    earlier: readonly Piece[] | null,
  ): CastOutcome | null;
  /** A plain no takes back nothing, since it is a value itself. */
  readonly noIsValue?: boolean;
  readonly split: Splitter | null;
}

export interface Demand {
  /** The answer must be the value, with no other word. */
  readonly strict: boolean;
  /** A value inside a sentence does not count. */
  readonly wholeOnly: boolean;
}

export function understand<Piece>(
  answer: string,
  language: Language,
  reader: ValueReader<Piece>,
  { strict, wholeOnly }: Demand,
  budget: ReadingBudget,
): CastOutcome {
  const said = tokenize(answer, reader.split, budget);
  const { notes } = budget;
  notes?.begin(said);
  const whole = reader.whole(said, null);
  if (whole.ok || said.tokens.length === 0) return whole;
  notes?.begin(said);
  if (strict) return whole;
  // "Five hundred and" is incomplete.
  if (said.tokens.at(-1)!.text === language.lexicon.and) {
    notes?.mark(said, said.tokens.length - 1, said.tokens.length, 'changes_value');
    return whole;
  }
  const question = questionAt(said, language);
  if (question !== -1) {
    notes?.mark(said, question, question + 1, 'question');
    return whole;
  }
  const segments = cutSentence(said, reader.readers);
  const repaired = readRepaired(said, segments, language, reader, wholeOnly);
  if (repaired !== null) return repaired;
  if (wholeOnly) notes?.cut(said, segments);
  return wholeOnly ? whole : (readSentence(said, segments, reader, null) ?? whole);
}

/** Ways to try reading an answer as a correction. */
const repairsMax = 6;

function readRepaired<Piece>(
  said: TokenizedUtterance,
  segments: readonly Segment<Piece>[],
  language: Language,
  reader: ValueReader<Piece>,
  wholeOnly: boolean,
): CapturedAnswer | null {
  let tried = 0;
  for (const { before, after, opens, denied } of repairsIn(said, language, reader.noIsValue === true)) {
    const last = before.tokens.at(-1);
    const hasValue = segments.some(
      ({ kind, from }) => kind === 'value' && last !== undefined && said.tokens[from]!.start <= last.start,
    );
    if (!hasValue && !opens) continue;
    if (tried++ === repairsMax) return null;
    const isEmpty = !hasValue && holdsNothing(before, language);
    if (isEmpty && !opens) continue;
    const head = isEmpty ? noHead : readHead(before, reader, denied);
    if (head === null) continue;
    const earlier: readonly Piece[] = head.pieces;
    const read = reader.whole(after, earlier);
    const outcome =
      read.ok || denied || wholeOnly
        ? read
        : readSentence(after, cutSentence(after, reader.readers), reader, earlier);
    if (outcome?.ok !== true || (wholeOnly && head.unread.length > 0)) continue;
    const unread = [...head.unread, ...outcome.unread];
    said.budget.notes?.repaired(said, before, after);
    const reading = unread.length > 0 ? 'sentence' : outcome.reading;
    return { ...outcome, reading, unread, discarded: joinWords(before) };
  }
  return null;
}

const joinWords = ({ utterance, tokens }: TokenizedUtterance): string | null =>
  tokens.length === 0 ? null : utterance.slice(tokens[0]!.start, tokens.at(-1)!.end);

const noHead = { pieces: [], unread: [] };

/** The pieces of a value that was taken back; null when there is none, or when it is uncertain. */
function readHead<Piece>(said: TokenizedUtterance, reader: ValueReader<Piece>, denied: boolean) {
  const segments = cutSentence(said, reader.readers);
  const isPlain = segments.every(({ kind }) => kind !== 'change' && (kind !== 'unread' || !denied));
  const pieces = isPlain ? listValues(segments) : [];
  return pieces.length === 0 ? null : { pieces, unread: unreadWords(said, segments) };
}

export const listValues = <Piece>(segments: readonly Segment<Piece>[]): Piece[] =>
  segments.filter(({ kind }) => kind === 'value').map(({ value }) => value!);

function readSentence<Piece>(
  said: TokenizedUtterance,
  segments: readonly Segment<Piece>[],
  reader: ValueReader<Piece>,
  earlier: readonly Piece[] | null,
): CastOutcome | null {
  said.budget.notes?.cut(said, segments);
  const joined = segments.filter(
    ({ kind, from, to }) =>
      // A yes or a no is no part of a number.
      (reader.noIsValue !== true && isMarkOfNumber(said, from, kind)) ||
      (kind === 'value' && isHyphenated(said, from, to)),
  );
  for (const { from, to } of joined) said.budget.notes?.mark(said, from, to, 'second_value');
  if (joined.length > 0 || segments.some(({ kind }) => kind === 'change' || kind === 'loose')) return null;
  const outcome = reader.settle(said, segments, earlier);
  if (outcome?.ok !== true) return null;
  return captured(outcome.value, 'sentence', unreadWords(said, segments), listSpans(said, segments));
}

/** The words around values of a kind when other kinds are read too. */
export interface Surroundings {
  /** The end of a value of another kind that begins at a token. */
  readonly elsewhere: (said: TokenizedUtterance, at: number) => number | null;
  readonly changes: Pick<Phrases<true>, 'match'>;
}

/** Values of other kinds may begin with any word. */
const anyWord = { has: () => true };

/** One value of a sentence with several, with the segments of the sentence. */
export function readAmong<Piece>(
  said: TokenizedUtterance,
  reader: ValueReader<Piece>,
  { elsewhere, changes }: Surroundings,
): { readonly how: CapturedAnswer; readonly segments: readonly Segment<Piece>[] } | null {
  const { readers } = reader;
  const other: SegmentReaders<Piece>['other'] = (text, at) => {
    const own = readers.other?.(text, at) ?? null;
    const end = elsewhere(text, at);
    return end === null || (own !== null && own.next > end) ? own : { next: end, isLoose: false };
  };
  const segments = cutSentence(said, { ...readers, other, changes, starts: anyWord });
  const how = readSentence(said, segments, reader, null);
  return how?.ok === true ? { how, segments } : null;
}

/** An unread mark that touches digits belongs to them: "--5", "5%". */
const isMarkOfNumber = ({ tokens }: TokenizedUtterance, at: number, kind: string): boolean =>
  kind === 'unread' &&
  tokens[at]!.kind === 'mark' &&
  ((tokens[at + 1]?.start === tokens[at]!.end && tokens[at + 1]!.kind !== 'word') ||
    (at > 0 && tokens[at - 1]!.end === tokens[at]!.start && tokens[at - 1]!.kind === 'digits'));

/** A hyphen joins the value to another word: it may be a part of a longer, unread value. */
function isHyphenated({ text, tokens }: TokenizedUtterance, from: number, to: number): boolean {
  const joined = (left: number) =>
    tokens[left + 1]!.start - tokens[left]!.end === 1 && text[tokens[left]!.end] === '-';
  return (from > 0 && joined(from - 1)) || (to < tokens.length && joined(to - 1));
}

const listSpans = <Piece>({ tokens }: TokenizedUtterance, segments: readonly Segment<Piece>[]) =>
  segments
    .filter(({ kind }) => kind === 'value')
    .map(({ from, to }) => [tokens[from]!.start, tokens[to - 1]!.end] as const);
