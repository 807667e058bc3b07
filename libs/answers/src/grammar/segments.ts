// Cuts a whole sentence into segments: pieces of the value, other things, words that change
// nothing, words that change a value, and unknown words. Chooses the cut that leaves the fewest
// words unread.
import type { PieceReader } from './account.ts';
import { sentenceMarks } from './account.ts';
import type { Phrases } from './phrases.ts';
import type { TokenizedUtterance } from './tokens.ts';

export type SegmentKind = 'value' | 'other' | 'filler' | 'change' | 'loose' | 'unread';

export interface Segment<Value> {
  readonly kind: SegmentKind;
  /** Tokens, the last one excluded. */
  readonly from: number;
  readonly to: number;
  readonly value: Value | null;
}

export interface SegmentReaders<Value> {
  readonly value: PieceReader<Value>;
  /** Things that are no value and touch none: the end of one, or null. */
  readonly other?: (
    said: TokenizedUtterance,
    at: number,
  ) => { readonly next: number; readonly isLoose: boolean } | null;
  readonly fillers: readonly Phrases<unknown>[];
  readonly changes: Pick<Phrases<true>, 'match'>;
  /** Every word with which one of these may begin: any other word is unknown. */
  readonly starts: Pick<ReadonlySet<string>, 'has'>;
}

/** Cost of each segment: a word that changes a value is never read as unknown. */
const costs: Readonly<Record<SegmentKind, number>> = {
  value: 4,
  other: 5,
  filler: 1,
  unread: 8,
  loose: 400,
  change: 1000,
};

/** Cost of looking for everything at a place, in characters. */
const placeChars = 96;

export function cutSentence<Value>(
  said: TokenizedUtterance,
  readers: SegmentReaders<Value>,
): Segment<Value>[] {
  const { tokens } = said;
  said.budget.text(tokens.length * placeChars);
  const costFrom = new Float64Array(tokens.length + 1);
  const changeEnds = new Uint32Array(tokens.length);
  // A phrase that changes values stays whole: "at least" is no "at", and "el viernes santo" no
  // Friday.
  const cutsChange = (from: number, end: number): boolean => {
    for (let at = from; at < end; at++) if (changeEnds[at]! > end) return true;
    return false;
  };
  const chosen: Segment<Value>[] = Array.from({ length: tokens.length });
  let kind: SegmentKind = 'unread';
  let least = 0;
  let to = 0;
  let value: Value | null = null;
  let cost = Infinity;
  /** Of two with the same cost, the later one wins. */
  const consider = (from: number, other: SegmentKind, end: number, read: Value | null = null) => {
    const total = costs[other] + costFrom[end]!;
    if (end < least || total > cost || (other !== 'change' && cutsChange(from, end))) return;
    kind = other;
    to = end;
    value = read;
    cost = total;
  };
  for (let from = tokens.length - 1; from >= 0; from--) {
    const token = tokens[from]!;
    if (token.kind === 'word' && !readers.starts.has(token.text)) {
      chosen[from] = { kind: 'unread', from, to: from + 1, value: null };
      costFrom[from] = costs.unread + costFrom[from + 1]!;
      continue;
    }
    const change = readers.changes.match(said, from);
    changeEnds[from] = change?.next ?? 0;
    [kind, value, cost] = ['unread', null, Infinity];
    to = least = change?.next ?? from + 1;
    const other = readers.other?.(said, from) ?? null;
    if (change !== null) consider(from, 'change', change.next);
    else if (other?.isLoose !== true) consider(from, 'unread', from + 1);
    if (token.kind === 'mark' && sentenceMarks.has(token.text)) consider(from, 'filler', from + 1);
    for (const fillers of readers.fillers) {
      const filler = fillers.match(said, from);
      if (filler !== null) consider(from, 'filler', filler.next);
    }
    if (other !== null) consider(from, other.isLoose ? 'loose' : 'other', other.next);
    const piece = readers.value(said, from);
    if (piece !== null) consider(from, 'value', piece.next, piece.value);
    chosen[from] = { kind, from, to, value };
    costFrom[from] = cost;
  }
  const segments: Segment<Value>[] = [];
  for (let at = 0; at < tokens.length; at = segments.at(-1)!.to) segments.push(chosen[at]!);
  return segments;
}

/** The unread words of segments, as in the utterance. */
export function unreadWords<Value>(
  { utterance, tokens }: TokenizedUtterance,
  segments: readonly Segment<Value>[],
): string[] {
  return segments
    .filter(({ kind }) => kind === 'unread')
    .map(({ from, to }) => utterance.slice(tokens[from]!.start, tokens[to - 1]!.end));
}
