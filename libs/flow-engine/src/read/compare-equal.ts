// Equality of values, which `eq`, `in` and `contains` share (docs/flow-language.md#comparison).
import { limits } from '../define/limits.ts';
import type { PatternSource } from './patterns.ts';
import { foldSpoken, keepCase, readBoolean, readDecimal, type Fold } from '@parley/answers/readings';
import type { TurnBudget } from './turn-budget.ts';
import { answer, mismatch, valueMissing, type Verdict } from './verdicts.ts';

export type CountedComparison = (actual: unknown, budget: TurnBudget) => Verdict;

export interface ComparisonOptions {
  readonly caseSensitive: boolean;
  /** Where `matches` looks up its pattern on first use; compilePattern by default. */
  readonly patterns?: PatternSource;
  /** What compiling counts against when the value is known only in a turn. */
  readonly budget?: TurnBudget;
}

/** Cost of compiling the comparison with one value, in characters. */
export const compilingChars = 64;
/** Cost of comparing numbers or members, in characters. */
export const comparingChars = 8;

/** Cost of reading a value, in characters or members. */
export function measure(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return comparingChars;
  return Object.keys(value).length;
}

/**
 * Equality by the type of the expected value. Numbers only when one side *is* a number and the
 * other reads completely as one; booleans when one side is one and the other reads as one; texts
 * folded; lists and objects member by member.
 */
export function compileEqual(expected: unknown, options: ComparisonOptions): CountedComparison {
  const fold = options.caseSensitive ? keepCase : foldSpoken;
  options.budget?.text(compilingChars + measure(expected));
  switch (typeof expected) {
    case 'boolean':
      return truth(expected);
    case 'number': {
      const asBoolean = readBoolean(expected);
      return (actual, budget) =>
        typeof actual === 'boolean'
          ? sameReading(actual, asBoolean)
          : sameReading(expected, budget.read(readDecimal, actual));
    }
    case 'string': {
      const [folded, asNumber, asBoolean] = [fold(expected), readDecimal(expected), readBoolean(expected)];
      return (actual, budget) => {
        if (typeof actual === 'string')
          return answer(actual === expected || budget.fold(actual, fold) === folded);
        if (typeof actual === 'number') return sameReading(actual, asNumber);
        return typeof actual === 'boolean' ? sameReading(actual, asBoolean) : mismatch;
      };
    }
    case 'object':
      if (expected === null) return () => valueMissing;
      return (actual, budget) =>
        typeof actual === 'object' ? answer(sameMembers(actual, expected, fold, 0, budget)) : mismatch;
    default:
      return () => valueMissing;
  }
}

export function sameReading<T>(value: T, reading: T | null): Verdict {
  return reading === null ? mismatch : answer(value === reading);
}

export function truth(expected: boolean): CountedComparison {
  return (actual, budget) =>
    typeof actual === 'boolean'
      ? answer(actual === expected)
      : sameReading(expected, budget.read(readBoolean, actual));
}

/**
 * Deep equality of lists and objects; their members compare as `eq` does. Beyond the maximum depth
 * of variables, nothing is equal.
 */
function sameMembers(
  actual: unknown,
  expected: unknown,
  fold: Fold,
  depth: number,
  budget: TurnBudget,
): boolean {
  if (typeof actual !== 'object' || typeof expected !== 'object' || actual === null || expected === null)
    return actual === expected || sameScalar(actual, expected, fold, budget);
  if (depth === limits.depthMax || Array.isArray(actual) !== Array.isArray(expected)) return false;
  const names = Object.keys(expected);
  budget.text(names.length * comparingChars + measure(actual));
  return (
    names.length === Object.keys(actual).length &&
    names.every(
      (name) =>
        Object.hasOwn(actual, name) &&
        sameMembers((actual as Members)[name], (expected as Members)[name], fold, depth + 1, budget),
    )
  );
}

type Members = Readonly<Record<string, unknown>>;

function sameScalar(actual: unknown, expected: unknown, fold: Fold, budget: TurnBudget): boolean {
  if (actual === null || actual === undefined) return false;
  return compileEqual(expected, { caseSensitive: fold === keepCase, budget })(actual, budget).matched;
}
