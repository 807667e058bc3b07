// What comes of reading an answer.

/**
 * `whole`: every word is accounted for. `sentence`: one value, beside words that nobody knows and
 * that change nothing.
 */
export type ReadingLevel = (typeof readingLevels)[number];
export const readingLevels = ['whole', 'sentence'] as const;

export type CastOutcome = Captured | { readonly ok: false; readonly reason: string };

export interface Captured {
  readonly ok: true;
  readonly value: unknown;
  readonly reading: ReadingLevel;
  /** The words that were not accounted for, as they were said. */
  readonly unread: readonly string[];
  /** What was taken back: "Monday" of "Monday, no, Tuesday". */
  readonly discarded: string | null;
  /** The words of the value: [start, end) in the utterance in Unicode normal form C. */
  readonly spans: readonly (readonly [number, number])[];
}

const nothing: readonly never[] = [];

export const captured = (
  value: unknown,
  reading: ReadingLevel = 'whole',
  unread: readonly string[] = nothing,
  spans: Captured['spans'] = nothing,
): Captured => ({ ok: true, value, reading, unread, discarded: null, spans });

export const failed = (reason: string): CastOutcome => ({ ok: false, reason });
