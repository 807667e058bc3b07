// Reads an answer as a day, a time of day or a moment, relative to the turn's clock and the bag's time zone. What an answer leaves
// open is never filled in: "next month" is no day and "tomorrow" no moment. Of two days that it may mean, `prefer` decides.
import { accountFor } from './grammar/account.ts';
import { tokenize } from './grammar/tokens.ts';
import type { DateOrder, Language } from './language/language.ts';
import { placeDay, type Day } from './moment/days.ts';
import { readPiece, type MomentPiece } from './moment/pieces.ts';
import { chooseTime, momentOf } from './moment/times.ts';
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
export function readDate(answer: string, rules: DateRules, nowMs: number, timezone: unknown): DateReading {
  const { kind, strict, dateOrder } = rules;
  const language = dateOrder === null ? rules.language : { ...rules.language, dateOrder };
  const { fillers, momentGlue, momentFillers } = language.phrases;
  const said = tokenize(answer, language.lexicon.numbers.split ?? null);
  const pieces = accountFor(
    said,
    (text, at) => readPiece(text, at, language, kind === 'time'),
    strict ? [momentGlue] : [momentGlue, momentFillers, fillers],
  )?.flat();
  if (pieces === undefined || pieces.length === 0) return refused(`not_a_${kind}`);
  if (pieces.some((piece) => piece.kind === 'range')) return refused('is_a_range');
  if (pieces.some((piece) => piece.kind === 'or')) return refused('ambiguous');
  const zone = zoneOffset(timezone);
  const now: Now = { ms: nowMs, zone, wallMs: nowMs + zone(nowMs) * 60_000, prefer: rules.prefer };
  return settle(pieces, kind, now, strict);
}

function settle(pieces: readonly MomentPiece[], kind: DateKind, now: Now, strict: boolean): DateReading {
  const moment = momentOf(pieces);
  if (moment === null) return refused('ambiguous');
  if (kind !== 'date' && moment.clock === null && moment.shift === null) return refused('no_time');
  const day: Day | string | null = placeDay(pieces, now);
  if (typeof day === 'string') return refused(day === 'not_a_day' ? `not_a_${kind}` : day);
  if (kind === 'date' && day === null && moment.shift === null) return refused('no_day');
  const chosen = chooseTime(moment, day, now, strict);
  if (typeof chosen === 'string') return refused(chosen);
  const { instantMs, seconds } = chosen;
  const year = new Date(instantMs).getUTCFullYear();
  if (!(year >= 1 && year <= 9998)) return refused('out_of_range');
  if (kind !== 'date' && !chosen.hasTime) return refused('no_time');
  if (kind === 'date' && !chosen.hasDay) return refused('no_day');
  const written = isoWithOffset(instantMs, now.zone);
  const value = { date: written.slice(0, 10), time: written.slice(11, seconds ? 19 : 16), datetime: written };
  return { ok: true, value: value[kind] };
}
