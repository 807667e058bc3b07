// Time and ids, passed in so that rules and tests can choose them.
import { hash } from 'node:crypto';
import { decodeTime, encodeTime, monotonicFactory } from 'ulid';

/** Now, in epoch milliseconds. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** No name of a zone is longer. */
const ZONE_CHARACTERS_MAX = 64;

/**
 * A name of the IANA database, such as `Europe/Berlin`. Intl takes offsets such as `+02:00` too,
 * but not on every Node that is supported.
 */
export function isTimeZone(name: string): boolean {
  if (name.length > ZONE_CHARACTERS_MAX || !/^[a-z]/i.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== null;
  } catch {
    return false; // RangeError: unknown
  }
}

/**
 * A new id with the given prefix, such as `bot_01jd2x…`: sortable by time, safe in URLs and job
 * ids. Not for events, whose ids derive from their facts: `evt` throws.
 */
export type Ids = (prefix: string) => string;

/**
 * The id of a fact: the same whenever it is worked out again, so that receivers recognise it.
 * `scope` names what it belongs to, `cause` the fact within it. Ids of one scope begin alike, so an
 * index has them on one page. No ULID begins with `x`.
 */
export function deriveId(prefix: string, scope: readonly string[], cause: readonly string[]): string {
  const place = hash('sha256', JSON.stringify(scope)).slice(0, SCOPE_DIGITS);
  return `${prefix}_x${place}${hash('sha256', JSON.stringify([scope, cause])).slice(0, FACT_DIGITS)}`;
}
/** Hexadecimal digits; together as long as a ULID. */
const SCOPE_DIGITS = 8;
const FACT_DIGITS = 17;

export function createIds(clock: Clock = systemClock): Ids {
  const next = monotonicFactory();
  return (prefix) => {
    if (prefix === 'evt') throw new Error('the id of an event derives from its fact: use deriveId');
    return `${prefix}_${next(clock()).toLowerCase()}`;
  };
}

/** Of a ULID: the characters of its time, and all. */
const TIME_CHARACTERS = 10;
const ULID_CHARACTERS = 26;

/**
 * The smallest id created at or after `ms` (epoch). Ids begin with their creation time, so a time
 * range is a range of ids.
 */
export function firstIdAt(prefix: string, ms: number): string {
  return `${prefix}_${encodeTime(Math.max(0, ms), TIME_CHARACTERS).toLowerCase()}`;
}

/** When an id, or a bound of `firstIdAt`, was created (epoch, milliseconds). */
export function readIdTime(id: string): number {
  const ulid = id.slice(id.lastIndexOf('_') + 1).toUpperCase();
  return decodeTime(ulid.padEnd(ULID_CHARACTERS, '0'));
}
