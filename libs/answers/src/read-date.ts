// Reads an answer as a day, a time of day or a moment, relative to the turn's clock and the
// variable `timezone`. It never fills in what an answer leaves open: "next month" is no day and
// "tomorrow" no moment. `prefer` decides between two possible days.
import type { ReadingBudget } from './budget.ts';
import { accountFor } from './grammar/account.ts';
import type { Segment } from './grammar/segments.ts';
import type { TokenizedUtterance } from './grammar/tokens.ts';
import { collectStarts } from './grammar/phrases.ts';
import type { DateOrder, Language, LanguagePhrases } from './language/language.ts';
import { hasHours, placeDay } from './moment/days.ts';
import { momentStarts, readPiece, type MomentPiece, type PieceReading } from './moment/pieces.ts';
import { putRight } from './moment/put-right.ts';
import { standsInSentence } from './moment/stands.ts';
import { chooseTime, isOtherSide, toMoment, type Chosen, type Moment } from './moment/times.ts';
import { captured, failed, type CastOutcome } from './outcome.ts';
import { numberStarts } from './read-number.ts';
import { findOtherNumber } from './sentence-rules.ts';
import { understand, listValues, type Demand, type ValueReader } from './understand.ts';
import { isoWithOffset, zoneOffset, type ZoneOffset } from './time-zone.ts';

export type DateKind = 'date' | 'time' | 'datetime';
export type Prefer = 'future' | 'past' | 'nearest';

export interface DateRules {
  readonly kind: DateKind;
  readonly prefer: Prefer;
  /** Of digits such as 5/6; null = as the language has it. */
  readonly dateOrder: DateOrder | null;
  /** Strict: also, one reading must be certain. */
  readonly demand: Demand;
}

/**
 * Now, in a turn: the instant, the offset of the zone, and local time there (as if it were UTC).
 */
export interface Now {
  readonly ms: number;
  readonly zone: ZoneOffset;
  readonly wallMs: number;
  readonly prefer: Prefer;
}

/**
 * Reads an answer relative to now (epoch ms) in a time zone (IANA name or offset; anything else is
 * UTC).
 */
export function readDate(
  answer: string,
  spoken: Language,
  rules: DateRules,
  { nowMs, timezone }: { readonly nowMs: number; readonly timezone?: unknown },
  budget: ReadingBudget,
): CastOutcome {
  return understand(answer, spoken, momentReader(rules, spoken, { nowMs, timezone }), rules.demand, budget);
}

/** The reader of days or times, at the clock of a turn. */
export function momentReader(
  rules: DateRules,
  spoken: Language,
  { nowMs, timezone }: { readonly nowMs: number; readonly timezone?: unknown },
): ValueReader<PieceReading> {
  const { dateOrder } = rules;
  const language = dateOrder === null ? spoken : { ...spoken, dateOrder };
  const zone = zoneOffset(timezone);
  const now: Now = { ms: nowMs, zone, wallMs: nowMs + zone(nowMs) * 60_000, prefer: rules.prefer };
  return readerOfMoments(rules, language, now);
}

function readerOfMoments(
  { kind, demand: { strict } }: DateRules,
  language: Language,
  now: Now,
): ValueReader<PieceReading> {
  const { fillers, momentGlue, momentFillers } = language.phrases;
  const changes = language.phrases.changes.moment;
  const settled = (readings: readonly PieceReading[], earlier: readonly PieceReading[] | null) => {
    const pieces = putRight(mergePieces(readings), earlier === null ? null : mergePieces(earlier));
    return pieces === null ? failed('ambiguous') : settle(pieces, kind, now, strict);
  };
  const inSentence = (said: TokenizedUtterance, at: number) => readPiece(said, at, language, 'sentence');
  return {
    split: language.lexicon.numbers.split ?? null,
    whole: (said, earlier) => {
      const readings = accountFor(
        said,
        (text, at) => {
          const piece = readPiece(text, at, language, kind === 'time' ? 'hour' : 'moment');
          return piece && { value: piece, next: piece.next };
        },
        strict ? [momentGlue] : [momentGlue, momentFillers, fillers],
      );
      if (readings === null || readings.length === 0) return failed(`not_a_${kind}`);
      return settled(readings, earlier);
    },
    readers: {
      value: (said, at) => {
        const piece = inSentence(said, at);
        return piece && { value: piece, next: piece.next };
      },
      other: (said, at) => findOtherNumber(said, at, language, (next) => inSentence(said, next) !== null),
      fillers: [fillers, momentGlue, momentFillers],
      changes,
      starts: sentenceStarts(language),
    },
    settle: (said: TokenizedUtterance, segments: readonly Segment<PieceReading>[], earlier) =>
      standsInSentence(said, segments, language, kind) ? settled(listValues(segments), earlier) : null,
  };
}

