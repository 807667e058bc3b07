// A source of exports: how its rows are read and written.
import type { Reach } from '@parley/server/http';
import type { Sql } from '@parley/server/postgres';
import type { ExportRow } from '../export-rows.ts';

/** A row to export. */
export interface ExportItem {
  readonly id: string;
  readonly at: Date;
  /** Its conversation; empty when it has none. */
  readonly conversationId: string;
}

/** The next rows that existed when the export was created. */
export interface NextItems {
  readonly items: readonly ExportItem[];
  /** There may be others. */
  readonly more: boolean;
  /** Others are behind this place, which is behind the items. Without it, behind the last item. */
  readonly last?: ExportItem;
}

export interface Source {
  head(row: ExportRow): string;
  next(sql: Sql, row: ExportRow, max: number): Promise<NextItems>;
  /** The lines of the rows that still exist, in order; read lazily. */
  lines(
    sql: Sql,
    row: ExportRow,
    items: readonly ExportItem[],
    /** Of the installation (RETENTION_DAYS). */
    retentionDays: number,
  ): AsyncGenerator<{ readonly of: ExportItem; readonly line: string }>;
}

export function toReach({ organization_id: organizationId, bot_ids: botIds }: ExportRow): Reach {
  return botIds.length === 0 ? { organizationId } : { organizationId, botIds };
}
