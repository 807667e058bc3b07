// What the lists of this service share: cursors, newest first, by id or by time and id; and text in patterns.
import { decodeCursor } from '@parley/envelopes';

/** The id after which a page begins; null: at the newest. @throws AppError invalid_request */
export function readIdCursor(cursor: string | undefined): string | null {
  return cursor === undefined ? null : decodeCursor(cursor, 'text')[0];
}

/** Where a page begins; null: at the newest. @throws AppError invalid_request */
export function readTimeCursor(cursor: string | undefined): { createdAt: Date; id: string } | null {
  if (cursor === undefined) return null;
  const [ms, after] = decodeCursor(cursor, 'time', 'text');
  return { createdAt: new Date(ms), id: after };
}

/** What stands for `text` itself in a pattern of LIKE. */
export function likeLiteral(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&');
}

/** In SQL: what belongs to the bot of this column is within reach. `bots`: a parameter, the bots of a bound key; null: it is none. */
export const ofBot = (column: string, bots: string) =>
  `(${bots}::text[] IS NULL OR ${column} = ANY(${bots}))`;

/** The same of what belongs to several bots: to no other, and not to all. */
export const ofBotsAlone = (column: string, bots: string) =>
  `(${bots}::text[] IS NULL OR (${column} <> '{}' AND ${column} <@ ${bots}))`;
