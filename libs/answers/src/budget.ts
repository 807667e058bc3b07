// What reading an answer counts against. The engine's budget of a turn is one.

export interface ReadingBudget {
  /** Characters that are looked at. Throws when there are too many. */
  text(characters: number): void;
}

/** For reading outside a turn. */
export const uncounted: ReadingBudget = { text: () => undefined };
