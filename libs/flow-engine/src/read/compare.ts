// Implements the operators of operators.ts (docs/flow-language.md#comparison). compileComparison
// turns an operator and its value into one closure, once per edge, or once per turn when the value
// holds placeholders. Every comparison counts its cost against the turn's budget first; nothing but
// the budget throws.
import { limits } from '../define/limits.ts';
import { operators, type Operator } from '../define/operators.ts';
import { patternSize, patternSteps } from './pattern-size.ts';
import { compilePattern } from './patterns.ts';
import {
  compose,
  foldCase,
  isEmpty,
  keepCase,
  listElements,
  readDecimal,
  readIso,
  scalarText,
  type Fold,
} from '@parley/answers/readings';
import {
  comparingChars,
  compileEqual,
  compilingChars,
  measure,
  truth,
  type ComparisonOptions,
  type CountedComparison,
} from './compare-equal.ts';
import { uncounted, type TurnBudget } from './turn-budget.ts';
import {
  answer,
  emptyValue,
  invalidPattern,
  mismatch,
  missing,
  no,
  textTooLong,
  unknownOperator,
  valueMissing,
  yes,
  type Verdict,
} from './verdicts.ts';

/** Counts its cost against the budget; without one, it counts nothing. */
export type Comparison = (actual: unknown, budget?: TurnBudget) => Verdict;

/** Compiles `variable op value`. An unknown operator (null) never matches. */
export function compileComparison(
  op: Operator | null,
  value: unknown,
  options: ComparisonOptions,
): Comparison {
  if (op === null) return () => unknownOperator;
  const onMissing = operators[op].trueOnMissing ? missing.yes : missing.no;
  const compare = compilers[op](value, options);
  return (actual, budget = uncounted) =>
    actual === undefined || actual === null ? onMissing : compare(actual, budget);
}

/** Each operator over a variable that is present. Negative ones are strict complements. */
const compilers: Record<Operator, (value: unknown, options: ComparisonOptions) => CountedComparison> = {
  eq: compileEqual,
  neq: complement(compileEqual),
  gt: compileOrdered((difference) => difference > 0),
  gte: compileOrdered((difference) => difference >= 0),
  lt: compileOrdered((difference) => difference < 0),
  lte: compileOrdered((difference) => difference <= 0),
  between,
  in: compileIn,
  not_in: complement(compileIn),
  contains: compileContains,
  not_contains: complement(compileContains),
  starts_with: compileTextual((actual, expected) => actual.startsWith(expected)),
  ends_with: compileTextual((actual, expected) => actual.endsWith(expected)),
  matches,
  not_matches: complement(matches),
  exists: () => () => yes,
  not_exists: () => () => no,
  empty: () => (actual, budget) => answer(isEmptyWithin(actual, budget)),
  not_empty: () => (actual, budget) => answer(!isEmptyWithin(actual, budget)),
  is_true: () => truth(true),
  is_false: () => truth(false),
};

type ComparisonCompiler = (value: unknown, options: ComparisonOptions) => CountedComparison;

function complement(compile: ComparisonCompiler): ComparisonCompiler {
  return (value, options) => {
    const compare = compile(value, options);
    return (actual, budget) => compare(actual, budget).opposite;
  };
}

function isEmptyWithin(actual: unknown, budget: TurnBudget): boolean {
  budget.text(measure(actual));
  return isEmpty(actual);
}

const chooseFold = (options: ComparisonOptions): Fold => (options.caseSensitive ? keepCase : foldCase);

/**
 * Numbers with numbers, ISO 8601 moments with moments of the same kind; anything else is a
 * mismatch, never a guess.
 */
function compileOrdered(holds: (difference: number) => boolean): ComparisonCompiler {
  return (expected, { budget: compiling }) => {
    if (expected === undefined || expected === null) return () => valueMissing;
    compiling?.text(compilingChars + measure(expected));
    const difference = compileDifference(expected);
    return (actual, budget) => {
      const found = difference(actual, budget);
      return found === null ? mismatch : answer(holds(found));
    };
  };
}

