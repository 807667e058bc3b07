// Places at which a conversation waits, with the turns that lead there.
import type { Bag } from '@parley/flow-engine/read/paths';
import type { ScriptTurn } from '../script.ts';

/** Where a conversation waits, and how it got there. */
export interface Place {
  readonly before: Place | null;
  readonly turn: ScriptTurn | null;
  readonly currentNode: string | null;
  readonly variables: Bag;
  /** Turns so far. */
  readonly depth: number;
  /** The initial variables of the conversation. */
  readonly brought: Bag;
}

export const beginning = (brought: Bag): Place => ({
  before: null,
  turn: null,
  currentNode: null,
  variables: brought,
  depth: 0,
  brought,
});

/** The turns that lead to a place. */
export function listTurnsTo(place: Place): ScriptTurn[] {
  const turns: ScriptTurn[] = [];
  for (let at: Place | null = place; at !== null; at = at.before) if (at.turn !== null) turns.push(at.turn);
  return turns.reverse();
}

export class Queue {
  readonly #places: Place[] = [];
  #at = 0;

  get head(): Place | undefined {
    return this.#places[this.#at];
  }

  push(place: Place): void {
    this.#places.push(place);
  }

  shift(): Place | undefined {
    return this.#places[this.#at++];
  }
}
