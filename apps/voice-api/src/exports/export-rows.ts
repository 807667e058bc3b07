// Exports in the database: the request with its progress, and the file in parts that end with a
// line (docs/voice-api.md#exports).
import { AppError, voiceApiDialect } from '@parley/envelopes';
import type { Reach } from '@parley/server/http';
import type { Sql } from '@parley/server/postgres';
import { buildBotsCondition } from '../lists.ts';
import type { EXPORT_STATUSES, EXPORTABLE, Format } from './schemas.ts';

const { time } = voiceApiDialect;

export interface ExportRow {
  readonly organization_id: string;
  readonly id: string;
  readonly of: (typeof EXPORTABLE)[number];
  readonly format: Format;
  /** As requested; times are strings. */
  readonly filter: Readonly<Record<string, unknown>>;
  /** The bots of the bound key that created it; empty: all bots. */
  readonly bot_ids: readonly string[];
  /** Its creator gets scrubbed texts. */
  readonly scrubbed: boolean;
  readonly status: (typeof EXPORT_STATUSES)[number];
  readonly error: string | null;
  readonly items: number;
  readonly bytes: number;
  readonly parts: number;
  /** The last exported row; the export continues after it. */
  readonly behind_at: Date | null;
  readonly behind_id: string | null;
  readonly created_at: Date;
  readonly finished_at: Date | null;
  readonly expires_at: Date;
}

export function toExportView(row: ExportRow) {
  return {
    id: row.id,
    of: row.of,
    format: row.format,
    filter: row.filter,
    status: row.status,
    ...(row.error === null ? {} : { error: row.error }),
    items: row.items,
    bytes: row.bytes,
    parts: row.parts,
    created_at: time(row.created_at),
    finished_at: row.finished_at && time(row.finished_at),
    expires_at: time(row.expires_at),
  };
}

/** @throws AppError not_found */
export async function findExport(
  sql: Sql,
  { organizationId, botIds }: Reach,
  id: string,
): Promise<ExportRow> {
  const [row] = await sql<ExportRow>(
    `SELECT * FROM exports WHERE organization_id = $1 AND id = $2 AND ${buildBotsCondition('bot_ids', '$3')}`,
    [organizationId, id, botIds ?? null],
  );
  if (!row) throw new AppError('not_found', `There is no export "${id}".`);
  return row;
}
