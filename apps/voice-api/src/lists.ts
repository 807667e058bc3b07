// Shared helpers of lists: cursors (newest first, by id or by time and id) and LIKE patterns.
import { decodeCursor } from '@parley/envelopes';

/** The id after which a page begins; null for the first page. @throws AppError invalid_request */
export function readIdCursor(cursor: string | undefined): string | null {
  return cursor === undefined ? null : decodeCursor(cursor, 'text')[0];
}

/** Where a page begins; null for the first page. @throws AppError invalid_request */
export function readTimeCursor(cursor: string | undefined): { createdAt: Date; id: string } | null {
  if (cursor === undefined) return null;
  const [ms, after] = decodeCursor(cursor, 'time', 'text');
  return { createdAt: new Date(ms), id: after };
}

/** Escapes `text` for a LIKE pattern. */
export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&');
}

/** SQL: the key may access the bot. `bots` is a parameter: the bots of a bound key, or null. */
export const buildBotCondition = (column: string, bots: string) =>
  `(${bots}::text[] IS NULL OR ${column} = ANY(${bots}))`;

/** The same for a column of several bots: all must be accessible; none is not enough. */
export const buildBotsCondition = (column: string, bots: string) =>
  `(${bots}::text[] IS NULL OR (${column} <> '{}' AND ${column} <@ ${bots}))`;

/** The same for an application. `application` is a parameter: that of a portal link, or null. */
export const buildApplicationCondition = (column: string, application: string) =>
  `(${application}::text IS NULL OR ${column} = ${application})`;
