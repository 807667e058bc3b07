// The budget that reading an answer counts against. The engine's budget of a turn implements it.

import type { ReadingNotes } from './reading-notes.ts';

export interface ReadingBudget {
  /** Characters that are read. Throws when there are too many. */
  text(characters: number): void;
  /** Present when the caller wants the reading of each word. */
  readonly notes?: ReadingNotes;
}

/** For reading outside a turn. */
export const uncounted: ReadingBudget = { text: () => undefined };
