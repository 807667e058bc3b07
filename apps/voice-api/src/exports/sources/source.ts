// What an export may be of: how it is read, and how it is written down.
import type { Reach } from '@parley/http';
import type { Sql } from '@parley/postgres';
import type { ExportRow } from '../export-rows.ts';

/** Something that goes into the file. */
export interface Meant {
  readonly id: string;
  readonly at: Date;
  /** Of which it tells; the empty text: of none. */
  readonly conversationId: string;
}

export interface Source {
  head(row: ExportRow): string;
  /** What comes next, in order, of what was there when it was asked for. `more`: there may be more behind these. */
  next(sql: Sql, row: ExportRow, max: number): Promise<{ meant: readonly Meant[]; more: boolean }>;
  /** A line of each that is still there, in this order; read while it is asked for. */
  lines(
    sql: Sql,
    row: ExportRow,
    meant: readonly Meant[],
  ): AsyncGenerator<{ readonly of: Meant; readonly line: string }>;
}

export function reachOf({ organization_id: organizationId, bot_ids: botIds }: ExportRow): Reach {
  return botIds.length === 0 ? { organizationId } : { organizationId, botIds };
}
