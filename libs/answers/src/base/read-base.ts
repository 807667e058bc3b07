// Reads an answer in a base language: the whole answer, without punctuation, is the value, or there
// is none. It skips no words, because no list says which words change no value.
import { uncounted, type ReadingBudget } from '../budget.ts';
import type { MomentPiece } from '../moment/pieces.ts';
import type { CastRules, ReadingContext } from '../cast.ts';
import type { Cast } from '../casts.ts';
import { captured, type CastOutcome } from '../outcome.ts';
import { placePieces, type DateKind } from '../read-date.ts';
import type { BaseLanguage } from './base-language.ts';
import { foldBase } from './fold.ts';
import { readBaseClock } from './read-clock.ts';
import { readBaseDay } from './read-day.ts';
import { readBaseNumber } from './read-number.ts';

/**
 * The value of an answer by the words of a base language; null when it has no such value in words.
 * It may still be digits, an address or a choice, which read the same in every language.
 */
export function readInBase(
  cast: Cast,
  answer: string,
  base: BaseLanguage,
  rules: Pick<CastRules, 'units' | 'prefer' | 'strict'>,
  { nowMs, timezone, budget }: ReadingContext,
): CastOutcome | null {
  switch (cast) {
    case 'integer':
    case 'number':
      return captureUnlessNull(readNumber(answer, base, rules.units ?? [], budget));
    case 'boolean':
      return captureUnlessNull(readYesNo(answer, base, budget));
    case 'date':
    case 'time':
    case 'datetime': {
      const pieces = readMoment(answer, base, cast, budget);
      const placing = { kind: cast, prefer: rules.prefer ?? 'future', strict: rules.strict === true };
      return pieces && placePieces(pieces, placing, nowMs, timezone);
    }
    default:
      return null;
  }
}

const captureUnlessNull = (value: unknown): CastOutcome | null => (value === null ? null : captured(value));

/** Cost of trying every writer of the language, in characters. */
const readingChars = 400;

function fold(answer: string, base: BaseLanguage, budget: ReadingBudget): string {
  budget.text(answer.length * readingChars);
  return foldBase(answer, base.language);
}

const signed = /^\s*[-−–]/;

/** A whole number in words, optionally with one of the units. */
function readNumber(
  answer: string,
  base: BaseLanguage,
  units: readonly string[],
  budget = uncounted,
): number | null {
  // Folding drops marks, and this one changes the value.
  if (signed.test(answer)) return null;
  const text = fold(answer, base, budget);
  const [value, ...others] = new Set(
    ['', ...units.map((unit) => foldBase(unit, base.language))]
      .flatMap((unit) => withoutUnit(text, unit))
      .flatMap((rest) => readBaseNumber(rest, base) ?? []),
  );
  return value === undefined || others.length > 0 ? null : value;
}

function withoutUnit(text: string, unit: string): string[] {
  if (unit === '') return [text];
  const after = text.endsWith(unit) ? [text.slice(0, -unit.length)] : [];
  return text.startsWith(unit) ? [...after, text.slice(unit.length)] : after;
}

/** Yes or no; null for anything else. */
function readYesNo(answer: string, base: BaseLanguage, budget = uncounted): boolean | null {
  const text = fold(answer, base, budget);
  if (base.yes.includes(text)) return true;
  return base.no.includes(text) ? false : null;
}

/** The day or time of an answer; null when its words give none, or several. */
function readMoment(
  answer: string,
  base: BaseLanguage,
  kind: DateKind,
  budget = uncounted,
): readonly MomentPiece[] | null {
  const text = fold(answer, base, budget);
  const clock = readBaseClock(text, base);
  if (kind === 'time' && clock !== null) return [clock];
  const day = readBaseDay(text, base);
  if (kind === 'date' && day !== null) return day;
  return both(text, base);
}

/** Day and time, in either order, with no letter between them. */
function both(text: string, base: BaseLanguage): readonly MomentPiece[] | null {
  const readings = new Map<string, readonly MomentPiece[]>();
  for (let at = 1; at < text.length; at++) {
    const [before, after] = [text.slice(0, at), text.slice(at)];
    for (const [day, time] of [
      [before, after],
      [after, before],
    ] as const) {
      const clock = readBaseClock(time, base);
      const pieces = clock && readBaseDay(day, base);
      if (pieces !== null && clock !== null)
        readings.set(JSON.stringify([pieces, clock]), [...pieces, clock]);
    }
  }
  const [reading = null, ...others] = readings.values();
  return others.length > 0 ? null : reading;
}
