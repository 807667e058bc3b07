// How filters write a value (docs/flow-language.md#filters), in the language and time zone of the
// conversation, through Intl. A filter leaves what it cannot read unchanged; a missing value stays
// missing.
import type { FilterName } from '../define/filters.ts';
import { limits } from '../define/limits.ts';
import { canonicalTag } from '@parley/answers';
import { compileLookup, ownMember, parsePath, type Scope } from '../read/paths.ts';
import { readDecimal, readIso, toText } from '@parley/answers/readings';
import { zoneOffset } from '@parley/answers';
import type { FilterUse } from './template-syntax.ts';

/** Undefined and null = missing. */
export type Filter = (value: unknown, scope: Scope) => unknown;

export function compileFilter({ name, argument, quoted }: FilterUse): Filter {
  if (name === 'default') return compileDefault(argument ?? '', quoted);
  const write = writers[name];
  const passesMissing = name !== 'count';
  return (value, scope) => {
    if (passesMissing && (value === undefined || value === null)) return value;
    scope.budget.text(measure(value));
    return write(value, { scope, argument, locale: chooseLocale(scope) });
  };
}

/** Size of a filter's input, in characters or members. */
function measure(value: unknown): number {
  if (typeof value === 'string' || Array.isArray(value)) return formatCharacters + value.length;
  return formatCharacters + (typeof value === 'object' && value !== null ? Object.keys(value).length : 0);
}

/** Cost of one Intl formatter call, in characters. */
const formatCharacters = 500;

/**
 * A name without quotes reads a variable. Without such a variable it is a text, as before quotes
 * existed.
 */
function compileDefault(argument: string, quoted: boolean): Filter {
  const fallback = quoted || parsePath(argument) === null ? () => argument : compileLookup(argument);
  return (value, scope) => (isBlank(value) ? (fallback(scope) ?? argument) : value);
}

const isBlank = (value: unknown): boolean => value === undefined || value === null || value === '';

interface Wording {
  readonly scope: Scope;
  readonly locale: string;
  readonly argument: string | null;
}

type Writer = (value: unknown, wording: Wording) => unknown;

