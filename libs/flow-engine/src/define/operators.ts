// The table of comparison operators of a deterministic edge (docs/flow-language.md#comparison):
// names, aliases, the value that each takes, and its result for a missing variable. Add an operator
// here first; compare.ts implements them.

/**
 * The `value` of an operator: none = ignored; any = every JSON value; ordered = number, numeric
 * text or ISO 8601 text; pair = [low, high] of ordered; list = a list, or a comma-separated text;
 * scalar = text, number or boolean, not empty; text = the same, compared as text; pattern = RE2
 * syntax. Every text may hold `{{ var }}`.
 */
export type ValueShape = 'none' | 'any' | 'ordered' | 'pair' | 'list' | 'scalar' | 'text' | 'pattern';

export interface OperatorSpec {
  readonly aliases: readonly string[];
  readonly takes: ValueShape;
  /** The result when the variable is absent or null. */
  readonly trueOnMissing: boolean;
  /** The operator that this one negates. */
  readonly complementOf?: string;
  /** Stands between the variable and the value: "topic is bill". */
  readonly label: string;
  /** The same before a day or a time: "day is after 2026-03-01". */
  readonly labelOfTimes?: string;
  /** For authors who know the syntax of the value. */
  readonly advanced?: true;
  readonly meaning: string;
}

const onMissing = { trueOnMissing: true };
const offMissing = { trueOnMissing: false };

export const operators = {
  eq: {
    ...offMissing,
    aliases: ['==', '=', 'equals', 'is'],
    takes: 'any',
    label: 'is',
    meaning: 'Is equal to the value.',
  },
  neq: {
    ...onMissing,
    aliases: ['!=', '<>', 'ne', 'not_equals', 'is_not'],
    takes: 'any',
    complementOf: 'eq',
    label: 'is not',
    meaning: 'Is not equal to the value.',
  },
  gt: {
    ...offMissing,
    aliases: ['>'],
    takes: 'ordered',
    label: 'is more than',
    labelOfTimes: 'is after',
    meaning: 'Is greater than, or later than.',
  },
  gte: {
    ...offMissing,
    aliases: ['>='],
    takes: 'ordered',
    label: 'is at least',
    labelOfTimes: 'is not before',
    meaning: 'Is at least, or not before.',
  },
  lt: {
    ...offMissing,
    aliases: ['<'],
    takes: 'ordered',
    label: 'is less than',
    labelOfTimes: 'is before',
    meaning: 'Is less than, or earlier than.',
  },
  lte: {
    ...offMissing,
    aliases: ['<='],
    takes: 'ordered',
    label: 'is at most',
    labelOfTimes: 'is not after',
    meaning: 'Is at most, or not after.',
  },
  between: {
    ...offMissing,
    aliases: [],
    takes: 'pair',
    label: 'is between',
    meaning: 'Lies within [low, high], both included.',
  },
  in: {
    ...offMissing,
    aliases: [],
    takes: 'list',
    label: 'is one of',
    meaning: 'Equals one element of the list.',
  },
  not_in: {
    ...onMissing,
    aliases: [],
    takes: 'list',
    complementOf: 'in',
    label: 'is none of',
    meaning: 'Equals no element of the list.',
  },
  contains: {
    ...offMissing,
    aliases: ['includes'],
    takes: 'scalar',
    label: 'contains',
    meaning: 'Text: holds the value. List: has an element equal to it.',
  },
  not_contains: {
    ...onMissing,
    aliases: [],
    takes: 'scalar',
    complementOf: 'contains',
    label: 'does not contain',
    meaning: 'Does not hold the value.',
  },
  starts_with: {
    ...offMissing,
    aliases: [],
    takes: 'text',
    label: 'starts with',
    meaning: 'Begins with the text.',
  },
  ends_with: {
    ...offMissing,
    aliases: [],
    takes: 'text',
    label: 'ends with',
    meaning: 'Ends with the text.',
  },
  matches: {
    ...offMissing,
    aliases: ['regex'],
    takes: 'pattern',
    label: 'matches the pattern',
    advanced: true,
    meaning: 'Matches the RE2 pattern anywhere in the text.',
  },
  not_matches: {
    ...onMissing,
    aliases: [],
    takes: 'pattern',
    complementOf: 'matches',
    label: 'does not match the pattern',
    advanced: true,
    meaning: 'Does not match the RE2 pattern.',
  },
  exists: {
    ...offMissing,
    aliases: ['is_set', 'set'],
    takes: 'none',
    label: 'has a value',
    meaning: 'Is present and not null; an empty text exists.',
  },
  not_exists: {
    ...onMissing,
    aliases: ['not_exist'],
    takes: 'none',
    complementOf: 'exists',
    label: 'has no value',
    meaning: 'Is absent or null.',
  },
  empty: {
    ...onMissing,
    aliases: ['is_empty'],
    takes: 'none',
    label: 'is empty',
    meaning: 'Is missing, a blank text, an empty list or an empty object.',
  },
  not_empty: {
    ...offMissing,
    aliases: [],
    takes: 'none',
    complementOf: 'empty',
    label: 'is not empty',
    meaning: 'Is not empty.',
  },
  is_true: {
    ...offMissing,
    aliases: [],
    takes: 'none',
    label: 'is yes',
    meaning: 'Is true, or one of the words true, yes, 1.',
  },
  is_false: {
    ...offMissing,
    aliases: [],
    takes: 'none',
    label: 'is no',
    meaning: 'Is false, or one of the words false, no, 0.',
  },
} as const satisfies Record<string, OperatorSpec>;

export type Operator = keyof typeof operators;

const operatorBySpelling: ReadonlyMap<string, Operator> = new Map(
  Object.entries(operators).flatMap(([op, spec]) =>
    [op, ...spec.aliases].map((spelling) => [spelling, op as Operator] as const),
  ),
);

/** The canonical operator behind an authored `op`, or null when there is no such operator. */
export function resolveOperator(authored: string): Operator | null {
  return operatorBySpelling.get(authored.trim()) ?? null;
}
