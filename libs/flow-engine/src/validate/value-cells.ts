// The values that a variable can have, cut into cells within which every comparison of a node answers the same. One value stands for
// each cell, so that what holds for the cells holds for all values: this is how routing-coverage.ts proves that an edge is never
// taken. Where a cell cannot be given a value, there is no proof.
import { foldCase, keepCase, readBoolean, readDecimal, readIso, type IsoMoment } from '../readings.ts';

export interface Cell {
  /** undefined = the variable is missing. */
  readonly value: unknown;
  /** Comparisons of folded texts (starts_with, contains …) answer the same for all of the cell too. */
  readonly exact: boolean;
}

export interface Cells {
  readonly cells: readonly Cell[];
  /** Cells that an equality with the value can hold in. */
  touchedBy(value: unknown): Iterable<number>;
}

/** What is known of a variable beforehand. any = everything a bag holds; text = an utterance; count = a number from 0. */
export type Domain =
  { readonly kind: 'any' | 'text' | 'count'; readonly missing: boolean } | { readonly kind: 'statuses'; readonly values: ReadonlySet<string>; readonly missing: boolean };

export interface CellRules {
  readonly domain: Domain;
  /** Texts, numbers and booleans that the comparisons name. */
  readonly constants: ReadonlySet<unknown>;
  /** Some comparison minds the case. */
  readonly minding: boolean;
  /** Some comparison orders (gt, lte, between …). */
  readonly ordering: boolean;
  /** Some comparison reads truth values. */
  readonly truths: boolean;
}

/** The cells, or null when one of them has no value to stand for it. */
export function cutCells(rules: CellRules): Cells | null {
  const builder = new CellBuilder(rules);
  const { kind, missing } = rules.domain;
  if (missing) builder.add(undefined, true);
  if (kind === 'statuses') for (const status of rules.domain.values) builder.add(status, true);
  else {
    if (kind !== 'text') builder.addNumbers(kind === 'count' ? 0 : -Infinity);
    if (kind !== 'count') builder.addTexts();
    if (kind === 'any') builder.addOthers();
  }
  return builder.complete ? builder : null;
}

const truthWords = ['true', 'yes', '1', 'false', 'no', '0'];

class CellBuilder implements Cells {
  readonly cells: Cell[] = [];
  complete = true;
  readonly #rules: CellRules;
  readonly #texts: readonly string[];
  /** Folded texts that are taken: a text to stand for "any other" must be none of them. */
  readonly #folded: ReadonlySet<string>;
  /** In ascending order. */
  readonly #decimals: readonly number[];
  readonly #byText = new Map<string, number[]>();
  readonly #byDecimal = new Map<number, number[]>();
  readonly #truthValues: number[] = [];

  constructor(rules: CellRules) {
    this.#rules = rules;
    const texts = new Set<string>(['']);
    for (const constant of rules.constants) if (typeof constant === 'string') texts.add(keepCase(constant));
    if (rules.truths) for (const word of truthWords) texts.add(word);
    this.#texts = [...texts];
    this.#folded = new Set(this.#texts.map(foldCase));
    const decimals = new Set<number>(rules.truths ? [0, 1] : []);
    for (const constant of rules.constants) {
      const decimal = readDecimal(constant);
      if (decimal !== null) decimals.add(decimal);
    }
    this.#decimals = [...decimals].sort((a, b) => a - b);
  }

