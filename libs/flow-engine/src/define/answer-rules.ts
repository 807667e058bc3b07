// The members of a collect node that say how to read its answer and what it must be
// (docs/flow-language.md#answers). A member with a fault has no effect and validation reports it; a
// stored flow always parses.
import { casts, readingLevels, type Cast, type CastSpec, type ReadingLevel } from '@parley/answers';
import type { AuthoredNode } from './definition.ts';
import { limits } from './limits.ts';

export interface AnswerRules {
  readonly strict: boolean;
  /** The reading that an answer needs; null = any. */
  readonly reading: ReadingLevel | null;
  /** Who reads what the cast refuses; null = no one. */
  readonly readWith: 'model' | null;
  readonly prefer: 'future' | 'past' | 'nearest' | null;
  readonly dateOrder: 'dmy' | 'mdy' | 'ymd' | null;
  readonly min: Bound | null;
  readonly max: Bound | null;
  /** RE2 syntax. */
  readonly pattern: string | null;
  readonly units: readonly string[];
  readonly reprompts: Readonly<Partial<Record<RepromptStatus, string>>>;
  /** Captured when no attempts are left; undefined = none. */
  readonly defaultAnswer: unknown;
  /** Variables of other questions that an answer to this one may fill. */
  readonly also: readonly string[];
}

/** A number, an ISO 8601 date, moment or time of day, or "today" or "now". */
export type Bound = number | string;

export type FailureStatus = (typeof failureStatuses)[number];
export const failureStatuses = ['no_match', 'no_input', 'out_of_range'] as const;

/** Why a node asks again: a failure, or an answer that filled other variables only. */
export type RepromptStatus = (typeof repromptStatuses)[number];
export const repromptStatuses = [...failureStatuses, 'filled_others'] as const;

export interface AnswerRuleProblem {
  readonly member: string;
  readonly message: string;
  /** Well-formed, but its cast does not read it. */
  readonly isIdle?: true;
}

const isoPatterns: Readonly<Record<'date' | 'time' | 'datetime', RegExp>> = {
  date: /^(?:today|\d{4}-\d{2}-\d{2})$/,
  time: /^(?:now|\d{2}:\d{2}(?::\d{2})?)$/,
  datetime: /^(?:today|now|\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:?\d{2})?)?)$/,
};

export const answerMembers: readonly string[] =
  'strict reading read_with prefer date_order min max pattern unit reprompts default_answer also skip_if_set'.split(
    ' ',
  );

/** The rules of a node without these members. */
const defaultRules = {
  rules: {
    strict: false,
    reading: null,
    readWith: null,
    prefer: null,
    dateOrder: null,
    min: null,
    max: null,
    pattern: null,
    units: [],
    reprompts: {},
    defaultAnswer: undefined,
    also: [],
  },
  problems: [],
};

/** Reads the members of a collect node, and their problems. */
export function readAnswerRules(
  raw: AuthoredNode,
  cast: Cast | null,
): { readonly rules: AnswerRules; readonly problems: readonly AnswerRuleProblem[] } {
  if (answerMembers.every((name) => raw[name] == null)) return defaultRules;
  const problems: AnswerRuleProblem[] = [];
  /** A valid member of a node with one of these casts. */
  const member = <Value>(
    name: string,
    isRight: (value: unknown) => value is Value,
    expected: string,
  ): Value | null => {
    const value = raw[name];
    if (value === undefined || value === null) return null;
    if (cast !== null && !isReadBy(cast, name))
      problems.push({
        member: name,
        message: `\`${name}\` has no meaning for the cast ${cast}`,
        isIdle: true,
      });
    else if (!isRight(value)) problems.push({ member: name, message: `\`${name}\` must be ${expected}` });
    else return value;
    return null;
  };
  const units = member('unit', isWords, 'a text or a list of texts');
  const bounded = cast === null ? null : readBound(cast);
  const bound = (name: string) => member(name, bounded?.isRight ?? isBound, bounded?.expected ?? '');
  const min = bound('min');
  const max = bound('max');
  const rules: AnswerRules = {
    strict: member('strict', isFlag, 'true or false') ?? false,
    reading: member('reading', readOneOf(...readingLevels), '"whole" or "sentence"'),
    readWith: member('read_with', readOneOf('model'), '"model"'),
    prefer: member('prefer', readOneOf('future', 'past', 'nearest'), '"future", "past" or "nearest"'),
    dateOrder: member('date_order', readOneOf('dmy', 'mdy', 'ymd'), '"dmy", "mdy" or "ymd"'),
    min,
    max,
    pattern: member('pattern', isText, `a text of at most ${limits.patternCharsMax} characters`),
    units: units === null ? [] : [units].flat(),
    reprompts:
      member('reprompts', isReprompts, `an object of texts with ${repromptStatuses.join(', ')}`) ?? {},
    defaultAnswer: raw['default_answer'] ?? undefined,
    also: (member('also', isNames, `a list of at most ${limits.alsoMax} variables`) ?? []).map((name) =>
      name.trim(),
    ),
  };
  member('skip_if_set', isFlag, 'true or false');
  if (
    typeof min === typeof max &&
    min !== null &&
    max !== null &&
    min > max &&
    !isRelative(min) &&
    !isRelative(max)
  )
    problems.push({ member: 'min', message: '`min` is above `max`, so that no answer is within' });
  return { rules, problems };
}

/** Members that every cast reads. */
const always: ReadonlySet<string> = new Set(['strict', 'reading', 'reprompts', 'also', 'skip_if_set']);

/** Casts that capture the utterance unchanged. */
export const verbatimCasts: ReadonlySet<string> = new Set(['string', 'json', 'list']);

const isReadBy = (cast: Cast, name: string): boolean =>
  always.has(name) ||
  (name === 'read_with' && !verbatimCasts.has(cast)) ||
  ((casts[cast] as CastSpec).reads as readonly string[] | undefined)?.includes(name) === true;

function readBound(cast: Cast): { isRight: (value: unknown) => value is Bound; expected: string } | null {
  if (casts[cast].captures === 'number') return { isRight: isNumber, expected: 'a number' };
  if (cast === 'string' || cast === 'list')
    return { isRight: isLength, expected: 'a length: a whole number from 0' };
  if (cast !== 'date' && cast !== 'time' && cast !== 'datetime') return null;
  const written = isoPatterns[cast];
  const now = cast === 'time' ? '"now"' : cast === 'date' ? '"today"' : '"today" or "now"';
  return {
    isRight: (value): value is string => typeof value === 'string' && written.test(value),
    expected: `an ISO 8601 ${cast} or ${now}`,
  };
}

const isRelative = (bound: Bound): boolean => bound === 'today' || bound === 'now';
const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isLength = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isBound = (value: unknown): value is Bound => isNumber(value) || typeof value === 'string';
const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= limits.patternCharsMax;
const isWords = (value: unknown): value is string | string[] =>
  typeof value === 'string' || (Array.isArray(value) && value.every((word) => typeof word === 'string'));
const isNames = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length <= limits.alsoMax && value.every((name) => typeof name === 'string');
const isReprompts = (value: unknown): value is Partial<Record<RepromptStatus, string>> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.entries(value).every(
    ([status, text]) =>
      (repromptStatuses as readonly string[]).includes(status) &&
      (text === null || (typeof text === 'string' && text.length <= limits.textCharsMax)),
  );

function readOneOf<Name extends string>(...names: Name[]): (value: unknown) => value is Name {
  return (value): value is Name => (names as readonly unknown[]).includes(value);
}
