// Cuts the possible values of a variable into cells within which every comparison of a node has the
// same result. One value represents each cell, so what holds for the cells holds for all values:
// this is how routing-coverage.ts proves that an edge is never taken. A cell without a value proves
// nothing.
import { foldSpoken, keepCase, readBoolean, readDecimal, readIso } from '@parley/answers/readings';
import {
  pickMoment,
  pickNumbers,
  spellDecimal,
  spellingsMax,
  spellMoment,
  listIntervals,
} from './value-spellings.ts';

/**
 * What is known of a variable beforehand: any = any JSON value; text = an utterance; count = a
 * number from 0.
 */
export interface Domain {
  readonly kind: 'any' | 'text' | 'count' | 'statuses' | 'one';
  readonly missing: boolean;
  /** Of kind statuses: all possible ones. */
  readonly statuses?: ReadonlySet<string>;
  /** Of kind one: its value. */
  readonly value?: unknown;
}

export interface CellRules {
  readonly domain: Domain;
  /** Texts, numbers and booleans in the comparisons. */
  readonly constants: readonly unknown[];
  /** Some comparison is case-sensitive. */
  readonly minding: boolean;
  /** Some comparison orders (gt, lte, between …). */
  readonly ordering: boolean;
  /** Some comparison reads truth values. */
  readonly truths: boolean;
}

export interface Cell {
  /** Undefined = the variable is missing. */
  readonly value: unknown;
  /**
   * Comparisons of folded texts (starts_with, contains …) have the same result for the whole cell
   * too.
   */
  readonly exact: boolean;
}

export interface Cells {
  readonly all: readonly Cell[];
  /** Places of the cells in which an equality with the value can hold. */
  readonly touchedBy: (value: unknown) => ReadonlySet<number>;
}

/** Cuts the cells; null when one of them has no value to represent it. */
export function cutCells(rules: CellRules): Cells | null {
  const { kind, missing, statuses } = rules.domain;
  const values: (readonly Cell[] | null)[] = [missing ? [{ value: undefined, exact: true }] : []];
  if (kind === 'one') values.push([exactly(rules.domain.value)]);
  if (kind === 'statuses') values.push([...(statuses ?? [])].map(exactly));
  if (kind === 'any' || kind === 'count') values.push(numberCells(rules));
  if (kind === 'any' || kind === 'text') values.push(textCells(rules));
  if (kind === 'any') values.push(otherCells);
  if (values.includes(null)) return null;
  const all = (values as (readonly Cell[])[]).flat();
  return { all, touchedBy: touchIndex(all) };
}

const exactly = (value: unknown): Cell => ({ value, exact: true });
const roughly = (value: unknown): Cell => ({ value, exact: false });

const otherCells: readonly Cell[] = [
  exactly(true),
  exactly(false),
  // JSON.parse makes Infinity of 1e999.
  ...[Infinity, [], {}, ['other'], { other: 'other' }].map(roughly),
];

/** The numbers that comparisons name, or read from texts, in ascending order. */
function namedNumbers({ constants, truths, domain }: CellRules): number[] {
  const read = constants.map(readDecimal).filter((number) => number !== null);
  const always = [...(truths ? [0, 1] : []), ...(domain.kind === 'count' ? [0] : [])];
  return [...new Set([...read, ...always])].sort((a, b) => a - b);
}

function numberCells(rules: CellRules): readonly Cell[] | null {
  const named = namedNumbers(rules);
  const between = named.length === 0 ? [2.5] : pickNumbers(named);
  const others = rules.ordering ? between : between.slice(-1);
  const cells = [...named.map(exactly), ...others.map(roughly)];
  const least = rules.domain.kind === 'count' ? 0 : -Infinity;
  return others.length === 0 ? null : cells.filter(({ value }) => (value as number) >= least);
}

const truthWords = ['true', 'yes', '1', 'false', 'no', '0'];

