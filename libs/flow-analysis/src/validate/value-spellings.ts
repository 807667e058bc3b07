// Texts that read as a given number or moment, each in several spellings: "007" compares as 7 but
// is not the text "7". A spelling may be missing or not read back exactly; value-cells.ts checks
// each before it relies on it.
import type { IsoMoment } from '@parley/answers/readings';

/** Spellings tried for one value. */
export const spellingsMax = 7;

/** A number without exponent, with one more leading zero for every attempt. */
export function spellDecimal(value: number, attempt: number): string {
  const size = Math.abs(value);
  const short = String(size);
  const digits = short.includes('e') ? (size > 1 ? BigInt(size).toString() : size.toFixed(100)) : short;
  return `${value < 0 ? '-' : ''}${'0'.repeat(attempt + 1)}${digits}`;
}

/** A moment in ISO 8601, with one more decimal of the second for every attempt. */
export function spellMoment(kind: IsoMoment['kind'], ms: number, attempt: number): string {
  const second = Math.floor(ms / 1000) * 1000;
  const fraction = ((ms - second) / 1000).toFixed(3 + attempt).slice(1);
  const whole = new Date(second).toISOString().slice(0, 19);
  return kind === 'date' ? `${whole}${fraction}Z` : `${whole.slice(11)}${fraction}`;
}

/**
 * A number of every interval before, between and after numbers in ascending order; none when no
 * number lies between.
 */
export function pickNumbers(points: readonly number[]): number[] {
  return listIntervals(points)
    .map(([low, high]) =>
      low === -Infinity ? high - step(high) : high === Infinity ? low + step(low) : mean(low, high),
    )
    .filter((number, at) => Number.isFinite(number) && number !== points[at - 1] && number !== points[at]);
}

/** 1, or more when numbers are too large for 1 to make a difference. */
const step = (number: number): number => Math.max(1, Math.abs(number) / 2);
const mean = (low: number, high: number): number => low / 2 + high / 2;

/** A moment inside an interval; null when there is none. */
export function pickMoment(kind: IsoMoment['kind'], [low, high]: Interval): number | null {
  if (kind === 'date') {
    if (low === -Infinity) return high - dayMs;
    return high === Infinity ? low + dayMs : mean(low, high);
  }
  if (low === -Infinity) return high > 0 ? 0 : null;
  return mean(low, Math.min(high, dayMs));
}

const dayMs = 86_400_000;

export type Interval = readonly [low: number, high: number];

/** The intervals before, between and after points in ascending order, ends excluded. */
export function listIntervals(points: readonly number[]): Interval[] {
  return [...points, Infinity].map((high, at) => [points[at - 1] ?? -Infinity, high] as const);
}
