// Keyset pages: opaque cursors and the limits of a page (docs/platform.md#pages).
import { z } from 'zod';
import { AppError, problemIn } from './app-error.ts';

/** Maximum items of a page, which is built in memory. */
export const PAGE_LIMIT_MAX = 100;
/** Default number of items. */
export const PAGE_LIMIT_DEFAULT = 20;
/** Room for an id of 255 characters, each of four bytes, in base64. Longer cursors are not ours. */
const CURSOR_CHARACTERS_MAX = 2_048;
/** The latest time in a cursor, in epoch ms: the end of the year 9999. */
const TIME_MAX = 253_402_300_799_999;
/** Postgres integer. */
const INTEGER_MAX = 2_147_483_647;

/**
 * Parts of a cursor. Postgres can compare with all of them, so an invented cursor is 400 and never
 * 500.
 */
const cursorParts = {
  text: z.string().refine((text) => !text.includes('\0')),
  /** Epoch milliseconds. */
  time: z.int().min(0).max(TIME_MAX),
  /** For a column `integer`. */
  integer: z.int().min(0).max(INTEGER_MAX),
  /** A count of seconds or milliseconds. */
  number: z.number().min(0).max(TIME_MAX),
} as const;
type CursorPart = keyof typeof cursorParts;
type CursorKey<Parts extends readonly CursorPart[]> = {
  -readonly [Place in keyof Parts]: Parts[Place] extends 'text' ? string : number;
};

/** The `limit` and `cursor` query parameters of a list. */
export function pageQuery(limitDefault: number = PAGE_LIMIT_DEFAULT) {
  return {
    limit: z.coerce.number().int().min(1).max(PAGE_LIMIT_MAX).default(limitDefault).describe('Items a page'),
    cursor: z.string().max(CURSOR_CHARACTERS_MAX).optional().describe('`next_cursor` of the previous page'),
  };
}

/** One page on the wire: `next_cursor` is null on the last one. */
export interface Page<Item> {
  items: Item[];
  next_cursor: string | null;
}

/**
 * Builds a page from `limit + 1` rows: the extra row shows that there are more. `keyOf` returns the
 * sort key of a row, in the order of the ORDER BY.
 */
export function toPage<Row, Item>(
  rows: readonly Row[],
  limit: number,
  keyOf: (row: Row) => readonly (string | number)[],
  toItem: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const more = rows.length > limit && last !== undefined;
  return { items: shown.map(toItem), next_cursor: more ? encodeCursor(keyOf(last)) : null };
}

/** A cursor for `decodeCursor`. */
export function encodeCursor(key: readonly (string | number)[]): string {
  return toBase64Url(JSON.stringify(key));
}

/**
 * Parses a cursor into its key: `parts` lists its contents, in the order of the ORDER BY.
 * @throws AppError invalid_request when it is not a cursor of this list.
 */
export function decodeCursor<const Parts extends readonly CursorPart[]>(
  cursor: string,
  ...parts: Parts
): CursorKey<Parts> {
  const given = jsonOrUndefined(fromBase64Url(cursor));
  const isKey =
    Array.isArray(given) &&
    given.length === parts.length &&
    parts.every((part, place) => cursorParts[part].safeParse(given[place]).success);
  if (!isKey) throw createCursorError();
  return given as CursorKey<Parts>;
}

export function createCursorError(): AppError {
  return new AppError('invalid_request', 'cursor was not returned by this list', {
    fields: [problemIn('query', ['cursor'], 'must be the next_cursor of an earlier page')],
  });
}

function jsonOrUndefined(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined; // not JSON: the shape check refuses it
  }
}

// btoa and atob know only bytes, and this library may not import node: modules.
function toBase64Url(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}

function fromBase64Url(text: string): string | undefined {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(binary, (c) => c.charCodeAt(0)));
  } catch {
    return undefined; // not base64, or not UTF-8: not a cursor
  }
}
