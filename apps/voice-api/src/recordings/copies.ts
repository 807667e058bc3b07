// The rows of copies of recordings (docs/voice-api.md#copies-of-recordings), written in the
// transactions that set or remove a recording. Workers do the rest (copy-recordings.ts).
import type { Sql } from '@parley/server/postgres';

/** As a conversation shows it. */
export interface CopySummary {
  readonly status: 'waiting' | 'copied' | 'failed';
  readonly bytes?: number;
  readonly content_type?: string;
  readonly copied_at?: string;
  readonly error?: string;
}

/** Conversations whose recording may have changed. */
export interface ChangedRecordings {
  readonly organizationIds: readonly string[];
  readonly ids: readonly string[];
  readonly now: Date;
}

/**
 * Plans a copy of the recording of each conversation whose rules name a bucket, and removes copies
 * of another address. Repeating it changes nothing.
 */
export async function planCopies(sql: Sql, { organizationIds, ids, now }: ChangedRecordings): Promise<void> {
  if (ids.length === 0) return;
  await sql(PLAN, [organizationIds, ids, now]);
}

const RELEASE = `status = 'deleting', attempts = 0, source_url = NULL, error = NULL,
  next_at = CASE WHEN status = 'waiting' THEN greatest(next_at, $3::timestamptz) ELSE $3::timestamptz END`;

const PLAN = `
  WITH given AS (
    SELECT conversation.organization_id, conversation.id, conversation.recording_url,
      'rec_' || replace(gen_random_uuid()::text, '-', '') AS copy_id,
      coalesce(bot.recording_store_id, own.recording_store_id) AS store_id
    FROM unnest($1::text[], $2::text[]) AS key (organization_id, id)
    JOIN conversations AS conversation
      ON conversation.organization_id = key.organization_id AND conversation.id = key.id
    LEFT JOIN retention_rules AS bot ON bot.organization_id = conversation.organization_id
      AND bot.bot_id = conversation.bot_id AND bot.bot_id <> ''
    LEFT JOIN retention_rules AS own ON own.organization_id = conversation.organization_id AND own.bot_id = ''
  ), stale AS (
    UPDATE recording_copies AS copy SET ${RELEASE} FROM given
    WHERE copy.organization_id = given.organization_id AND copy.conversation_id = given.id
      AND copy.status <> 'deleting' AND copy.source_url IS DISTINCT FROM given.recording_url
    RETURNING given.organization_id, given.id
  ), planned AS (
    INSERT INTO recording_copies
      (id, organization_id, conversation_id, store_id, object_key, source_url, status, next_at, created_at)
    SELECT given.copy_id, given.organization_id, given.id, store.id,
      store.prefix || regexp_replace(given.id, '[^A-Za-z0-9_-]', '_', 'g') || '/' || given.copy_id,
      given.recording_url, 'waiting', $3::timestamptz, $3::timestamptz
    FROM given JOIN recording_stores AS store ON store.id = given.store_id
    WHERE given.recording_url IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM recording_copies AS copy
      WHERE copy.organization_id = given.organization_id AND copy.conversation_id = given.id
        AND copy.status <> 'deleting' AND copy.source_url = given.recording_url)
    RETURNING organization_id, conversation_id AS id
  )
  UPDATE conversations AS conversation
  SET recording_copy = CASE WHEN changed.planned THEN '{"status":"waiting"}'::jsonb END
  FROM (SELECT organization_id, id, bool_or(planned) AS planned
        FROM (SELECT organization_id, id, false AS planned FROM stale
              UNION ALL SELECT organization_id, id, true FROM planned) AS each
        GROUP BY organization_id, id) AS changed
  WHERE conversation.organization_id = changed.organization_id AND conversation.id = changed.id`;

/**
 * Marks the copies of conversations for removal, and returns their number. A copy in flight ends
 * first: its lease is respected, so that no object appears after its removal.
 */
export async function releaseCopies(
  sql: Sql,
  organizationId: string,
  ids: readonly string[],
  now: Date,
): Promise<number> {
  const rows = await sql(
    `UPDATE recording_copies SET ${RELEASE}
     WHERE organization_id = $1 AND conversation_id = ANY($2::text[]) AND status <> 'deleting' RETURNING 1 AS one`,
    [organizationId, ids, now],
  );
  return rows.length;
}