function textCells(rules: CellRules): readonly Cell[] | null {
  const { constants, truths, minding, ordering } = rules;
  const named = constants.filter((constant) => typeof constant === 'string').map(keepCase);
  const texts = new Set(['', ...named, ...(truths ? truthWords : [])]);
  const cells: (Cell | null)[] = [...texts].map(exactly);
  if (minding) for (const text of texts) if (hasCase(text)) cells.push(otherCase(text, texts));

  // The rest are texts that no comparison names: any other, and other spellings of numbers or
  // moments.
  const taken = new Set([...texts].map(foldSpoken));
  const addUnnamed = (spell: (attempt: number) => string, fits: (text: string) => boolean) => {
    cells.push(unnamed(spell, fits, taken));
  };
  addUnnamed(
    (attempt) => `other${'r'.repeat(attempt)}`,
    () => true,
  );
  const numbers = namedNumbers(rules);
  const ordered = ordering && numbers.length > 0 ? pickNumbers(numbers) : [];
  for (const number of [...numbers, ...ordered])
    addUnnamed(
      (attempt) => spellDecimal(number, attempt),
      (text) => readDecimal(text) === number,
    );
  if (ordering) for (const kind of ['date', 'time'] as const) addMoments(kind, constants, addUnnamed);
  return cells.includes(null) ? null : (cells as Cell[]);
}

function addMoments(
  kind: 'date' | 'time',
  constants: readonly unknown[],
  addUnnamed: (spell: (attempt: number) => string, fits: (text: string) => boolean) => void,
): void {
  const moments = constants.map(readIso).filter((moment) => moment?.kind === kind);
  if (moments.length === 0) return;
  const named = [...new Set(moments.map((moment) => moment!.ms))].sort((a, b) => a - b);
  for (const ms of named)
    addUnnamed(
      (attempt) => spellMoment(kind, ms, attempt),
      (text) => readIso(text)?.ms === ms,
    );
  for (const stretch of listIntervals(named)) {
    const ms = pickMoment(kind, stretch);
    if (ms === null) continue;
    const inside = (text: string) => {
      const read = readIso(text)?.ms ?? NaN;
      return read > stretch[0] && read < stretch[1];
    };
    addUnnamed((attempt) => spellMoment(kind, ms, attempt), inside);
  }
}

const hasCase = (text: string): boolean => text.toLowerCase() !== text.toUpperCase();

/** The text in letters of a case that no comparison names. */
function otherCase(text: string, texts: ReadonlySet<string>): Cell | null {
  const [head, tail] = [text.charAt(0), text.slice(1)];
  const cases = [
    text.toUpperCase(),
    text.toLowerCase(),
    head.toUpperCase() + tail.toLowerCase(),
    head.toLowerCase() + tail.toUpperCase(),
  ];
  const other = cases.find(
    (written) => foldSpoken(written) === foldSpoken(text) && !texts.has(keepCase(written)),
  );
  return other === undefined ? null : exactly(other);
}

function unnamed(
  spell: (attempt: number) => string,
  fits: (text: string) => boolean,
  taken: ReadonlySet<string>,
): Cell | null {
  for (let attempt = 0; attempt < spellingsMax; attempt++) {
    const text = spell(attempt);
    if (fits(text) && !taken.has(foldSpoken(text))) return roughly(text);
  }
  return null;
}

function touchIndex(cells: readonly Cell[]): Cells['touchedBy'] {
  const byText = new Map<string, number[]>();
  const byNumber = new Map<number, number[]>();
  const truthValues: number[] = [];
  const add = <Key>(index: Map<Key, number[]>, key: Key, place: number) => {
    const places = index.get(key);
    if (places === undefined) index.set(key, [place]);
    else places.push(place);
  };
  cells.forEach(({ value }, place) => {
    if (typeof value === 'string') add(byText, foldSpoken(value), place);
    const number = readDecimal(value);
    if (number !== null) add(byNumber, number, place);
    if (readBoolean(value) !== null) truthValues.push(place);
  });
  return (value) => {
    const number = readDecimal(value);
    return new Set([
      ...(typeof value === 'string' ? (byText.get(foldSpoken(value)) ?? []) : []),
      ...(number === null ? [] : (byNumber.get(number) ?? [])),
      ...(readBoolean(value) === null ? [] : truthValues),
    ]);
  };
}