const startsByPhrases = new Map<LanguagePhrases, ReadonlySet<string>>();

function sentenceStarts(language: Language): ReadonlySet<string> {
  const { fillers, momentGlue, momentFillers, changes } = language.phrases;
  let starts = startsByPhrases.get(language.phrases);
  if (starts === undefined) {
    const lists = [fillers, momentGlue, momentFillers, changes.moment];
    starts = collectStarts(lists, momentStarts(language), numberStarts(language));
    startsByPhrases.set(language.phrases, starts);
  }
  return starts;
}

/** Whether a piece concerns a day, or a time: "tonight" beside "at eight" is the day only. */
export function isAbout(cast: unknown, reading: unknown): boolean {
  const ofTime = ({ kind, ...piece }: MomentPiece) =>
    kind === 'clock' || kind === 'zone' || ('amounts' in piece && hasHours(piece.amounts));
  const ofDay = ({ kind, ...piece }: MomentPiece) =>
    kind !== 'clock' &&
    kind !== 'zone' &&
    kind !== 'part' &&
    !('amounts' in piece && hasHours(piece.amounts));
  const pieces = (reading as PieceReading).value;
  return cast === 'datetime' || pieces.some(cast === 'date' ? ofDay : ofTime);
}

/** The day or time of all pieces, relative to now (epoch ms) in a time zone. */
export function placePieces(
  pieces: readonly MomentPiece[],
  { kind, prefer, strict }: { kind: DateKind; prefer: Prefer; strict: boolean },
  nowMs: number,
  timezone: unknown,
): CastOutcome {
  const zone = zoneOffset(timezone);
  const now: Now = { ms: nowMs, zone, wallMs: nowMs + zone(nowMs) * 60_000, prefer };
  return settle(pieces, kind, now, strict);
}

const mergePieces = (readings: readonly PieceReading[]): readonly MomentPiece[] =>
  readings.length === 1 ? readings[0]!.value : readings.flatMap(({ value }) => value);

function settle(pieces: readonly MomentPiece[], kind: DateKind, now: Now, strict: boolean): CastOutcome {
  if (pieces.some((piece) => piece.kind === 'range')) return failed('is_a_range');
  if (pieces.some((piece) => piece.kind === 'or' || piece.kind === 'idiom')) return failed('ambiguous');
  const moment = toMoment(pieces);
  if (moment === null) return failed('ambiguous');
  if (kind !== 'date' && moment.clock === null && moment.shift === null) return failed('no_time');
  const first = placeMoment(pieces, moment, now, strict, false);
  if (typeof first === 'string') return failed(first === 'not_a_day' ? `not_a_${kind}` : first);
  // "Monday at nine", on a Monday at noon.
  const other = isOtherSide(moment, first, now) ? placeMoment(pieces, moment, now, strict, true) : first;
  const chosen = typeof other === 'string' ? first : other;
  if (kind === 'date' ? !chosen.hasDay : !chosen.hasTime)
    return failed(kind === 'date' ? 'no_day' : 'no_time');
  const year = new Date(chosen.instantMs).getUTCFullYear();
  if (!(year >= 1 && year <= 9998)) return failed('out_of_range');
  const written = isoWithOffset(chosen.instantMs, now.zone);
  const time = written.slice(11, chosen.seconds ? 19 : 16);
  return captured({ date: written.slice(0, 10), time, datetime: written }[kind]);
}

function placeMoment(
  pieces: readonly MomentPiece[],
  moment: Moment,
  now: Now,
  strict: boolean,
  notToday: boolean,
): Chosen | string {
  const day = placeDay(pieces, now, notToday);
  return typeof day === 'string' ? day : chooseTime(moment, day, now, strict);
}
