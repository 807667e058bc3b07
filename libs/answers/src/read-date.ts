// Reads an answer as a day, a time of day or a moment, relative to the turn's clock and the bag's time zone. What an answer leaves
// open is never filled in: "next month" is no day and "tomorrow" no moment. Of two days that it may mean, `prefer` decides.
import { accountFor } from './grammar/account.ts';
import { tokenize } from './grammar/tokens.ts';
import type { DateOrder, Language } from './language/language.ts';
import { placeDay } from './moment/days.ts';
import { readPiece, type MomentPiece } from './moment/pieces.ts';
import { chooseTime, isOtherSide, momentOf, type Chosen, type Moment } from './moment/times.ts';
import { uncounted } from './budget.ts';
import { isoWithOffset, zoneOffset, type ZoneOffset } from './time-zone.ts';

export type DateKind = 'date' | 'time' | 'datetime';
export type Prefer = 'future' | 'past' | 'nearest';

export type DateReading =
  { readonly ok: true; readonly value: string } | { readonly ok: false; readonly reason: string };

export interface DateRules {
  readonly kind: DateKind;
  readonly language: Language;
  readonly prefer: Prefer;
  /** Of digits such as 5/6; null = as the language has it. */
  readonly dateOrder: DateOrder | null;
  /** The whole answer must be the day or time, and one reading must be certain. */
  readonly strict: boolean;
}

/** What a turn knows of now: the instant, the offset of the zone, and what clocks show there (as if it were UTC). */
export interface Now {
  readonly ms: number;
  readonly zone: ZoneOffset;
  readonly wallMs: number;
  readonly prefer: Prefer;
}

const refused = (reason: string): DateReading => ({ ok: false, reason });

/** Reads an answer relative to now (epoch ms) in a time zone (IANA name or offset; anything else is UTC). */
export function readDate(
  answer: string,
  rules: DateRules,
  nowMs: number,
  timezone: unknown,
  budget = uncounted,
): DateReading {
  const { kind, strict, dateOrder } = rules;
  const language = dateOrder === null ? rules.language : { ...rules.language, dateOrder };
  const { fillers, momentGlue, momentFillers } = language.phrases;
  const said = tokenize(answer, language.lexicon.numbers.split, budget);
  const pieces = accountFor(
    said,
    (text, at) => readPiece(text, at, language, kind === 'time'),
    strict ? [momentGlue] : [momentGlue, momentFillers, fillers],
  )?.flat();
  if (pieces === undefined || pieces.length === 0) return refused(`not_a_${kind}`);
  if (pieces.some((piece) => piece.kind === 'range')) return refused('is_a_range');
  if (pieces.some((piece) => piece.kind === 'or')) return refused('ambiguous');
  return placePieces(pieces, rules, nowMs, timezone);
}

/** The day or time that pieces say together, relative to now (epoch ms) in a time zone. */
export function placePieces(
  pieces: readonly MomentPiece[],
  { kind, prefer, strict }: Pick<DateRules, 'kind' | 'prefer' | 'strict'>,
  nowMs: number,
  timezone: unknown,
): DateReading {
  const zone = zoneOffset(timezone);
  const now: Now = { ms: nowMs, zone, wallMs: nowMs + zone(nowMs) * 60_000, prefer };
  return settle(pieces, kind, now, strict);
}

function settle(pieces: readonly MomentPiece[], kind: DateKind, now: Now, strict: boolean): DateReading {
  const moment = momentOf(pieces);
  if (moment === null) return refused('ambiguous');
  if (kind !== 'date' && moment.clock === null && moment.shift === null) return refused('no_time');
  const first = placeMoment(pieces, moment, now, strict, false);
  if (typeof first === 'string') return refused(first === 'not_a_day' ? `not_a_${kind}` : first);
  // "Monday at nine", said on a Monday at noon.
  const other = isOtherSide(moment, first, now) ? placeMoment(pieces, moment, now, strict, true) : first;
  const chosen = typeof other === 'string' ? first : other;
  if (kind === 'date' ? !chosen.hasDay : !chosen.hasTime)
    return refused(kind === 'date' ? 'no_day' : 'no_time');
  const year = new Date(chosen.instantMs).getUTCFullYear();
  if (!(year >= 1 && year <= 9998)) return refused('out_of_range');
  const written = isoWithOffset(chosen.instantMs, now.zone);
  const time = written.slice(11, chosen.seconds ? 19 : 16);
  return { ok: true, value: { date: written.slice(0, 10), time, datetime: written }[kind] };
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
