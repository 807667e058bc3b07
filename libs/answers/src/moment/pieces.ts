// The pieces of an answer about days and times, and how each is read at a place: written forms by pattern, everything else by the
// phrases of the language.
import { compilePhrases, phraseRows, type Phrases, type Slots } from '../grammar/phrases.ts';
import { isGlued, tokenFrom, type Said } from '../grammar/tokens.ts';
import {
  dayParts,
  type DayPart,
  type Language,
  type Lexicon,
  type MomentMeaning,
} from '../language/language.ts';
import { momentSlots } from './slots.ts';
import { readWritten } from './written.ts';

export type WhichWeekday = 'coming' | 'this' | 'next' | 'either' | 'last';

export type UnitName = (typeof unitNames)[number];
export const unitNames = ['second', 'minute', 'hour', 'day', 'week', 'month', 'year'] as const;

export interface Amount {
  readonly count: number;
  readonly unit: UnitName;
}

/** One thing that an answer says about a day or a time. */
export type MomentPiece =
  | { readonly kind: 'offset'; readonly days: number }
  | { readonly kind: 'weekday'; readonly weekday: number; readonly which: WhichWeekday }
  | { readonly kind: 'week'; readonly weeks: number }
  | {
      readonly kind: 'date';
      readonly year: number | null;
      readonly month: number | null;
      readonly day: number;
    }
  | { readonly kind: 'shift'; readonly amounts: readonly Amount[] }
  | Clock
  | { readonly kind: 'part'; readonly part: DayPart }
  /** Minutes east of UTC. */
  | { readonly kind: 'zone'; readonly minutes: number }
  | { readonly kind: 'vague' }
  | { readonly kind: 'or' }
  | { readonly kind: 'range' };

export interface Clock {
  readonly kind: 'clock';
  readonly hour: number;
  readonly minute: number;
  /** null when nobody said a second. */
  readonly second: number | null;
  /** Said without a clock's written form, so that eight may be in the morning or in the evening. */
  readonly bare: boolean;
  /** Nothing but a number: beside a day it may be one of the month. */
  readonly alone: boolean;
  /** Of the 24 hours, whatever part of the day is said beside it. */
  readonly settled: boolean;
  readonly part: DayPart | null;
}

/** Reads the piece of one or more values that begins at a token. `bareHours`: a number alone is an hour. */
export function readPiece(
  said: Said,
  at: number,
  language: Language,
  bareHours: boolean,
): { readonly value: readonly MomentPiece[]; readonly next: number } | null {
  const written = readWritten(said, at, language.dateOrder);
  if (written !== null) return { value: written.pieces, next: tokenFrom(said, at, written.end) };
  const match = phrasesOf(language, bareHours).match(said, at);
  if (match === null) return readZone(said, at);
  const pieces = say(match.meaning, match.values);
  if (pieces === null) return null;
  // A phrase that ends inside a written number has not understood it.
  const rest = said.tokens[match.next];
  const cut = rest?.kind === 'digits' && isGlued(said, match.next);
  return cut ? null : { value: pieces, next: match.next };
}

const phrasesByLexicon = new Map<Lexicon, readonly [Phrases<MomentMeaning>, Phrases<MomentMeaning>]>();

function phrasesOf(language: Language, bareHours: boolean): Phrases<MomentMeaning> {
  const { lexicon } = language;
  let both = phrasesByLexicon.get(lexicon);
  if (both === undefined) {
    const slots: Slots = momentSlots(language);
    const rows = Object.entries({ ...lexicon.moments, part: '{part}' }).flatMap(([meaning, patterns]) =>
      phraseRows(patterns, meaning as MomentMeaning),
    );
    const bare = [...rows, ['{h}', 'bareHour'] as const, ['{h} {mm}', 'bareMinute'] as const];
    both = [compilePhrases(rows, slots), compilePhrases(bare, slots)];
    phrasesByLexicon.set(lexicon, both);
  }
  return both[bareHours ? 1 : 0];
}

const offsets = { today: 0, tomorrow: 1, yesterday: -1, overmorrow: 2, ereyesterday: -2 } as const;
const weeks = { thisWeek: 0, nextWeek: 1, lastWeek: -1 } as const;
const weekdays = {
  weekday: 'coming',
  thisWeekday: 'this',
  nextWeekday: 'next',
  eitherWeekday: 'either',
  lastWeekday: 'last',
} as const;
const parts = { thisMorning: 'morning', thisAfternoon: 'afternoon', tonight: 'evening' } as const;

