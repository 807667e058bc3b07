// Ids begin with their creation time (libs/server/runtime, createIds), so a time range is a range of the
// primary key.
import { encodeTime } from 'ulid';

/** The smallest id created at or after `ms` (epoch). */
export function firstIdAt(prefix: string, ms: number): string {
  return `${prefix}_${encodeTime(Math.max(0, ms)).toLowerCase()}`;
}
