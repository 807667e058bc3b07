// Writes the files of exports, one transaction a part. If a worker dies, another one continues
// after the last part (docs/voice-api.md#exports).
import { inTransaction, isPostgresUnavailable, isRefusedValue, type Sql } from '@parley/server/postgres';
import type { Deps } from '../conversations/deps.ts';
import type { ExportRow } from './export-rows.ts';
import type { ExportItem, Source } from './sources/source.ts';
import { sources } from './sources/sources.ts';

export const EXPORTS_EVERY_MS = 1_000;
/** Conversations or deliveries read for one part. */
const BATCH_MAX = 100;
/** A part ends with the line that exceeds this. */
const PART_BYTES = 1024 * 1024;
const EXPORT_BYTES_MAX = 1024 * 1024 * 1024;
/** From one part to the next. */
const LEASE_MS = 30_000;
/** Duration of a worker's round. */
const ROUND_MS = 20_000;

/** Consecutive failures. The pause doubles with each. */
const FAILURES_MAX = 5;
const FIRST_PAUSE_SECONDS = 1;

interface Claimed {
  readonly organization_id: string;
  readonly id: string;
}
type RunDeps = Pick<Deps, 'pool' | 'sql' | 'clock' | 'log' | 'config'>;

/** Returns the number of written parts. */
export async function runExports(deps: RunDeps): Promise<number> {
  await deps.sql(EXPIRE, [new Date(deps.clock())]);
  const until = deps.clock() + ROUND_MS;
  let parts = 0;
  while (deps.clock() < until) {
    const [claimed] = await deps.sql<Claimed>(CLAIM, times(deps));
    if (!claimed) break;
    let more = true;
    try {
      while (more && deps.clock() < until) {
        more = await inTransaction(deps.pool, (sql) => writePart(deps, sql, claimed));
        parts += 1;
      }
    } catch (error) {
      if (isPostgresUnavailable(error)) throw error;
      await recordFailure(deps, claimed, error); // continues with other exports
      continue;
    }
    if (more)
      await deps.sql('UPDATE exports SET leased_until = NULL WHERE organization_id = $1 AND id = $2', [
        claimed.organization_id,
        claimed.id,
      ]);
    else deps.log.info({ ...claimed }, 'export.finished');
  }
  return parts;
}

/** Fails the export after FAILURES_MAX consecutive failures, so that it blocks no other. */
async function recordFailure(deps: RunDeps, claimed: Claimed, error: unknown): Promise<void> {
  const message = isRefusedValue(error)
    ? `The database cannot evaluate the filter: ${(error as Error).message}`
    : 'The service failed to write the export. Details are in its log.';
  const [row] = await deps.sql<{ status: string }>(FAIL, [
    claimed.organization_id,
    claimed.id,
    new Date(deps.clock()),
    FAILURES_MAX,
    message,
    FIRST_PAUSE_SECONDS,
  ]);
  deps.log.error({ err: error, ...claimed, status: row?.status }, 'export.part_failed');
}

const FAIL = `
  UPDATE exports SET failures = failures + 1, leased_until = $3::timestamptz + make_interval(secs => $6::int * 2 ^ failures),
    status = CASE WHEN failures + 1 < $4::int THEN status ELSE 'failed' END,
    error = CASE WHEN failures + 1 < $4::int THEN error ELSE $5::text END,
    finished_at = CASE WHEN failures + 1 < $4::int THEN finished_at ELSE $3::timestamptz END
  WHERE organization_id = $1 AND id = $2 AND status = 'running' RETURNING status`;

const times = ({ clock }: RunDeps) => [new Date(clock()), new Date(clock() + LEASE_MS)];

const EXPIRE = `
  WITH expired AS (DELETE FROM exports WHERE expires_at <= $1 RETURNING organization_id, id)
  DELETE FROM export_parts USING expired
  WHERE export_parts.organization_id = expired.organization_id AND export_parts.export_id = expired.id`;

const CLAIM = `
  UPDATE exports SET status = 'running', leased_until = $2
  WHERE (organization_id, id) = (
    SELECT organization_id, id FROM exports
    WHERE status IN ('queued', 'running') AND (leased_until IS NULL OR leased_until <= $1)
    ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING organization_id, id`;

/** Returns whether there is more to write. */
async function writePart(
  deps: RunDeps,
  sql: Sql,
  { organization_id: organizationId, id }: Claimed,
): Promise<boolean> {
  const [request] = await sql<ExportRow>('SELECT * FROM exports WHERE organization_id = $1 AND id = $2', [
    organizationId,
    id,
  ]);
  if (!request) return false;
  const source = sources[request.of];
  const { items, more, last: end } = await source.next(sql, request, BATCH_MAX);
  // Locks before the export's own row and in the order of the intake, as erasures do.
  await sql(
    'SELECT 1 FROM conversations WHERE organization_id = $1 AND id = ANY($2::text[]) ORDER BY id FOR KEY SHARE',
    [organizationId, listConversationIds(items)],
  );
  const [row] = await sql<ExportRow>(
    `SELECT * FROM exports WHERE organization_id = $1 AND id = $2 AND status = 'running' FOR UPDATE`,
    [organizationId, id],
  );
  if (!row) return false;
  const { text, bytes, written, isFull } = await formatPart(deps, source, sql, row, items);
  const total = row.bytes + bytes;
  const isOver = !isFull && !more;
  const failed =
    total > EXPORT_BYTES_MAX ? `The export exceeds ${EXPORT_BYTES_MAX} bytes. Narrow the filter.` : null;
  const done = isOver || failed !== null;
  const now = new Date(deps.clock());
  if (text !== '')
    await sql(
      'INSERT INTO export_parts (organization_id, export_id, number, data, conversation_ids) VALUES ($1, $2, $3, $4, $5)',
      [organizationId, id, row.parts + 1, text, listConversationIds(written)],
    );
  const last = isFull ? written.at(-1) : (end ?? written.at(-1));
  await sql(
    `UPDATE exports SET items = items + $3, bytes = $4, parts = parts + $5, behind_at = COALESCE($6, behind_at),
       behind_id = COALESCE($7, behind_id), status = $8, error = $9, finished_at = $10, leased_until = $11, failures = 0
     WHERE organization_id = $1 AND id = $2`,
    [
      organizationId,
      id,
      written.length,
      total,
      text === '' ? 0 : 1,
      last?.at ?? null,
      last?.id ?? null,
      failed ? 'failed' : done ? 'ready' : 'running',
      failed,
      done ? now : null,
      new Date(now.getTime() + LEASE_MS),
    ],
  );
  return !done;
}

/** The lines of the next part, until it is full. */
async function formatPart(
  { config }: RunDeps,
  source: Source,
  sql: Sql,
  row: ExportRow,
  items: readonly ExportItem[],
) {
  let text = row.parts === 0 ? source.head(row) : '';
  let bytes = Buffer.byteLength(text);
  const written: ExportItem[] = [];
  let isFull = false;
  for await (const { of, line } of source.lines(sql, row, items, config.RETENTION_DAYS)) {
    text += line;
    bytes += Buffer.byteLength(line);
    written.push(of);
    if ((isFull = bytes >= PART_BYTES)) break;
  }
  return { text, bytes, written, isFull };
}

/** Erasing one of these removes the file. Webhook tests belong to no conversation. */
function listConversationIds(items: readonly ExportItem[]): string[] {
  return [...new Set(items.map(({ conversationId }) => conversationId))].filter((id) => id !== '');
}
