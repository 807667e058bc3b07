// Phrases: patterns of words and slots of a language, in one tree. `(a|b)` is one of several, `[x]`
// is optional, `{slot}` is something to read, such as a number. The longest phrase that fits wins.
import { splitWords, type TokenizedUtterance, type Token } from './tokens.ts';

/** Reads something at a token; null when it is not there. */
export type SlotReader = (said: TokenizedUtterance, at: number) => SlotReading | null;

export interface SlotReading {
  readonly value: number;
  /** The first token after it. */
  readonly next: number;
}

export type Slots = Readonly<Record<string, SlotReader>>;

/** The words with which a slot may begin; any for a slot without an entry. */
export type SlotStarts = Readonly<Record<string, ReadonlySet<string>>>;

export interface Match<Meaning> {
  readonly meaning: Meaning;
  /** The values of the slots, in order. */
  readonly values: readonly number[];
  readonly next: number;
}

export interface Phrases<Meaning> {
  /** The longest phrase that begins at a token. */
  match(said: TokenizedUtterance, at: number): Match<Meaning> | null;
  /** Words that a phrase may begin with, those of slots excluded. */
  readonly starts: ReadonlySet<string>;
}

interface Branch<Meaning> {
  readonly words: Map<string, Branch<Meaning>>;
  readonly slots: Map<string, Slot<Meaning>>;
  meaning?: Meaning;
}

interface Slot<Meaning> {
  readonly read: SlotReader;
  readonly starts: ReadonlySet<string> | null;
  readonly after: Branch<Meaning>;
}

const branch = <Meaning>(): Branch<Meaning> => ({ words: new Map(), slots: new Map() });

/** Rows are patterns, or literal words. Of two meanings of one phrase, the first wins. */
export function compilePhrases<Meaning>(
  rows: Iterable<readonly [string | readonly string[], Meaning]>,
  slots: Slots = {},
  slotStarts: SlotStarts = {},
): Phrases<Meaning> {
  const root = branch<Meaning>();
  const afterWord = (place: Branch<Meaning>, word: string): Branch<Meaning> => {
    let after = place.words.get(word);
    if (after === undefined) place.words.set(word, (after = branch()));
    return after;
  };
  const afterSlot = (place: Branch<Meaning>, step: string): Branch<Meaning> => {
    const name = step.slice(1, -1);
    let slot = place.slots.get(name);
    if (slot === undefined) {
      const read = slots[name] ?? readNothing;
      place.slots.set(name, (slot = { read, starts: slotStarts[name] ?? null, after: branch() }));
    }
    return slot.after;
  };
  for (const [pattern, meaning] of rows)
    for (const steps of typeof pattern === 'string' ? expand(pattern) : [pattern]) {
      if (steps.length === 0) continue;
      let place = root;
      for (const step of steps) {
        place = step.length > 1 && step.startsWith('{') ? afterSlot(place, step) : afterWord(place, step);
      }
      place.meaning ??= meaning;
    }
  const starts = new Set(root.words.keys());
  if (root.slots.size === 0 && Object.keys(slots).length === 0)
    return { starts, match: (said, at) => longestWords(root, said, at) };
  return {
    starts,
    match: (said, at) => {
      const token = said.tokens[at];
      // Most words begin no phrase of a list.
      const begins = token !== undefined && (root.slots.size > 0 || starts.has(token.text));
      return begins ? longest(root, said, at, nothingRead) : null;
    },
  };
}

const nothingRead: readonly never[] = [];
const readNothing: SlotReader = () => null;

/** Without slots there is one way to continue. */
function longestWords<Meaning>(
  root: Branch<Meaning>,
  said: TokenizedUtterance,
  at: number,
): Match<Meaning> | null {
  let best: Match<Meaning> | null = null;
  let place: Branch<Meaning> | undefined = root;
  for (let next = at; ; next++) {
    const token: Token | undefined = said.tokens[next];
    place = token && place.words.get(token.text);
    if (place === undefined) return best;
    said.budget.text(stepChars);
    if (place.meaning !== undefined) best = { meaning: place.meaning, values: nothingRead, next: next + 1 };
  }
}

/** Cost of one step of a phrase, in characters. */
const stepChars = 4;

function longest<Meaning>(
  place: Branch<Meaning>,
  said: TokenizedUtterance,
  at: number,
  values: readonly number[],
): Match<Meaning> | null {
  said.budget.text(stepChars);
  let best: Match<Meaning> | null =
    place.meaning === undefined ? null : { meaning: place.meaning, values, next: at };
  const token = said.tokens[at];
  if (token === undefined) return best;
  const following = place.words.get(token.text);
  if (following !== undefined) best = longer(best, longest(following, said, at + 1, values));
  // The dot of an abbreviation: "Nov. 16", "16. November".
  if (token.text === '.' && values.length > 0) best = longer(best, longest(place, said, at + 1, values));
  for (const { read, starts, after } of place.slots.values()) {
    // Most words begin no slot.
    if (token.kind === 'word' && starts?.has(token.text) === false) continue;
    const reading = read(said, at);
    if (reading !== null) best = longer(best, longest(after, said, reading.next, [...values, reading.value]));
  }
  return best;
}

function longer<Meaning>(a: Match<Meaning> | null, b: Match<Meaning> | null): Match<Meaning> | null {
  return a === null || (b !== null && b.next > a.next) ? b : a;
}

/** Words that a phrase of one of the lists may begin with, and others. */
export const collectStarts = (
  lists: readonly Phrases<unknown>[],
  ...others: ReadonlySet<string>[]
): Set<string> => new Set([...lists.map(({ starts }) => starts), ...others].flatMap((starts) => [...starts]));

/** The rows of a lexicon: `patterns` are separated by semicolons. */
export function phraseRows<Meaning>(patterns: string, meaning: Meaning): (readonly [string, Meaning])[] {
  return patterns
    .split(';')
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== '')
    .map((pattern) => [pattern, meaning] as const);
}

/** Every sequence of words and slots that a pattern matches. */
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
      } else inner = [piece.startsWith('{') ? [piece] : splitWords(piece)];
      sequences = sequences.flatMap((head) => inner.map((tail) => [...head, ...tail]));
    }
  };
  return alternatives();
}
