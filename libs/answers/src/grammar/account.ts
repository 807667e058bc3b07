// The rule of every cast: it accounts for every word of what it captures. An answer is read from
// its first word to its last; each must belong to a piece of the value, to a closed list of words
// that change nothing, or be a mark between sentences. One word that is none of these may change
// the value, and then there is no value.
import { phraseRows, compilePhrases, type Phrases } from './phrases.ts';
import type { TokenizedUtterance } from './tokens.ts';

export interface Piece<Value> {
  readonly value: Value;
  readonly next: number;
}

/** Reads a piece of the value at a token. */
export type PieceReader<Value> = (said: TokenizedUtterance, at: number) => Piece<Value> | null;

export const sentenceMarks: ReadonlySet<string> = new Set('.,!?;…"“”„«»¡¿');

/** What looking for the beginnings of all phrases at a place takes, in characters looked at. */
const placeChars = 64;

/**
 * The pieces of the value in order; null when a word is left that nobody explains. Of "at five past
 * eight" the longest piece, "at five", leaves the rest alone: where that fails the word is tried as
 * filler. No place is tried twice, so time is linear.
 */
export function accountFor<Value>(
  said: TokenizedUtterance,
  read: PieceReader<Value>,
  fillers: readonly Phrases<unknown>[],
): Value[] | null {
  const pieces: Value[] = [];
  let hopeless: Set<number> | null = null;
  const { notes } = said.budget;
  said.budget.text(said.tokens.length * placeChars);
  const explain = (at: number): boolean => {
    if (at >= said.tokens.length) return true;
    if (hopeless?.has(at) === true) return false;
    const piece = read(said, at);
    if (piece !== null) {
      pieces.push(piece.value);
      notes?.mark(said, at, piece.next, 'value');
      if (explain(piece.next)) return true;
      pieces.pop();
    }
    const next = fillerEnd(said, at, fillers);
    if (next > at) {
      notes?.mark(said, at, next, 'filler');
      if (explain(next)) return true;
    }
    (hopeless ??= new Set()).add(at);
    return false;
  };
  return explain(0) ? pieces : null;
}

function fillerEnd(said: TokenizedUtterance, at: number, fillers: readonly Phrases<unknown>[]): number {
  const token = said.tokens[at]!;
  let next = token.kind === 'mark' && sentenceMarks.has(token.text) ? at + 1 : at;
  for (const phrases of fillers) next = Math.max(next, phrases.match(said, at)?.next ?? at);
  return next;
}

/** A closed list of words. */
export const wordList = (...patterns: readonly string[]): Phrases<true> =>
  compilePhrases(patterns.flatMap((rows) => phraseRows(rows, true as const)));
