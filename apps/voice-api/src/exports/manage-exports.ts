// Endpoints of exports: create, list, read, and download in parts.
import type { z } from 'zod';
import { audit } from '@parley/server/audit';
import { AppError, toPage, voiceApiDialect } from '@parley/envelopes';
import { Reply, type Caller, type EndpointTransaction } from '@parley/server/http';
import type { Deps } from '../conversations/deps.ts';
import { readRedaction, requireWholeTexts } from '../retention/redaction.ts';
import { buildBotsCondition, readIdCursor } from '../lists.ts';
import { sources } from './sources/sources.ts';
import { toExportView, findExport, type ExportRow } from './export-rows.ts';
import { CONTENT_TYPES, EXTENSIONS } from './formats.rules.ts';
import type { exportListQuery, NewExport } from './schemas.ts';

/** Unfinished exports of an organisation. */
const OPEN_MAX = 5;
const KEPT_MS = 24 * 3_600_000;

/** @throws AppError limit_exceeded */
export async function createExport(
  deps: Pick<Deps, 'clock' | 'ids' | 'retentionRules'>,
  caller: Caller,
  { of = 'conversations', format, filter }: NewExport,
  { sql }: EndpointTransaction,
): Promise<Reply> {
  const { organizationId } = caller;
  const now = new Date(deps.clock());
  const { isActive } = await readRedaction(deps, caller);
  const [open] = await sql<{ count: number }>(
    `SELECT count(*)::int AS count FROM exports WHERE organization_id = $1 AND status IN ('queued', 'running')`,
    [organizationId],
  );
  if (open!.count >= OPEN_MAX)
    throw new AppError(
      'limit_exceeded',
      `The organisation has ${OPEN_MAX} unfinished exports, which is the maximum. Wait until one is ready.`,
    );
  const id = deps.ids('exp');
  const [row] = await sql<ExportRow>(
    `INSERT INTO exports (organization_id, id, of, format, filter, status, items, bytes, parts, created_at, expires_at, bot_ids, scrubbed)
     VALUES ($1, $2, $3, $4, $5::jsonb, 'queued', 0, 0, 0, $6, $7, $8::text[], $9) RETURNING *`,
    [
      organizationId,
      id,
      of,
      format,
      JSON.stringify(filter),
      now,
      new Date(now.getTime() + KEPT_MS),
      caller.botIds ?? [],
      isActive,
    ],
  );
  // Tries the filter, to reject one that Postgres cannot evaluate. No row is that old, so none is
  // read.
  await sources[of].next(sql, { ...row!, created_at: new Date(0) }, 1);
  await audit(sql, deps, caller, { action: 'export.created', target: id, details: { of, format } });
  return new Reply(toExportView(row!), { status: 201, headers: { location: `/v1/exports/${id}` } });
}

export async function getExport(deps: Pick<Deps, 'sql'>, caller: Caller, id: string) {
  return toExportView(await findExport(deps.sql, caller, id));
}

export async function listExports(
  deps: Pick<Deps, 'sql'>,
  { organizationId, botIds }: Caller,
  { cursor, limit }: z.output<typeof exportListQuery>,
) {
  const rows = await deps.sql<ExportRow>(
    `SELECT * FROM exports WHERE organization_id = $1 AND ($2::text IS NULL OR id < $2) AND ${buildBotsCondition('bot_ids', '$4')} ORDER BY id DESC LIMIT $3::int`,
    [organizationId, readIdCursor(cursor), limit + 1, botIds ?? null],
  );
  return voiceApiDialect.page(toPage(rows, limit, ({ id }) => [id], toExportView));
}

/**
 * A part of the file as text; `Link` names the next part. Available while the export is running.
 * @throws AppError not_found, insufficient_scope
 */
export async function getExportPart(
  deps: Pick<Deps, 'sql' | 'retentionRules'>,
  caller: Caller,
  id: string,
  part: number,
): Promise<Reply> {
  const { format, parts, scrubbed } = await findExport(deps.sql, caller, id);
  if (!scrubbed) requireWholeTexts(await readRedaction(deps, caller), 'this export has');
  const [row] = await deps.sql<{ data: string }>(
    'SELECT data FROM export_parts WHERE organization_id = $1 AND export_id = $2 AND number = $3',
    [caller.organizationId, id, part],
  );
  if (!row) throw new AppError('not_found', `Export "${id}" has no part ${part}.`);
  const link = `</v1/exports/${encodeURIComponent(id)}/parts/${part + 1}>; rel="next"`;
  return new Reply(row.data, {
    headers: {
      'content-type': `${CONTENT_TYPES[format]}; charset=utf-8`,
      'content-disposition': `attachment; filename="${id}-${part}.${EXTENSIONS[format]}"`,
      ...(part < parts ? { link } : {}),
    },
  });
}