/** Actual minus expected, or null when they do not compare. */
function compileDifference(expected: unknown): (actual: unknown, budget: TurnBudget) => number | null {
  const number = readDecimal(expected);
  if (number !== null)
    return (actual, budget) => {
      const actualNumber = Number.isFinite(actual) ? (actual as number) : budget.read(readDecimal, actual);
      return actualNumber === null ? null : actualNumber - number;
    };
  const moment = readIso(expected);
  if (moment === null) return () => null;
  return (actual, budget) => {
    const actualMoment = budget.read(readIso, actual);
    return actualMoment?.kind === moment.kind ? actualMoment.ms - moment.ms : null;
  };
}

function between(value: unknown, { budget: compiling }: ComparisonOptions): CountedComparison {
  if (!Array.isArray(value) || value.length !== 2) return () => (value == null ? valueMissing : mismatch);
  compiling?.text(compilingChars + measure(value[0]) + measure(value[1]));
  const [fromLow, fromHigh] = [compileDifference(value[0]), compileDifference(value[1])];
  return (actual, budget) => {
    const [overLow, overHigh] = [fromLow(actual, budget), fromHigh(actual, budget)];
    return overLow === null || overHigh === null ? mismatch : answer(overLow >= 0 && overHigh <= 0);
  };
}

function compileIn(value: unknown, options: ComparisonOptions): CountedComparison {
  if (value === undefined || value === null) return () => valueMissing;
  options.budget?.text(measure(value));
  const comparisons = listElements(value).map((element) => compileEqual(element, options));
  return (actual, budget) =>
    answer(
      comparisons.some((compare) => {
        budget.text(comparingChars);
        return compare(actual, budget).matched;
      }),
    );
}

/**
 * A list has an element equal to the value; a text has the value inside. Nothing contains an empty
 * value.
 */
function compileContains(value: unknown, options: ComparisonOptions): CountedComparison {
  const isElement = compileEqual(value, options);
  const inText = compileTextual(includesWithin)(value, options);
  return (actual, budget) => {
    if (!Array.isArray(actual)) return inText(actual, budget);
    budget.text(actual.length * comparingChars);
    return answer(actual.some((element) => element !== null && isElement(element, budget).matched));
  };
}

/**
 * Characters of a sought text that cost no more than one. For longer ones V8 may compare nearly all
 * of them at every position.
 */
const soughtCharsFree = 16;

function includesWithin(actual: string, expected: string, budget: TurnBudget): boolean {
  const places = actual.length;
  budget.text(expected.length <= soughtCharsFree ? places : places * (expected.length / soughtCharsFree));
  return actual.includes(expected);
}

/** Compares folded texts; numbers and booleans compare as written. */
function compileTextual(
  holds: (actual: string, expected: string, budget: TurnBudget) => boolean,
): ComparisonCompiler {
  return (value, options) => {
    if (value === undefined || value === null) return () => valueMissing;
    const fold = chooseFold(options);
    const expected = scalarText(value);
    if (expected === null) return () => mismatch;
    const folded = options.budget?.fold(expected, fold) ?? fold(expected);
    // Every text contains, begins and ends with "": such an edge would always be taken.
    if (folded === '') return () => emptyValue;
    return (actual, budget) => {
      const text = scalarText(actual);
      return text === null ? mismatch : answer(holds(budget.fold(text, fold), folded, budget));
    };
  };
}

function matches(
  value: unknown,
  { caseSensitive, patterns = compilePattern, budget: compiling }: ComparisonOptions,
): CountedComparison {
  const text = scalarText(value);
  if (text === null) return () => (value == null ? valueMissing : mismatch);
  if (text === '') return () => emptyValue;
  compiling?.text(compilingChars + Math.min(text.length, limits.patternCharsMax));
  // The size of the text gives the cost without compiling; an unused pattern is never compiled.
  const size =
    text.length > limits.patternCharsMax
      ? limits.patternInstructionsMax
      : Math.min(patternSize(text), limits.patternInstructionsMax);
  return (actual, budget) => {
    const searched = scalarText(actual);
    if (searched === null) return mismatch;
    if (searched.length > limits.matchedCharsMax) return textTooLong;
    budget.patterns(patternSteps(size, searched.length));
    const pattern = patterns(text, caseSensitive);
    if (!pattern.ok) return invalidPattern;
    return answer(pattern.test(budget.fold(searched, compose)));
  };
}
