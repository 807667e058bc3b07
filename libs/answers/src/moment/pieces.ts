// The pieces of an answer about days and times, and how to read each at a place: written forms by
// pattern, everything else by the phrases of the language.
import { compilePhrases, phraseRows, collectStarts, type Phrases, type Slots } from '../grammar/phrases.ts';
import { isGlued, tokenFrom, type TokenizedUtterance } from '../grammar/tokens.ts';
import {
  dayParts,
  type DayPart,
  type Language,
  type Lexicon,
  type MomentMeaning,
} from '../language/language.ts';
import { momentSlots, slotStarts } from './slots.ts';
import { hoursByPart } from './times.ts';
import { readWritten } from './written.ts';

export type WhichWeekday = 'coming' | 'this' | 'next' | 'either' | 'last' | 'lastWeek';

export type UnitName = (typeof unitNames)[number];
export const unitNames = ['second', 'minute', 'hour', 'day', 'week', 'month', 'year'] as const;

export interface Amount {
  readonly count: number;
  readonly unit: UnitName;
}

/** One fact of an answer about a day or a time. */
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
  /** A day of this month (0), the next (1) or the last (-1). */
  | { readonly kind: 'monthDay'; readonly months: number; readonly day: number }
  /** Amounts from now, or from the day that is so many days away. */
  | { readonly kind: 'shift'; readonly amounts: readonly Amount[]; readonly fromDays: number }
  | Clock
  | { readonly kind: 'part'; readonly part: DayPart }
  /** Minutes east of UTC. */
  | { readonly kind: 'zone'; readonly minutes: number }
  | { readonly kind: 'vague' }
  /** An idiom that means one of two days: "in acht Tagen". */
  | { readonly kind: 'idiom' }
  | { readonly kind: 'or' }
  | { readonly kind: 'range' };

export interface Clock {
  readonly kind: 'clock';
  readonly hour: number;
  readonly minute: number;
  /** Null when the answer has no seconds. */
  readonly second: number | null;
  /** Not in a clock's written form, so that eight may be in the morning or in the evening. */
  readonly bare: boolean;
  /** Only a number: beside a day it may be one of the month. */
  readonly alone: boolean;
  /** Of the 24 hours, so that a part of the day beside it does not change it. */
  readonly settled: boolean;
  readonly part: DayPart | null;
}

/**
 * What to read: days and times; also a number alone as an hour; or, inside a sentence, without
 * joining words.
 */
export type PieceMode = 'moment' | 'hour' | 'sentence';

export interface PieceReading {
  readonly value: readonly MomentPiece[];
  readonly next: number;
  /** Null for a written form or a zone. */
  readonly meaning?: MomentMeaning;
}

/** Reads the piece of one or more values that begins at a token. */
export function readPiece(
  said: TokenizedUtterance,
  at: number,
  language: Language,
  mode: PieceMode,
): PieceReading | null {
  const phrases = compilePiecePhrases(language);
  const token = said.tokens[at]!;
  if (token.kind === 'word' && !phrases.starts.has(token.text)) return readZone(said, at, mode);
  const written = readWritten(said, at, language.dateOrder);
  const writtenEnd = written === null ? 0 : tokenFrom(said, at, written.end);
  if (written !== null && writtenEnd === said.tokens.length)
    return { value: written.pieces, next: writtenEnd };
  const match = phrases[mode].match(said, at);
  if (written !== null && writtenEnd >= (match?.next ?? 0))
    return { value: written.pieces, next: writtenEnd };
  if (match === null) return readZone(said, at, mode);
  const pieces = toPieces(match.meaning, match.values, language.lexicon.idiomDays);
  if (pieces === null) return null;
  // A phrase that ends inside a written number is misread.
  const rest = said.tokens[match.next];
  const cut = rest?.kind === 'digits' && isGlued(said, match.next);
  return cut ? null : { value: pieces, next: match.next, meaning: match.meaning };
}

/** `starts`: words that a piece may begin with. */
type PhrasesByMode = Readonly<Record<PieceMode, Phrases<MomentMeaning>>> & {
  readonly starts: ReadonlySet<string>;
};

const phrasesByLexicon = new Map<Lexicon, PhrasesByMode>();

/**
 * In sentences, words that join or choose have other uses too ("to", "and"); there the closed lists
 * guard.
 */
const notInSentences: ReadonlySet<string> = new Set(['or', 'range', 'now']);

function compilePiecePhrases(language: Language): PhrasesByMode {
  const { lexicon } = language;
  let phrases = phrasesByLexicon.get(lexicon);
  if (phrases === undefined) {
    const slots: Slots = momentSlots(language);
    const inSlots = slotStarts(language);
    const rows = Object.entries({ ...lexicon.moments, part: '{part}' }).flatMap(([meaning, patterns]) =>
      phraseRows(patterns, meaning as MomentMeaning),
    );
    const bare = [...rows, ['{h}', 'bareHour'] as const, ['{h} {mm}', 'bareMinute'] as const];
    const moment = compilePhrases(rows, slots, inSlots);
    phrases = {
      moment,
      starts: collectStarts([moment], ...Object.values(inSlots), new Set(zones.keys())),
      hour: compilePhrases(bare, slots, inSlots),
      sentence: compilePhrases(
        rows.filter(([, meaning]) => !notInSentences.has(meaning)),
        slots,
        inSlots,
      ),
    };
    phrasesByLexicon.set(lexicon, phrases);
  }
  return phrases;
}

/** Words that a piece may begin with. */
export const momentStarts = (language: Language): ReadonlySet<string> => compilePiecePhrases(language).starts;

