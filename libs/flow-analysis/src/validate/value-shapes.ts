// Checks the value of an operator (docs/flow-language.md#comparison; the shapes are in the table of
// operators). Nothing is proved about a condition with such a problem.
import type { Condition } from '@parley/flow-engine/define/model';
import { operators, type ValueShape } from '@parley/flow-engine/define/operators';
import { readDecimal, readIso, scalarText } from '@parley/answers/readings';

/**
 * The problem with the value of a condition, or null. Other rules report unknown operators and
 * missing variables.
 */
export function findValueProblem({ op, value, hasValue }: Condition): string | null {
  if (op === null) return null;
  return problems[operators[op].takes](value, hasValue);
}

type Check = (value: unknown, hasValue: boolean) => string | null;

const problems: Record<ValueShape, Check> = {
  none: () => null,
  // Null is a JSON value that nothing equals: the edge is contradictory, not malformed.
  any: (_value, hasValue) => (hasValue ? null : 'takes a value'),
  ordered: (value) => (isRendered(value) || isOrdered(value) ? null : orderedText),
  pair: pairProblem,
  list: (value) => (Array.isArray(value) || typeof value === 'string' ? null : 'takes a list'),
  scalar: textProblem,
  text: textProblem,
  pattern: (value) => (scalarText(value) === null || value === '' ? 'takes a pattern in RE2 syntax' : null),
};

const orderedText = 'takes a number, or a date or time in ISO 8601';

/** The value is known only in a turn. */
export const isRendered = (value: unknown): boolean => typeof value === 'string' && value.includes('{{');

const isOrdered = (value: unknown): boolean => readDecimal(value) !== null || readIso(value) !== null;

function pairProblem(value: unknown): string | null {
  if (isRendered(value)) return null;
  if (!Array.isArray(value) || value.length !== 2) return 'takes a list of two: [low, high]';
  const ends: unknown[] = value;
  if (!ends.every((end) => isRendered(end) || isOrdered(end))) return `${orderedText}, at both ends`;
  const kinds = new Set(ends.filter((end) => !isRendered(end)).map(classify));
  return kinds.size > 1 ? 'takes two ends of the same kind' : null;
}

const classify = (end: unknown): string =>
  readDecimal(end) === null ? (readIso(end)?.kind ?? '') : 'number';

/** Every text contains, begins and ends with an empty text. */
function textProblem(value: unknown): string | null {
  const text = scalarText(value);
  if (text === null) return 'takes a text, a number or a boolean';
  return text.trim() === '' ? 'takes a text that is not empty' : null;
}
