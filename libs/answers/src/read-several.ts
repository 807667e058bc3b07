// Reads several values of one utterance: "a table for four on Friday at seven". Each follows the
// rules of its own cast. A word belongs to one value; a word that two could claim belongs to none
// (docs/flow-language.md#several-answers-at-once).
import { uncounted } from './budget.ts';
import {
  compileCast,
  toDemand,
  languageIn,
  rulesChars,
  type AnswerCast,
  type ReadingContext,
} from './cast.ts';
import type { Cast } from './casts.ts';
import type { Phrases } from './grammar/phrases.ts';
import { tokenize, type TokenizedUtterance } from './grammar/tokens.ts';
import type { Language } from './language/language.ts';
import { answerLimits } from './limits.ts';
import type { CapturedAnswer, CastOutcome } from './outcome.ts';
import type { AnswerSpec } from './read-answer.ts';
import { compileChoiceReader } from './read-choice.ts';
import { compileCountReader, compileUnits } from './read-count.ts';
import { momentReader, isAbout } from './read-date.ts';
import { readNumberAt } from './read-number.ts';
import { compose } from './readings.ts';
import { readContact, readWord } from './several-contacts.ts';
import { readPiece } from './moment/pieces.ts';
import { readOpening, type Opening } from './several-opening.ts';
import { readAmong, type Surroundings, type ValueReader } from './understand.ts';

export interface SeveralSpec extends AnswerSpec {
  /**
   * For a text: its pattern matches the whole value, so that one word with a digit can be the
   * value.
   */
  readonly isWord?: boolean;
}

/** A value of a spec, by its place among the others. */
export interface FoundValue {
  readonly index: number;
  readonly value: unknown;
  readonly how: CapturedAnswer;
}

export interface SeveralValues {
  /**
   * The node's own value, if its cast refused the utterance but the value occurs among others; null
   * = none.
   */
  readonly own: CapturedAnswer | null;
  readonly others: readonly FoundValue[];
}

/** Whether the node of a spec accepts a value; `ownIndex` is the asking node. */
type Accepts = (index: number, value: unknown) => boolean;
export const ownIndex = -1;

export type SeveralReader = (
  utterance: string,
  /** The outcome of the asking node's cast. */
  own: CastOutcome,
  context: ReadingContext,
  accepts: Accepts,
) => SeveralValues;

type Kind = 'moment' | 'count' | 'choice' | 'contact' | 'word';

const kinds: Readonly<Record<Cast, Kind | null>> = {
  date: 'moment',
  time: 'moment',
  datetime: 'moment',
  integer: 'count',
  number: 'count',
  enum: 'choice',
  email: 'contact',
  phone: 'contact',
  url: 'contact',
  string: 'word',
  code: 'word',
  // A yes or a no answers the current question only; documents are whole answers.
  boolean: null,
  json: null,
  list: null,
};

const findKind = ({ cast, isWord }: SeveralSpec): Kind | null =>
  cast === null || (kinds[cast] === 'word' && isWord !== true) ? null : kinds[cast];

/** Whether a value of the spec can occur in an answer to another question. */
export const standsAmongOthers = (spec: SeveralSpec): boolean => findKind(spec) !== null;

interface CompiledSpec {
  readonly spec: SeveralSpec;
  readonly index: number;
  readonly kind: Kind | null;
  readonly readerIn: ((language: Language, context: ReadingContext) => ValueReader<unknown>) | null;
  /** For values that are found by their written form. */
  readonly cast: AnswerCast | null;
}

const nothing: SeveralValues = { own: null, others: [] };

/** Reads the values of other nodes in the answer to one. */
export function compileSeveral(own: SeveralSpec, others: readonly SeveralSpec[]): SeveralReader {
  const asking = own.cast === 'string' ? { ...own, isWord: false } : own;
  const wordChars = [own, ...others].reduce((sum, spec) => sum + rulesChars(spec), 0);
  // For these the words of the value are unknown.
  const isOpaque = own.cast === null || own.cast === 'json' || own.cast === 'list' || own.cast === 'code';
  let specs: readonly CompiledSpec[] | undefined;
  let nouns: Phrases<true> | undefined;
  return (utterance, outcome, context, accepts) => {
    const language = languageIn(own, context);
    if (isOpaque || language.base !== null || utterance.length > answerLimits.castCharsMax) return nothing;
    context.budget?.text(wordChars);
    specs ??= [asking, ...others].map((spec, at) => compileSpec(spec, at + ownIndex));
    nouns ??= compileUnits(specs.flatMap(({ spec }) => spec.units ?? []));
    const said = tokenize(compose(utterance), language.lexicon.numbers.split ?? null, context.budget);
    const opening = readOpening(said, language);
    if (opening === null) return nothing;
    const taken: Accepts = (index, value) => (index === ownIndex && outcome.ok) || accepts(index, value);
    return settleClaims(specs, outcome, findCandidates(specs, { opening, language, context, nouns }, taken));
  };
}

