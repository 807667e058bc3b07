// Phrases: what a language says, as patterns of words and slots, in one tree. A pattern is words; `(a|b)` is one of several, `[x]` may
// be missing, `{slot}` is something read, such as a number. The longest phrase that fits wins.
import { wordsOf, type Said } from './tokens.ts';

/** Reads something at a token; null when it is not there. */
export type SlotReader = (said: Said, at: number) => SlotReading | null;

export interface SlotReading {
  readonly value: number;
  /** The first token after it. */
  readonly next: number;
}

export type Slots = Readonly<Record<string, SlotReader>>;

export interface Match<Meaning> {
  readonly meaning: Meaning;
  /** What the slots read, in order. */
  readonly values: readonly number[];
  readonly next: number;
}

export interface Phrases<Meaning> {
  /** The longest phrase that begins at a token. */
  match(said: Said, at: number): Match<Meaning> | null;
  /** Words that a phrase may begin with, those of slots excluded. */
  readonly starts: ReadonlySet<string>;
}

interface Branch<Meaning> {
  readonly words: Map<string, Branch<Meaning>>;
  readonly slots: Map<string, Branch<Meaning>>;
  meaning?: Meaning;
}

const branch = <Meaning>(): Branch<Meaning> => ({ words: new Map(), slots: new Map() });

/** `slotStarts`: the words that what stands in a slot may begin with. Rows are patterns, or words as they are. Of two meanings of one phrase, the first stays. */
export function compilePhrases<Meaning>(
  rows: Iterable<readonly [string | readonly string[], Meaning]>,
  slots: Slots = {},
  slotStarts: ReadonlySet<string> | null = null,
): Phrases<Meaning> {
  const root = branch<Meaning>();
  for (const [pattern, meaning] of rows)
    for (const steps of typeof pattern === 'string' ? expand(pattern) : [pattern]) {
      if (steps.length === 0) continue;
      let place = root;
      for (const step of steps) {
        const next = step.length > 1 && step.startsWith('{') ? place.slots : place.words;
        let following = next.get(step);
        if (following === undefined) next.set(step, (following = branch()));
        place = following;
      }
      place.meaning ??= meaning;
    }
  const starts = new Set(root.words.keys());
  return {
    starts,
    match: (said, at) => {
      const token = said.tokens[at];
      // Most words begin no phrase of a list.
      const begins = token !== undefined && (root.slots.size > 0 || starts.has(token.text));
      return begins ? longest(root, said, at, { slots, slotStarts }, []) : null;
    },
  };
}

interface KnownSlots {
  readonly slots: Slots;
  readonly slotStarts: ReadonlySet<string> | null;
}

/** What a step of a phrase takes, in characters looked at. */
const stepChars = 4;

function longest<Meaning>(
  place: Branch<Meaning>,
  said: Said,
  at: number,
  known: KnownSlots,
  values: readonly number[],
): Match<Meaning> | null {
  said.budget.text(stepChars);
  let best: Match<Meaning> | null =
    place.meaning === undefined ? null : { meaning: place.meaning, values, next: at };
  const token = said.tokens[at];
  if (token === undefined) return best;
  const following = place.words.get(token.text);
  if (following !== undefined) best = longer(best, longest(following, said, at + 1, known, values));
  // The dot of an abbreviation: "Nov. 16", "16. November".
  if (token.text === '.' && values.length > 0)
    best = longer(best, longest(place, said, at + 1, known, values));
  // Most words stand in no slot.
  if (token.kind === 'word' && known.slotStarts?.has(token.text) === false) return best;
  for (const [name, after] of place.slots) {
    const reading = known.slots[name.slice(1, -1)]?.(said, at) ?? null;
    if (reading !== null)
      best = longer(best, longest(after, said, reading.next, known, [...values, reading.value]));
  }
  return best;
}

function longer<Meaning>(a: Match<Meaning> | null, b: Match<Meaning> | null): Match<Meaning> | null {
  return a === null || (b !== null && b.next > a.next) ? b : a;
}

/** The rows of a lexicon: `patterns` are separated by semicolons. */
export function phraseRows<Meaning>(patterns: string, meaning: Meaning): (readonly [string, Meaning])[] {
  return patterns
    .split(';')
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== '')
    .map((pattern) => [pattern, meaning] as const);
}

/** Every sequence of words and slots that a pattern stands for. */
export function expand(pattern: string): string[][] {
  const pieces = pattern.match(/\{\w+\}|[()[\]|]|[^\s(){}[\]|]+/g) ?? [];
  let at = 0;
  const alternatives = (): string[][] => {
    const found: string[][] = [];
    let sequences: string[][] = [[]];
    for (;;) {
      const piece = pieces[at];
      if (piece === undefined || piece === ')' || piece === ']') return [...found, ...sequences];
      at++;
      if (piece === '|') {
        found.push(...sequences);
        sequences = [[]];
        continue;
      }
      let inner: string[][];
      if (piece === '(' || piece === '[') {
        inner = alternatives();
        at++;
        if (piece === '[') inner = [[], ...inner];
      } else inner = [piece.startsWith('{') ? [piece] : wordsOf(piece)];
      sequences = sequences.flatMap((head) => inner.map((tail) => [...head, ...tail]));
    }
  };
  return alternatives();
}
