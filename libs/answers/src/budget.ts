// What reading an answer counts against. The engine's budget of a turn is one.

import type { ReadingNotes } from './reading-notes.ts';

export interface ReadingBudget {
  /** Characters that are looked at. Throws when there are too many. */
  text(characters: number): void;
  /** Where somebody asks how each word was read. */
  readonly notes?: ReadingNotes;
}

/** For reading outside a turn. */
export const uncounted: ReadingBudget = { text: () => undefined };
