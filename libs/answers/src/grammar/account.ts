// The rule of every cast: it accounts for every word of a captured answer. Each word must belong to
// a piece of the value, to a closed list of words that change nothing, or be a mark between
// sentences. Any other word may change the value, and then there is no value.
import { phraseRows, compilePhrases, type Phrases } from './phrases.ts';
import type { TokenizedUtterance } from './tokens.ts';

export interface Piece<Value> {
  readonly value: Value;
  readonly next: number;
}

/** Reads a piece of the value at a token. */
export type PieceReader<Value> = (said: TokenizedUtterance, at: number) => Piece<Value> | null;

export const sentenceMarks: ReadonlySet<string> = new Set('.,!?;…"“”„«»¡¿');

/** Cost of looking for all phrases at a place, in characters. */
const placeChars = 64;

/**
 * The pieces of the value in order; null when a word remains unexplained. Of "at five past eight"
 * the longest piece, "at five", leaves the rest: then it tries the word as filler. It tries no
 * place twice, so time is linear.
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