/** What a phrase says, from what its slots have read; null when the numbers make no sense together. */
function say(meaning: MomentMeaning, [a = 0, b, c, d]: readonly number[]): readonly MomentPiece[] | null {
  switch (meaning) {
    case 'today':
    case 'tomorrow':
    case 'yesterday':
    case 'overmorrow':
    case 'ereyesterday':
      return [{ kind: 'offset', days: offsets[meaning] }];
    case 'now':
      return [{ kind: 'shift', amounts: [{ count: 0, unit: 'second' }] }];
    case 'thisMorning':
    case 'thisAfternoon':
    case 'tonight':
      return [
        { kind: 'offset', days: 0 },
        { kind: 'part', part: parts[meaning] },
      ];
    case 'thisWeek':
    case 'nextWeek':
    case 'lastWeek':
      return [{ kind: 'week', weeks: weeks[meaning] }];
    case 'weekday':
    case 'thisWeekday':
    case 'nextWeekday':
    case 'eitherWeekday':
    case 'lastWeekday':
      return [{ kind: 'weekday', weekday: a, which: weekdays[meaning] }];
    case 'dayMonth':
      return [{ kind: 'date', day: a, month: b ?? null, year: c ?? null }];
    case 'monthDay':
      return [{ kind: 'date', month: a, day: b ?? 0, year: c ?? null }];
    case 'dayOnly':
      return [{ kind: 'date', day: a, month: null, year: null }];
    case 'inUnits':
      return [{ kind: 'shift', amounts: [amount(a, b)] }];
    case 'inTwoUnits':
      return [{ kind: 'shift', amounts: [amount(a, b), amount(c ?? 0, d)] }];
    case 'inHalfHour':
      return [{ kind: 'shift', amounts: [{ count: 30, unit: 'minute' }] }];
    case 'unitsAgo':
      return [{ kind: 'shift', amounts: [amount(-a, b)] }];
    case 'noon':
      return clock(12, 0, { bare: false, settled: true });
    case 'midnight':
      return clock(0, 0, { bare: false, settled: true });
    case 'bareHour':
    case 'bareMinute':
      return clock(a, b ?? 0, { alone: true });
    case 'hour':
    case 'hourPart':
      return clock(a, 0, { part: b });
    case 'hourMinute':
    case 'hourMinutePart':
      return clock(a, b ?? 0, { part: c });
    case 'dotted':
    case 'military':
      return clock(Math.trunc(a / 60), a % 60, { bare: false, part: b });
    case 'past':
      return a < 60 ? clock(b ?? 0, a, { part: c }) : null;
    case 'hourPast':
      return clock(a, b ?? 0, { part: c });
    case 'to':
      return before(b ?? 0, a, c);
    case 'toOrRange':
      // Five to eight is 7:55 or from five until eight; ten to eight, which goes back, can only be the time.
      return a <= 12 && a < (b ?? 0) ? [{ kind: 'range' }] : before(b ?? 0, a, c);
    case 'hourTo':
      return before(a, b ?? 0, c);
    case 'halfPast':
      return clock(a, 30, { part: b });
    case 'halfTo':
      return before(a, 30, b);
    case 'pastHalf':
      return a < 30 ? before(b ?? 0, 30 - a, c) : null;
    case 'toHalf':
      return a < 30 ? before(b ?? 0, 30 + a, c) : null;
    case 'part':
      return [{ kind: 'part', part: dayParts[a]! }];
    case 'vague':
      return [{ kind: 'vague' }];
    case 'or':
    case 'range':
      return [{ kind: meaning }];
  }
}

const amount = (count: number, unit: number | undefined): Amount => ({ count, unit: unitNames[unit ?? 0]! });

interface ClockForm {
  readonly bare?: boolean;
  readonly alone?: boolean;
  readonly settled?: boolean;
  /** Index into `dayParts`. */
  readonly part?: number | undefined;
}

function clock(hour: number, minute: number, form: ClockForm = {}): readonly MomentPiece[] {
  const { bare = true, alone = false, settled = false } = form;
  const part = form.part === undefined ? null : dayParts[form.part]!;
  return [{ kind: 'clock', hour, minute, second: null, bare, alone, settled, part }];
}

/** So many minutes before an hour: "quarter to nine" is in the hour before. */
function before(hour: number, minutes: number, part: number | undefined): readonly MomentPiece[] | null {
  if (minutes <= 0 || minutes >= 60) return null;
  const earlier = hour === 0 ? 23 : hour === 1 ? 12 : hour - 1;
  return clock(earlier, 60 - minutes, { part });
}

const zones: ReadonlyMap<string, number> = new Map(
  Object.entries({
    ...{ utc: 0, gmt: 0, z: 0, est: -300, edt: -240, cst: -360, cdt: -300, mst: -420, mdt: -360, pst: -480 },
    ...{ pdt: -420, cet: 60, cest: 120, mez: 60, mesz: 120, eet: 120, eest: 180, wet: 0, west: 60 },
  }),
);

const zoneOffsetPattern = /[+-](\d{1,2}):?(\d{2})?(?![\d:])/y;

/** "UTC", "CET", "GMT+02:00": after a time. */
function readZone(said: Said, at: number) {
  const token = said.tokens[at]!;
  const minutes = token.kind === 'word' ? zones.get(token.text) : undefined;
  if (minutes === undefined) return null;
  zoneOffsetPattern.lastIndex = token.end;
  const more = minutes === 0 && token.text !== 'z' ? zoneOffsetPattern.exec(said.text) : null;
  if (more === null) return { value: [{ kind: 'zone', minutes } as const], next: at + 1 };
  const shift = Number(more[1]) * 60 + Number(more[2] ?? 0);
  const piece = { kind: 'zone', minutes: more[0].startsWith('-') ? -shift : shift } as const;
  return { value: [piece], next: tokenFrom(said, at, token.end + more[0].length) };
}
