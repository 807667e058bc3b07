// Ids begin with the time at which they were made (libs/runtime, createIds): a stretch of time is a range of the primary key.
import { encodeTime } from 'ulid';

/** Where the ids begin that were made at or after `ms` (epoch). */
export function idsFrom(prefix: string, ms: number): string {
  return `${prefix}_${encodeTime(Math.max(0, ms)).toLowerCase()}`;
}