const writers: Readonly<Record<Exclude<FilterName, 'default'>, Writer>> = {
  upper: makeTextWriter((text, { locale }) => text.toLocaleUpperCase(locale)),
  lower: makeTextWriter((text, { locale }) => text.toLocaleLowerCase(locale)),
  title: makeTextWriter((text, { locale }) =>
    text.replace(/(?<![\p{L}\p{M}\p{N}'’])\p{L}/gu, (letter) => letter.toLocaleUpperCase(locale)),
  ),
  date: (value, { locale, argument, scope }) => {
    const wallMs = readWallMs(value, scope);
    if (wallMs === null || readIso(value)?.kind !== 'date') return value;
    const style =
      argument === 'weekday' ? { weekday: 'long' as const } : { dateStyle: chooseDateStyle(argument) };
    return dateFormat(locale, style).format(wallMs);
  },
  time: (value, { locale, scope }) => {
    const wallMs = readWallMs(value, scope);
    const isDay = typeof value === 'string' && !value.includes(':');
    return wallMs === null || isDay ? value : dateFormat(locale, { timeStyle: 'short' }).format(wallMs);
  },
  number: makeNumberWriter((number, { locale }) => numberFormat(locale, {}).format(number)),
  currency: makeNumberWriter((number, { locale, argument }) =>
    numberFormat(locale, { style: 'currency', currency: argument ?? '' }).format(number),
  ),
  percent: makeNumberWriter((number, { locale }) =>
    numberFormat(locale, { style: 'percent', maximumFractionDigits: 2 }).format(number),
  ),
  ordinal: makeNumberWriter((number, { locale }) =>
    Number.isInteger(number) ? ordinal(number, locale) : number,
  ),
  join: (value, { locale, argument }) => {
    if (!isList(value)) return value;
    const elements = value.slice(0, limits.joinedElementsMax).map(toText);
    return argument === null ? listFormat(locale).format(elements) : elements.join(argument);
  },
  count: (value) => {
    if (typeof value === 'string') return splitCharacters(value).length;
    return typeof value === 'object' && value !== null
      ? Object.keys(value).length
      : isBlank(value)
        ? 0
        : value;
  },
  first: (value) => (isList(value) ? value[0] : value),
  last: (value) => (isList(value) ? value.at(-1) : value),
  digits: makeTextWriter((text) => text.match(/\d/g)?.join(' ') ?? text),
  spell: makeTextWriter((text) => splitCharacters(text.replace(/\s+/g, '')).join(' ')),
};

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** For texts and numbers; nothing else is a text. */
function makeTextWriter(write: (text: string, wording: Wording) => string): Writer {
  return (value, wording) => {
    if (typeof value === 'number') return write(String(value), wording);
    return typeof value === 'string' ? write(value.slice(0, limits.renderedCharsMax), wording) : value;
  };
}

function makeNumberWriter(write: (number: number, wording: Wording) => string | number): Writer {
  return (value, wording) => {
    const number = readDecimal(value);
    return number === null ? value : write(number, wording);
  };
}

/** User-perceived characters: a letter with its accents is one. */
const splitCharacters = (text: string): string[] => text.match(/\P{M}\p{M}*|\p{M}+/gu) ?? [];

/**
 * Local clock time of a moment, as if it were UTC: an instant in the time zone of the variables,
 * everything else as written.
 */
function readWallMs(value: unknown, scope: Scope): number | null {
  const ms = readIso(value)?.ms;
  if (ms === undefined) return null;
  const isInstant = /T.*(?:Z|[+-]\d{2}:?\d{2})$/i.test((value as string).trim());
  return isInstant ? ms + zoneOffset(ownMember(scope.variables, 'timezone'))(ms) * 60_000 : ms;
}

type DateStyle = 'short' | 'medium' | 'long' | 'full';
const chooseDateStyle = (argument: string | null): DateStyle => (argument as DateStyle | null) ?? 'medium';

const dateFormat = (locale: string, style: Intl.DateTimeFormatOptions) =>
  formatter(
    locale,
    JSON.stringify(style),
    () => new Intl.DateTimeFormat(locale, { ...style, timeZone: 'UTC' }),
  );
const numberFormat = (locale: string, style: Intl.NumberFormatOptions) =>
  formatter(locale, JSON.stringify(style), () => new Intl.NumberFormat(locale, style));
const listFormat = (locale: string) => formatter(locale, 'list', () => new Intl.ListFormat(locale));

const formatters = new Map<string, unknown>();
/** Making a formatter takes about 50 µs. Languages are few, but a caller may send any tag. */
const formattersMax = 500;

function formatter<Format>(locale: string, style: string, make: () => Format): Format {
  const key = `${locale} ${style}`;
  let found = formatters.get(key) as Format | undefined;
  if (found === undefined) {
    if (formatters.size >= formattersMax) formatters.clear();
    formatters.set(key, (found = make()));
  }
  return found;
}

/**
 * Suffix of an ordinal, by the plural rule of the language. Intl has the rules but not the
 * suffixes.
 */
const ordinalEndings: Readonly<Record<string, Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>>> = {
  en: { one: 'st', two: 'nd', few: 'rd', other: 'th' },
  de: { other: '.' },
  fr: { one: 'er', other: 'e' },
  es: { other: '.º' },
  it: { other: 'º', many: 'º' },
  pt: { other: 'º' },
  nl: { other: 'e' },
};

function ordinal(number: number, locale: string): string {
  const rule = formatter(locale, 'ordinal', () => new Intl.PluralRules(locale, { type: 'ordinal' })).select(
    number,
  );
  const endings = ordinalEndings[locale.split('-')[0] ?? ''] ?? {};
  return numberFormat(locale, {}).format(number) + (endings[rule] ?? endings.other ?? '');
}

/** The variable `language` overrides the language of the flow. */
function chooseLocale({ variables, language }: Scope): string {
  return canonicalTag(ownMember(variables, 'language')) ?? canonicalTag(language) ?? 'en';
}