function compileSpec(spec: SeveralSpec, index: number): CompiledSpec {
  const { cast, units = [], choices, prefer, dateOrder = null } = spec;
  const kind = findKind(spec);
  const demand = toDemand(spec);
  const core = { spec, index, kind, readerIn: null, cast: null as AnswerCast | null };
  switch (kind) {
    case 'count':
      return { ...core, readerIn: compileCountReader(units, cast === 'integer', demand.strict) };
    case 'choice':
      return { ...core, readerIn: compileChoiceReader(choices) };
    case 'contact':
    case 'word':
      return { ...core, cast: compileCast(cast, spec) };
    case 'moment': {
      const rules = { kind: cast as 'date', prefer: prefer ?? 'future', dateOrder, demand } as const;
      return {
        ...core,
        readerIn: (language, context) => momentReader(rules, language, context),
      };
    }
    default:
      return core;
  }
}

interface Reading {
  readonly opening: Opening;
  readonly language: Language;
  readonly context: ReadingContext;
  /** Units of all specs. */
  readonly nouns: Phrases<true>;
}

interface Candidate extends FoundValue {
  /** A number with no word that says what it counts. */
  readonly isBare: boolean;
}

function findCandidates(specs: readonly CompiledSpec[], reading: Reading, accepts: Accepts): Candidate[] {
  const { opening, language, context } = reading;
  const found: Candidate[] = [];
  const offer = ({ index, spec }: CompiledSpec, how: CapturedAnswer, isBare = false) => {
    if (!accepts(index, how.value)) return;
    const isRead = !opening.isWhole && !toDemand(spec).wholeOnly;
    if (!isRead && how.unread.some((word) => !joinsValues(word, language))) return;
    const spans = how.spans.map(([start, end]) => [start + opening.from, end + opening.from] as const);
    found.push({ index, value: how.value, how: { ...how, spans }, isBare });
  };
  let { text } = opening;
  for (const compiled of specs) {
    const how = readWritten(compiled, opening.text, context, accepts);
    if (how === null) continue;
    offer(compiled, how);
    // A spelled value has no span: its digits would be read as counts.
    if (how.spans.length === 0) return found;
    // A short number stays: it may be a count as well.
    for (const [start, end] of how.spans)
      if (end - start > shortChars) text = text.slice(0, start) + ' '.repeat(end - start) + text.slice(end);
  }
  const said = tokenize(text, language.lexicon.numbers.split ?? null, context.budget ?? uncounted);
  const around = surroundings(specs, language, context);
  for (const compiled of specs) {
    const { readerIn, kind, spec } = compiled;
    if (readerIn === null || (kind === 'moment' && opening.isPast && spec.prefer !== 'past')) continue;
    const read = readAmong(said, readerIn(language, context), around);
    if (read === null) continue;
    const mine = read.segments.filter(
      (segment) => segment.kind === 'value' && (kind !== 'moment' || isAbout(spec.cast, segment.value)),
    );
    // "At seven thirty people": the end of the time is uncertain.
    if (kind === 'moment' && mine.some(({ to }) => countsAt(said, to, reading))) return [];
    const spans = mine.map(({ from, to }) => [said.tokens[from]!.start, said.tokens[to - 1]!.end] as const);
    // "Four adults and two kids", "for two and a baby".
    if (kind === 'count' && goesOn(said, mine[0]!.to, language)) continue;
    offer(compiled, { ...read.how, spans }, kind === 'count' && isBareNumber(said, mine[0]!, language));
  }
  return found;
}

/** Characters of a number that may be a count. */
const shortChars = 4;

