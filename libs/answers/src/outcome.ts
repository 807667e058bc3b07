// The outcome of reading an answer.

/**
 * `whole`: every word is accounted for. `sentence`: one value, beside unknown words that change
 * nothing.
 */
export type ReadingLevel = (typeof readingLevels)[number];
export const readingLevels = ['whole', 'sentence'] as const;

export type CastOutcome = CapturedAnswer | { readonly ok: false; readonly reason: string };

export interface CapturedAnswer {
  readonly ok: true;
  readonly value: unknown;
  readonly reading: ReadingLevel;
  /** The unread words, as in the utterance. */
  readonly unread: readonly string[];
  /** The part that the caller took back: "Monday" of "Monday, no, Tuesday". */
  readonly discarded: string | null;
  /** The words of the value: [start, end) in the utterance in Unicode normal form C. */
  readonly spans: readonly (readonly [number, number])[];
}

const nothing: readonly never[] = [];

export const captured = (
  value: unknown,
  reading: ReadingLevel = 'whole',
  unread: readonly string[] = nothing,
  spans: CapturedAnswer['spans'] = nothing,
): CapturedAnswer => ({ ok: true, value, reading, unread, discarded: null, spans });

export const failed = (reason: string): CastOutcome => ({ ok: false, reason });