  add(value: unknown, exact: boolean): void {
    const place = this.cells.push({ value, exact }) - 1;
    if (typeof value === 'string') push(this.#byText, foldCase(value), place);
    const decimal = readDecimal(value);
    if (decimal !== null) push(this.#byDecimal, decimal, place);
    if (readBoolean(value) !== null) this.#truthValues.push(place);
  }

  addNumbers(least: number): void {
    for (const decimal of this.#decimals) if (decimal >= least) this.add(decimal, true);
    const between = gaps(this.#decimals).filter((number) => number >= least);
    if (between.length > 0 || this.#decimals.length === 0)
      for (const number of this.#rules.ordering ? between : between.slice(-1)) this.add(number, false);
    if (this.#decimals.length === 0) this.add(1, false);
  }

  addTexts(): void {
    for (const text of this.#texts) this.#addText(text);
    this.#addOther((attempt) => `other${'r'.repeat(attempt)}`);
    // Texts that read as the same number but are written otherwise: "007" is not "7".
    for (const decimal of this.#decimals)
      this.#addOther((attempt) => plain(decimal, attempt), (text) => readDecimal(text) === decimal);
    if (!this.#rules.ordering) return;
    for (const number of this.#decimals.length === 0 ? [] : gaps(this.#decimals))
      this.#addOther((attempt) => plain(number, attempt), (text) => readDecimal(text) === number);
    for (const kind of ['date', 'time'] as const) this.#addMoments(kind);
  }

  addOthers(): void {
    this.add(true, true);
    this.add(false, true);
    // JSON.parse makes Infinity of 1e999.
    this.add(Infinity, false);
    for (const value of [[], {}, ['other'], { other: 'other' }]) this.add(value, false);
  }

  #addText(text: string): void {
    this.add(text, true);
    if (!this.#rules.minding || text.toLowerCase() === text.toUpperCase()) return;
    const folded = foldCase(text);
    const title = text.charAt(0).toUpperCase() + text.slice(1).toLowerCase();
    const swapped = text.charAt(0).toLowerCase() + text.slice(1).toUpperCase();
    const variant = [text.toUpperCase(), text.toLowerCase(), title, swapped].find(
      (other) => foldCase(other) === folded && !this.#texts.includes(keepCase(other)),
    );
    if (variant === undefined) this.complete = false;
    else this.add(variant, true);
  }

  /** A text that is none of the constants. Every spelling tried is longer than the last, so few attempts are enough. */
  #addOther(spell: (attempt: number) => string | null, fits: (text: string) => boolean = () => true): void {
    for (let attempt = 0; attempt < spellingsMax; attempt++) {
      const text = spell(attempt);
      if (text === null || !fits(text)) continue;
      if (!this.#folded.has(foldCase(text))) return this.add(text, false);
    }
    this.complete = false;
  }

  #addMoments(kind: IsoMoment['kind']): void {
    const moments = new Set<number>();
    for (const constant of this.#rules.constants) {
      const moment = readIso(constant);
      if (moment?.kind === kind) moments.add(moment.ms);
    }
    if (moments.size === 0) return;
    const points = [...moments].sort((a, b) => a - b);
    const spell = kind === 'date' ? spellDate : spellTime;
    for (const point of points)
      this.#addOther((attempt) => spell(point, attempt), (text) => readIso(text)?.ms === point);
    for (const [low, high] of stretches(points)) {
      const inside = (text: string) => {
        const ms = readIso(text)?.ms ?? NaN;
        return ms > low && ms < high;
      };
      if (kind === 'time' && (low >= dayMs - 1 || high <= 0)) continue;
      const middle = low === -Infinity ? Math.max(high - dayMs, kind === 'time' ? 0 : -Infinity) : high === Infinity ? Math.min(low + dayMs, kind === 'time' ? dayMs - 1 : Infinity) : low + (high - low) / 2;
      this.#addOther((attempt) => spell(middle, attempt), inside);
    }
  }

  touchedBy(value: unknown): Iterable<number> {
    const touched = new Set<number>();
    const collect = (places: readonly number[] = []) => {
      for (const place of places) touched.add(place);
    };
    if (typeof value === 'string') collect(this.#byText.get(foldCase(value)));
    const decimal = readDecimal(value);
    if (decimal !== null) collect(this.#byDecimal.get(decimal));
    if (readBoolean(value) !== null) collect(this.#truthValues);
    return touched;
  }
}

/** Spellings tried for one cell before giving up. */
const spellingsMax = 8;
const dayMs = 86_400_000;

function push(map: Map<unknown, number[]>, key: unknown, place: number): void {
  const places = map.get(key);
  if (places === undefined) map.set(key, [place]);
  else places.push(place);
}

/** The stretches before, between and after points. */
function stretches(points: readonly number[]): (readonly [number, number])[] {
  return [...points, Infinity].map((high, at) => [points[at - 1] ?? -Infinity, high] as const);
}