/** Values that are found by their written form, not by the words around them. */
function readWritten(
  { kind, index, cast }: CompiledSpec,
  text: string,
  context: ReadingContext,
  accepts: Accepts,
): CapturedAnswer | null {
  if (cast === null) return null;
  return kind === 'contact'
    ? readContact(cast, text, context)
    : readWord(text, cast, context, (value) => accepts(index, value));
}

function surroundings(
  specs: readonly CompiledSpec[],
  language: Language,
  context: ReadingContext,
): Surroundings {
  const counts = specs.flatMap(({ kind, readerIn }) =>
    kind === 'count' ? [readerIn!(language, context).readers] : [],
  );
  const lists = (['count', 'moment', 'choice'] as const)
    .filter((kind) => specs.some((spec) => spec.kind === kind))
    .map((kind) => language.phrases.changes[kind]);
  return {
    elsewhere: (said, at) => {
      const ends = counts.map(({ value }) => value(said, at)?.next ?? 0);
      const end = Math.max(readPiece(said, at, language, 'sentence')?.next ?? 0, ...ends);
      return end === 0 ? null : end;
    },
    // A word that changes one of the values affects the whole sentence.
    changes: {
      match: (said, at) =>
        lists
          .map((list) => list.match(said, at))
          .reduce((best, match) => (match !== null && match.next > (best?.next ?? 0) ? match : best), null),
    },
  };
}

/** Words that belong to values of other kinds: "at", "there are". */
function joinsValues(word: string, { phrases }: Language): boolean {
  const said = tokenize(word);
  const lists = [phrases.momentGlue, phrases.momentFillers, phrases.numberFillers];
  return lists.some((list) => list.match(said, 0)?.next === said.tokens.length);
}

const countsAt = (said: TokenizedUtterance, at: number, { language, nouns }: Reading): boolean =>
  nouns.match(said, at) !== null || language.phrases.sentence.people.match(said, at) !== null;

/** Whether another count follows directly. */
function goesOn(said: TokenizedUtterance, to: number, language: Language): boolean {
  const { and, numbers } = language.lexicon;
  if (said.tokens[to]?.text !== and || to + 1 === said.tokens.length) return false;
  if (readPiece(said, to + 1, language, 'sentence') !== null) return false;
  const next = said.tokens[to + 1]?.text ?? '';
  return readNumberAt(said, to + 1, language) !== null || numbers.one.split('; ').includes(next);
}

/** Words before a number that are examined. */
const partyWordsMax = 4;

function isBareNumber(
  said: TokenizedUtterance,
  { from, to }: { from: number; to: number },
  language: Language,
): boolean {
  if (readNumberAt(said, from, language)?.next !== to) return false;
  const { parties } = language.phrases.sentence;
  for (let at = Math.max(0, from - partyWordsMax); at < from; at++)
    if (parties.match(said, at)?.next === from) return false;
  return true;
}

/** Assigns values to nodes: the asking node first; a value that two could take goes to none. */
function settleClaims(
  specs: readonly CompiledSpec[],
  outcome: CastOutcome,
  found: readonly Candidate[],
): SeveralValues {
  const [asking] = specs;
  const own = found.find(({ index }) => index === ownIndex) ?? null;
  // If the words of its own value are unknown, any of them may belong to it.
  if (outcome.ok && asking!.kind !== null && own?.value !== outcome.value) return nothing;
  const isTime = ({ spec }: CompiledSpec) => spec.cast === 'time' || spec.cast === 'datetime';
  const times = specs.filter(isTime);
  // A bare number may also be the hour, unless the utterance has one.
  const mayBeHour = times.length > 0 && !times.some(({ index }) => found.some((one) => one.index === index));
  const stands = found.filter(({ isBare }) => !isBare || !mayBeHour);
  const takesOwn = own !== null && (outcome.ok || stands.includes(own));
  const others = stands.filter(
    (one) =>
      one.index !== ownIndex &&
      (!takesOwn || !overlap(one, own)) &&
      stands.every((other) => other === one || other.index === ownIndex || !overlap(one, other)),
  );
  const value = takesOwn && !outcome.ok ? own.how : null;
  return { own: value, others: others.map(({ index, value: read, how }) => ({ index, value: read, how })) };
}

const overlap = ({ how: a }: Candidate, { how: b }: Candidate): boolean =>
  a.spans.some(([from, to]) => b.spans.some(([start, end]) => from < end && start < to));
