// GET /v1/callers and /v1/callers/{caller_id} (docs/voice-api.md#callers): read from conversations,
// so that nothing can contradict them.
import { AppError, decodeCursor, encodeCursor, voiceApiDialect } from '@parley/envelopes';
import type { Caller as Credential } from '@parley/server/http';
import type { Sql } from '@parley/server/postgres';
import { CALLER } from '../conversations/lists/where.ts';
import type { Deps } from '../conversations/deps.ts';
import { buildBotCondition } from '../lists.ts';

/** Conversations that a page of the list looks at, at most. */
const SCANNED_MAX = 5_000;
/** The newest conversations of a caller that are counted: in a list, and by itself. */
const COUNTED_MAX = { list: 500, one: 10_000 };

const PLACE = 'coalesce(started_at, created_at)'; // as in the indexes, verbatim
const { time } = voiceApiDialect;

interface LastConversation {
  readonly caller: string;
  readonly place: Date;
  readonly id: string;
}

interface CallerRow {
  readonly caller: string;
  readonly count: number;
  readonly first_at: Date;
  readonly last_at: Date;
  readonly last_id: string;
  readonly addresses: string[] | null;
  readonly languages: string[] | null;
  readonly outcomes: Record<string, number>;
  readonly end_reasons: Record<string, number> | null;
}

/** The caller of the latest conversation first. */
export async function listCallers(
  { sql }: Pick<Deps, 'sql'>,
  credential: Credential,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
) {
  const [ms, after] = cursor === undefined ? [null, null] : decodeCursor(cursor, 'time', 'text');
  const values = [credential.organizationId, credential.botIds ?? null, ms && new Date(ms), after];
  const rows = await sql<LastConversation>(LAST_CONVERSATIONS, [...values, limit + 1]);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : await findScanEnd(sql, values);
  const callers = await readCallers(
    sql,
    credential,
    shown.map(({ caller }) => caller),
    COUNTED_MAX.list,
  );
  return {
    items: callers,
    next_cursor: last ? encodeCursor([last.place.getTime(), last.id]) : null,
    has_more: last !== undefined,
  };
}

const SCANNED = `
  SELECT ${PLACE} AS place, id, ${CALLER} AS caller FROM conversations
  WHERE organization_id = $1 AND ${buildBotCondition('bot_id', '$2')}
    AND ($3::timestamptz IS NULL OR (${PLACE}, id) < ($3::timestamptz, $4::text))
  ORDER BY ${PLACE} DESC, id DESC LIMIT ${SCANNED_MAX}`;

/** Conversations after which their caller has no other. */
const LAST_CONVERSATIONS = `
  SELECT caller, place, id FROM (${SCANNED}) AS scanned
  WHERE caller IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM conversations WHERE organization_id = $1 AND ${CALLER} = scanned.caller
      AND ${buildBotCondition('bot_id', '$2')} AND (${PLACE}, conversations.id) > (scanned.place, scanned.id))
  ORDER BY place DESC, id DESC LIMIT $5::int`;

const SCAN_END = `SELECT place, id FROM (${SCANNED}) AS scanned ORDER BY place DESC, id DESC OFFSET ${SCANNED_MAX - 1}`;

/** Where a page ends that has looked at as many conversations as it may; else undefined. */
async function findScanEnd(sql: Sql, values: readonly unknown[]) {
  const [end] = await sql<{ place: Date; id: string }>(SCAN_END, [...values]);
  return end;
}

/** @throws AppError not_found */
export async function getCaller({ sql }: Pick<Deps, 'sql'>, credential: Credential, id: string) {
  const [found] = await readCallers(sql, credential, [id], COUNTED_MAX.one);
  if (!found) throw new AppError('not_found', `There is no caller "${id}".`);
  return found;
}

async function readCallers(sql: Sql, credential: Credential, ids: readonly string[], countedMax: number) {
  if (ids.length === 0) return [];
  const { organizationId, botIds } = credential;
  const rows = await sql<CallerRow>(CALLERS, [organizationId, botIds ?? null, ids, countedMax]);
  return rows.map((row) => ({
    id: row.caller,
    kind: KINDS[row.caller.slice(0, row.caller.indexOf(':'))]!,
    addresses: row.addresses ?? [],
    conversations: Math.min(row.count, countedMax),
    ...(row.count > countedMax ? { conversations_is_at_least: true as const } : {}),
    first_at: time(row.first_at),
    last_at: time(row.last_at),
    last_conversation_id: row.last_id,
    languages: row.languages ?? [],
    outcomes: row.outcomes,
    end_reasons: row.end_reasons ?? {},
  }));
}

const KINDS: Readonly<Record<string, 'phone' | 'email' | 'id'>> = { tel: 'phone', mailto: 'email', id: 'id' };

const OF_CALLER = `organization_id = $1 AND ${CALLER} = given.caller AND ${buildBotCondition('bot_id', '$2')}`;
const countBy = (column: string) =>
  `(SELECT jsonb_object_agg(counted.name, counted.count) FROM (
     SELECT ${column} AS name, count(*) FROM one WHERE ${column} IS NOT NULL GROUP BY ${column}) AS counted)`;

const CALLERS = `
  SELECT given.caller, summary.*, earliest.first_at
  FROM unnest($3::text[]) WITH ORDINALITY AS given (caller, place)
  CROSS JOIN LATERAL (
    SELECT ${PLACE} AS first_at FROM conversations WHERE ${OF_CALLER} ORDER BY ${PLACE}, id LIMIT 1) AS earliest
  CROSS JOIN LATERAL (
    WITH one AS MATERIALIZED (
      SELECT ${PLACE} AS at, id, status, end_reason, language,
        CASE WHEN direction = 'outbound' THEN to_address ELSE from_address END AS address
      FROM conversations WHERE ${OF_CALLER} ORDER BY ${PLACE} DESC, id DESC LIMIT $4::int + 1)
    SELECT count(*)::int AS count, max(at) AS last_at, (array_agg(id ORDER BY at DESC, id DESC))[1] AS last_id,
      (array_agg(DISTINCT address) FILTER (WHERE address IS NOT NULL))[1:20] AS addresses,
      (array_agg(DISTINCT language) FILTER (WHERE language IS NOT NULL))[1:50] AS languages,
      ${countBy('status')} AS outcomes, ${countBy('end_reason')} AS end_reasons
    FROM one) AS summary
  ORDER BY given.place`;
