// The table of filters of a placeholder, `{{ name
// filter: argument }}` (docs/flow-language.md#filters). Add a filter here first; compile/filter.ts
// implements them.

export interface FilterSpec {
  /** The argument after the colon; null = none allowed. */
  readonly argument: {
    readonly required: boolean;
    readonly pattern: RegExp;
    readonly expected: string;
  } | null;
  readonly meaning: string;
}

const plain = (meaning: string): FilterSpec => ({ argument: null, meaning });

const currencyCode = { required: true, pattern: /^[A-Za-z]{3}$/, expected: 'a currency such as "EUR"' };
const dateStyle = {
  required: false,
  pattern: /^(?:short|medium|long|full|weekday)$/,
  expected: 'short, medium, long, full or weekday',
};
const separator = { required: false, pattern: /^/, expected: 'a text that separates' };
const replacement = { required: true, pattern: /^/, expected: 'a text, or the name of a variable' };

export const filters = {
  default: {
    argument: replacement,
    meaning:
      'The argument when the value is missing or an empty text: a text in quotes, or a variable without.',
  },
  upper: plain('In capital letters.'),
  lower: plain('In small letters.'),
  title: plain('Every word with a capital letter.'),
  date: {
    argument: dateStyle,
    meaning:
      'The day of an ISO 8601 date or moment: `short`, `medium` (without an argument), `long`, `full` or `weekday`.',
  },
  time: plain('The time of day of an ISO 8601 time or moment.'),
  number: plain('A number with the marks of the language.'),
  currency: { argument: currencyCode, meaning: 'A number as an amount of money: `currency: "EUR"`.' },
  percent: plain('A share of one in per cent: 0.25 is 25 %.'),
  ordinal: plain('A whole number as a place in a row: 1st, 2nd.'),
  join: {
    argument: separator,
    meaning:
      'The elements of a list in one text: as the language lists them, or with the argument between them.',
  },
  count: plain('How many elements a list, members an object or characters a text has; 0 when missing.'),
  first: plain('The first element of a list.'),
  last: plain('The last element of a list.'),
  digits: plain('The digits one by one, for voices: 4 2 0.'),
  spell: plain('The characters one by one, for voices: A d a.'),
} as const satisfies Record<string, FilterSpec>;

export type FilterName = keyof typeof filters;

/** The problem with a use of a filter; null when it is valid. */
export function filterProblem(name: string, argument: string | null): string | null {
  if (!Object.hasOwn(filters, name)) return `Not a filter: "${name}"`;
  const expected = filters[name as FilterName].argument;
  if (expected === null) return argument === null ? null : `The filter "${name}" takes no argument`;
  if (argument === null) return expected.required ? `The filter "${name}" needs ${expected.expected}` : null;
  return expected.pattern.test(argument) ? null : `The filter "${name}" takes ${expected.expected}`;
}
