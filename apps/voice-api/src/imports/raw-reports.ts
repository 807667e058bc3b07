// The reports of vendors as they arrived, sealed. They go with their conversation
// (docs/voice-api.md#raw-reports).
import { createHash } from 'node:crypto';
import { AppError } from '@parley/envelopes';
import type { Sql } from '@parley/server/postgres';
import { importReportContext } from '@parley/server/sealed-columns';
import type { Deps } from './deps.ts';
import type { Source } from './sources.ts';

/** Reports of a conversation: vendors send a handful. */
const REPORTS_MAX = 20;
/** Bytes of the reports of a conversation, which are read together. */
const BYTES_MAX = 16 * 1024 * 1024;

/** A call of a vendor. */
export interface ImportedCall {
  readonly organizationId: string;
  readonly conversationId: string;
  readonly source: Source;
}

export interface RawReport {
  readonly body: string;
  /** Replaces the vendor's agent id. */
  readonly botId: string | null;
  readonly receivedAt: Date;
}

/** Imports of one call run one after the other. Held until the transaction ends. */
export async function lockImport(sql: Sql, { organizationId, conversationId }: ImportedCall): Promise<void> {
  await sql(`SELECT pg_advisory_xact_lock(hashtextextended('import ' || $1 || ' ' || $2, 0))`, [
    organizationId,
    conversationId,
  ]);
}

/** A repeated report is stored once. @throws AppError unprocessable: there are too many */
export async function storeReport(
  { ids, dataSealer }: Pick<Deps, 'ids' | 'dataSealer'>,
  sql: Sql,
  { organizationId, conversationId, source }: ImportedCall,
  { body, botId, receivedAt }: RawReport,
): Promise<void> {
  const id = ids('rpt');
  const digest = createHash('sha256').update(body).digest();
  const bytes = Buffer.byteLength(body);
  const [stored] = await sql<{ count: number; bytes: number; known: boolean }>(
    `SELECT count(*)::int AS count, coalesce(sum(bytes), 0)::int AS bytes, coalesce(bool_or(digest = $3), false) AS known
     FROM import_reports WHERE organization_id = $1 AND conversation_id = $2`,
    [organizationId, conversationId, digest],
  );
  if (stored!.known) return;
  if (stored!.count >= REPORTS_MAX || stored!.bytes + bytes > BYTES_MAX)
    throw new AppError(
      'unprocessable',
      `Conversation "${conversationId}" has ${stored!.count} reports of ${stored!.bytes} bytes. It may have ${REPORTS_MAX} of ${BYTES_MAX}.`,
    );
  const sealed = await dataSealer.seal(body, importReportContext({ organizationId, id }));
  await sql(
    `INSERT INTO import_reports (id, organization_id, conversation_id, source, digest, bot_id, sealed, bytes, received_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [id, organizationId, conversationId, source, digest, botId, sealed, bytes, receivedAt],
  );
}

/** Sorted by content, so that the order of arrival does not matter. */
export async function readReports(
  { dataSealer }: Pick<Deps, 'dataSealer'>,
  sql: Sql,
  { organizationId, conversationId, source }: ImportedCall,
): Promise<RawReport[]> {
  const rows = await sql<{ id: string; sealed: string; botId: string | null; receivedAt: Date }>(
    `SELECT id, sealed, bot_id AS "botId", received_at AS "receivedAt" FROM import_reports
     WHERE organization_id = $1 AND conversation_id = $2 AND source = $3 ORDER BY digest`,
    [organizationId, conversationId, source],
  );
  return Promise.all(
    rows.map(async ({ id, sealed, botId, receivedAt }) => ({
      body: await dataSealer.unseal(sealed, importReportContext({ organizationId, id })),
      botId,
      receivedAt,
    })),
  );
}

/** What the last import of a call applied, by the name of the event or member. */
export type Applied = Readonly<Record<string, AppliedItem>>;
export interface AppliedItem {
  readonly hash: string;
  /** Grows when the content changes: a part of the event's id. */
  readonly version: number;
}

export async function readApplied(
  sql: Sql,
  { organizationId, conversationId, source }: ImportedCall,
): Promise<Applied> {
  const [row] = await sql<{ applied: Applied }>(
    'SELECT applied FROM import_states WHERE organization_id = $1 AND conversation_id = $2 AND source = $3',
    [organizationId, conversationId, source],
  );
  return row?.applied ?? {};
}

export async function writeApplied(
  sql: Sql,
  { organizationId, conversationId, source }: ImportedCall,
  applied: Applied,
): Promise<void> {
  await sql(
    `INSERT INTO import_states (organization_id, conversation_id, source, applied) VALUES ($1, $2, $3, $4::jsonb)
     ON CONFLICT (organization_id, conversation_id, source) DO UPDATE SET applied = excluded.applied`,
    [organizationId, conversationId, source, JSON.stringify(applied)],
  );
}

/** Conversations that have reports, in the order of their ids, after `after`. */
export async function listImported(
  sql: Sql,
  organizationId: string,
  { conversationId, source, after }: Readonly<Record<'conversationId' | 'source' | 'after', string | null>>,
  limit: number,
): Promise<{ id: string; sources: Source[] }[]> {
  return sql<{ id: string; sources: Source[] }>(
    `SELECT conversation_id AS id, array_agg(DISTINCT source) AS sources FROM import_reports
     WHERE organization_id = $1 AND ($2::text IS NULL OR conversation_id = $2) AND ($3::text IS NULL OR source = $3)
       AND ($4::text IS NULL OR conversation_id > $4)
     GROUP BY conversation_id ORDER BY conversation_id LIMIT $5::int`,
    [organizationId, conversationId, source, after, limit],
  );
}
