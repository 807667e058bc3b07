// The position of each turn on the timeline of the conversation. Pure.
import type { Turn } from './api.ts';

/** Fractions of the whole, from 0 to 1. */
export interface Place {
  readonly from: number;
  readonly width: number;
}

/** Null for a turn without times, and for all turns of a conversation without duration. */
export function toPlaces(turns: readonly Pick<Turn, 'start_ms' | 'end_ms'>[]): (Place | null)[] {
  const starts = turns.flatMap(({ start_ms }) => (start_ms === null ? [] : [start_ms]));
  const ends = turns.flatMap(({ start_ms, end_ms }) => end_ms ?? start_ms ?? []);
  const begin = Math.min(...starts);
  const whole = Math.max(...ends) - begin;
  return turns.map(({ start_ms, end_ms }) => {
    if (start_ms === null || !(whole > 0)) return null;
    return { from: (start_ms - begin) / whole, width: Math.max(0, (end_ms ?? start_ms) - start_ms) / whole };
  });
}