const offsets = { today: 0, tomorrow: 1, yesterday: -1, overmorrow: 2, ereyesterday: -2 } as const;
const weeks = { thisWeek: 0, nextWeek: 1, lastWeek: -1 } as const;
const weekdays = {
  weekday: 'coming',
  thisWeekday: 'this',
  nextWeekday: 'next',
  eitherWeekday: 'either',
  lastWeekday: 'last',
  weekdayLastWeek: 'lastWeek',
} as const;
const parts = { thisMorning: 'morning', thisAfternoon: 'afternoon', tonight: 'evening' } as const;

/**
 * The pieces of a phrase, from the values of its slots; null when the numbers do not fit together.
 */
function toPieces(
  meaning: MomentMeaning,
  [a = 0, b, c, d]: readonly number[],
  idiomDays: readonly number[],
): readonly MomentPiece[] | null {
  switch (meaning) {
    case 'today':
    case 'tomorrow':
    case 'yesterday':
    case 'overmorrow':
    case 'ereyesterday':
      return [{ kind: 'offset', days: offsets[meaning] }];
    case 'now':
      return shift([{ count: 0, unit: 'second' }]);
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
    case 'weekdayLastWeek':
      return [{ kind: 'weekday', weekday: a, which: weekdays[meaning] }];
    case 'dayMonth':
      return [{ kind: 'date', day: a, month: b ?? null, year: c ?? null }];
    case 'monthDay':
      return [{ kind: 'date', month: a, day: b ?? 0, year: c ?? null }];
    case 'dayOnly':
      return [{ kind: 'date', day: a, month: null, year: null }];
    case 'lastNight':
      return [
        { kind: 'offset', days: -1 },
        { kind: 'part', part: 'night' },
      ];
    case 'dayThisMonth':
    case 'dayNextMonth':
    case 'dayLastMonth':
      return [{ kind: 'monthDay', months: months[meaning], day: a }];
    case 'inUnits':
      return unitNames[b ?? 0] === 'day' && idiomDays.includes(a)
        ? [{ kind: 'idiom' }]
        : shift([amount(a, b)]);
    case 'inTwoUnits':
      return shift([amount(a, b), amount(c ?? 0, d)]);
    case 'inHalfHour':
      return shift([{ count: 30, unit: 'minute' }]);
    case 'unitsAgo':
      return unitNames[b ?? 0] === 'day' && idiomDays.includes(a)
        ? [{ kind: 'idiom' }]
        : shift([amount(-a, b)]);
    case 'unitsFromTomorrow':
      return shift([amount(a, b)], 1);
    case 'unitsFromOvermorrow':
      return shift([amount(a, b)], 2);
    case 'unitsFromYesterday':
      return shift([amount(a, b)], -1);
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
      // Five to eight is 7:55 or from five until eight; ten to eight, which goes back, can only be
      // the time.
      return a <= 12 && a < (b ?? 0) ? [{ kind: 'range' }] : before(b ?? 0, a, c);
    case 'hourTo':
      return before(a, b ?? 0, c);
    case 'pastNoon':
      return a < 60 ? clock(12, a, { bare: false, settled: true }) : null;
    case 'pastMidnight':
      return a < 60 ? clock(0, a, { bare: false, settled: true }) : null;
    case 'toNoon':
      return a > 0 && a < 60 ? clock(11, 60 - a, { bare: false, settled: true }) : null;
    case 'toMidnight':
      return a > 0 && a < 60 ? clock(23, 60 - a, { bare: false, settled: true }) : null;
    case 'quarterBefore':
      return before(a, 15, b);
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

const months = { dayThisMonth: 0, dayNextMonth: 1, dayLastMonth: -1 } as const;

const shift = (amounts: readonly Amount[], fromDays = 0): readonly MomentPiece[] => [
  { kind: 'shift', amounts, fromDays },
];

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
  if (part !== undefined && hour >= 1 && hour <= 12) {
    // The part belongs to the hour in the phrase: "fünf vor zwölf mittags".
    const meant = hoursByPart[dayParts[part]!](hour);
    return meant === null ? null : clock((meant + 23) % 24, 60 - minutes, { bare: false, settled: true });
  }
  const earlier = hour === 0 ? 23 : hour === 1 ? 12 : hour - 1;
  return clock(earlier, 60 - minutes, { part });
}

const zones: ReadonlyMap<string, number> = new Map(
  Object.entries({
    utc: 0,
    gmt: 0,
    z: 0,
    est: -300,
    edt: -240,
    cst: -360,
    cdt: -300,
    mst: -420,
    mdt: -360,
    pst: -480,
    pdt: -420,
    cet: 60,
    cest: 120,
    mez: 60,
    mesz: 120,
    eet: 120,
    eest: 180,
    wet: 0,
    west: 60,
  }),
);

const zoneOffsetPattern = /[+-](\d{1,2}):?(\d{2})?(?![\d:])/y;

/** "UTC", "CET", "GMT+02:00": after a time. */
function readZone(said: TokenizedUtterance, at: number, mode: PieceMode) {
  const token = said.tokens[at]!;
  // "Est" is a word in French.
  if (mode === 'sentence' && said.utterance[token.start] === said.text[token.start]) return null;
  const minutes = token.kind === 'word' ? zones.get(token.text) : undefined;
  if (minutes === undefined) return null;
  zoneOffsetPattern.lastIndex = token.end;
  const more = minutes === 0 && token.text !== 'z' ? zoneOffsetPattern.exec(said.text) : null;
  if (more === null) return { value: [{ kind: 'zone', minutes } as const], next: at + 1 };
  const shift = Number(more[1]) * 60 + Number(more[2] ?? 0);
  const piece = { kind: 'zone', minutes: more[0].startsWith('-') ? -shift : shift } as const;
  return { value: [piece], next: tokenFrom(said, at, token.end + more[0].length) };
}
