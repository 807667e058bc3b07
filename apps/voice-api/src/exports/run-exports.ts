// Writes the files of exports, some conversations in a transaction: a worker that dies is followed by another one, which goes on behind
// the last part (docs/voice-api.md#exports).
import { inTransaction, type Sql } from '@parley/postgres';
import { conversationView } from '../conversations/lists/conversation-view.ts';
import type { ConversationRow } from '../conversations/conversation-rows.ts';
import { conversationFilter } from '../conversations/lists/filters.ts';
import { whereOf } from '../conversations/lists/where.ts';
import { readTurnPage } from '../conversations/read-transcripts.ts';
import type { Deps } from '../deps.ts';
import type { ExportRow } from './export-rows.ts';
import { formats } from './formats.rules.ts';

export const EXPORTS_EVERY_MS = 1_000;
/** Conversations looked at for one part. */
const BATCH_MAX = 100;
/** A part ends with the conversation that fills it. */
const PART_BYTES = 1024 * 1024;
/** Of the turns of one conversation; the rest is read from its transcript. */
const TURNS_BYTES_MAX = 4 * 1024 * 1024;
const EXPORT_BYTES_MAX = 1024 * 1024 * 1024;
/** From one part to the next. */
const LEASE_MS = 30_000;
/** A worker's round. */
const ROUND_MS = 20_000;

type RunDeps = Pick<Deps, 'pool' | 'sql' | 'clock' | 'log'>;

/** Gives how many parts were written. */
export async function runExports(deps: RunDeps): Promise<number> {
  await deps.sql(EXPIRE, [new Date(deps.clock())]);
  const until = deps.clock() + ROUND_MS;
  let parts = 0;
  while (deps.clock() < until) {
    const [claimed] = await deps.sql<{ organization_id: string; id: string }>(CLAIM, times(deps));
    if (!claimed) break;
    let more = true;
    while (more && deps.clock() < until) {
      more = await inTransaction(deps.pool, (sql) => writePart(deps, sql, claimed));
      parts += 1;
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

const times = ({ clock }: RunDeps) => [new Date(clock()), new Date(clock() + LEASE_MS)];

const EXPIRE = `
  WITH gone AS (DELETE FROM exports WHERE expires_at <= $1 RETURNING organization_id, id)
  DELETE FROM export_parts USING gone
  WHERE export_parts.organization_id = gone.organization_id AND export_parts.export_id = gone.id`;

const CLAIM = `
  UPDATE exports SET status = 'running', leased_until = $2
  WHERE (organization_id, id) = (
    SELECT organization_id, id FROM exports
    WHERE status IN ('queued', 'running') AND (leased_until IS NULL OR leased_until <= $1)
    ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING organization_id, id`;

/** False: there is no more to write. */
async function writePart(
  deps: RunDeps,
  sql: Sql,
  { organization_id: organizationId, id }: { organization_id: string; id: string },
): Promise<boolean> {
  const ids = await meant(sql, organizationId, id);
  // Before the export's own row, and in the order of the intake's locks: an erasure has them in this order too.
  const rows = await sql<ConversationRow>(
    'SELECT * FROM conversations WHERE organization_id = $1 AND id = ANY($2::text[]) ORDER BY id FOR KEY SHARE',
    [organizationId, ids],
  );
  const [row] = await sql<ExportRow>(
    `SELECT * FROM exports WHERE organization_id = $1 AND id = $2 AND status = 'running' FOR UPDATE`,
    [organizationId, id],
  );
  if (!row) return false;
  const format = formats[row.format];
  let text = row.parts === 0 ? format.head : '';
  let bytes = Buffer.byteLength(text);
  const written: ConversationRow[] = [];
  for (const conversation of inOrderOf(ids, rows)) {
    const key = { organizationId, id: conversation.id };
    const page = format.needsTurns
      ? await readTurnPage(sql, key, null, TURNS_BYTES_MAX)
      : { turns: [], next: null };
    const line = format.line({
      view: conversationView(conversation),
      turns: page.turns,
      isCut: page.next !== null,
    });
    text += line;
    bytes += Buffer.byteLength(line);
    written.push(conversation);
    if (bytes >= PART_BYTES) break;
  }
  const total = row.bytes + bytes;
  const isOver = written.length === rows.length && ids.length < BATCH_MAX;
  const failed =
    total > EXPORT_BYTES_MAX ? `it would have more than ${EXPORT_BYTES_MAX} bytes: narrow the filter` : null;
  const done = isOver || failed !== null;
  const now = new Date(deps.clock());
  if (text !== '')
    await sql(
      'INSERT INTO export_parts (organization_id, export_id, number, data, conversation_ids) VALUES ($1, $2, $3, $4, $5)',
      [organizationId, id, row.parts + 1, text, written.map((one) => one.id)],
    );
  const last = written.at(-1);
  await sql(
    `UPDATE exports SET items = items + $3, bytes = $4, parts = parts + $5, behind_at = COALESCE($6, behind_at),
       behind_id = COALESCE($7, behind_id), status = $8, error = $9, finished_at = $10, leased_until = $11
     WHERE organization_id = $1 AND id = $2`,
    [
      organizationId,
      id,
      written.length,
      total,
      text === '' ? 0 : 1,
      last?.created_at ?? null,
      last?.id ?? null,
      failed ? 'failed' : done ? 'ready' : 'running',
      failed,
      done ? now : null,
      new Date(now.getTime() + LEASE_MS),
    ],
  );
  return !done;
}

/** The ids of the next conversations, of those that were there when it was asked for. */
async function meant(sql: Sql, organizationId: string, id: string): Promise<string[]> {
  const [row] = await sql<ExportRow>('SELECT * FROM exports WHERE organization_id = $1 AND id = $2', [
    organizationId,
    id,
  ]);
  if (!row) return [];
  const reach = row.bot_ids.length === 0 ? { organizationId } : { organizationId, botIds: row.bot_ids };
  const where = whereOf(reach, conversationFilter.parse(row.filter));
  where.add('created_at <= ?', row.created_at);
  if (row.behind_at) where.add('(created_at, id) > (?::timestamptz, ?::text)', row.behind_at, row.behind_id);
  const rows = await sql<{ id: string }>(
    `SELECT id FROM conversations WHERE ${where.conditions.join(' AND ')} ORDER BY created_at, id LIMIT ${BATCH_MAX}`,
    where.values,
  );
  return rows.map((one) => one.id);
}

/** As the database orders them: where a part ends is where the next one begins. */
function inOrderOf(ids: readonly string[], rows: readonly ConversationRow[]): ConversationRow[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
