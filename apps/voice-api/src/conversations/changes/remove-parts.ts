// Removes parts of final conversations whose retention is over (docs/voice-api.md#retention). What
// was removed, when and why stays in the row. The caller holds the transaction and the locks of the
// conversations.
import { ERASED_IDS_MAX, eraseHandovers } from '@parley/jobs';
import type { Sql } from '@parley/server/postgres';
import { releaseCopies } from '../../recordings/copies.ts';
import type { Part } from '../../retention/parts.rules.ts';
import type { EraseDeps } from './erase-conversations.ts';

/** Of an organisation: the due parts of each conversation, with the reason. */
export type DueParts = ReadonlyMap<string, ReadonlyMap<Part, string>>;

/** Returns the number of removed parts. */
export async function removeParts(
  { outbox }: EraseDeps,
  sql: Sql,
  organizationId: string,
  due: DueParts,
  now: Date,
): Promise<number> {
  const withPart = (part: Part) => [...due].flatMap(([id, parts]) => (parts.has(part) ? [id] : []));
  const removed: { id: string; part: Part; reason: string }[] = [];
  for (const part of Object.keys(removers) as Part[]) {
    const ids = withPart(part);
    if (ids.length === 0) continue;
    const gone = (await removers[part](sql, organizationId, ids, now)) ?? ids;
    removed.push(...gone.map((id) => ({ id, part, reason: due.get(id)!.get(part)! })));
  }
  await sql(
    `UPDATE conversations SET removed = removed || given.parts, updated_at = $3
     FROM (SELECT id, jsonb_object_agg(part, jsonb_build_object('at', $3::timestamptz, 'reason', reason)) AS parts
           FROM json_to_recordset($2) AS row (id text, part text, reason text) GROUP BY id) AS given
     WHERE organization_id = $1 AND conversations.id = given.id`,
    [organizationId, JSON.stringify(removed), now],
  );
  // Messages to other services repeat what was said.
  const told = [...new Set([...withPart('transcript'), ...withPart('recorded_turns')])];
  await eraseHandovers(sql, organizationId, told);
  for (let from = 0; from < told.length; from += ERASED_IDS_MAX)
    await outbox.write(sql, [
      {
        contract: 'conversation.erased',
        organizationId,
        payload: { conversation_ids: told.slice(from, from + ERASED_IDS_MAX) },
      },
    ]);
  return removed.length;
}

/** Returns the conversations without the part now; undefined: all of them. */
type Remover = (
  sql: Sql,
  organizationId: string,
  ids: readonly string[],
  now: Date,
) => Promise<string[] | undefined>;

const removers: Readonly<Record<Part, Remover>> = {
  transcript: removeTranscripts,
  recorded_turns: async (sql, organizationId, ids) => {
    await sql(buildTurnRemoval('conversation_turns'), [organizationId, ids]);
    return undefined;
  },
  recording: removeRecordings,
  raw_reports: async (sql, organizationId, ids) => {
    await sql('DELETE FROM import_reports WHERE organization_id = $1 AND conversation_id = ANY($2::text[])', [
      organizationId,
      ids,
    ]);
    return undefined;
  },
  delivery_bodies: removeDeliveryBodies,
};

/** `bytes` of the conversation shrink with its turns. */
const buildTurnRemoval = (table: 'turns' | 'conversation_turns') => `
  WITH gone AS (
    DELETE FROM ${table} WHERE organization_id = $1 AND conversation_id = ANY($2::text[])
    RETURNING conversation_id, bytes
  ), size AS (SELECT conversation_id, sum(bytes)::int AS bytes FROM gone GROUP BY conversation_id)
  UPDATE conversations SET bytes = greatest(0, conversations.bytes - size.bytes)
  FROM size WHERE organization_id = $1 AND id = size.conversation_id`;

async function removeTranscripts(
  sql: Sql,
  organizationId: string,
  ids: readonly string[],
): Promise<undefined> {
  const key = [organizationId, ids];
  await sql(buildTurnRemoval('turns'), key);
  await sql(
    'DELETE FROM search_documents WHERE organization_id = $1 AND conversation_id = ANY($2::text[])',
    key,
  );
  await sql(
    'UPDATE conversations SET summary = NULL, analysis = NULL WHERE organization_id = $1 AND id = ANY($2::text[])',
    key,
  );
  // A quarantined message contains the text.
  await sql(
    `DELETE FROM inbox_suspects WHERE organization_id = $1 AND contract = 'conversation.event'
       AND data::jsonb #>> '{payload,conversation_id}' = ANY($2::text[])`,
    key,
  );
}

/** Like an address that PATCH set: reports that are applied again do not bring it back. */
async function removeRecordings(
  sql: Sql,
  organizationId: string,
  ids: readonly string[],
  now: Date,
): Promise<undefined> {
  await releaseCopies(sql, organizationId, ids, now);
  await sql(
    `UPDATE conversations SET recording_url = NULL, recording_copy = NULL,
       facts = jsonb_set(facts #- '{ended,recordingUrl}' #- '{ready,recordingUrl}', '{set}',
         COALESCE(facts -> 'set', '[]') - 'recordingUrl' || '["recordingUrl"]')
     WHERE organization_id = $1 AND id = ANY($2::text[])`,
    [organizationId, ids],
  );
  await sql(
    `UPDATE conversation_events SET data = data - 'recording_url'
     WHERE organization_id = $1 AND conversation_id = ANY($2::text[]) AND data ? 'recording_url'`,
    [organizationId, ids],
  );
}

/** Events with unfinished deliveries stay until the next sweep. */
async function removeDeliveryBodies(
  sql: Sql,
  organizationId: string,
  ids: readonly string[],
): Promise<string[]> {
  await sql(`${buildBodyRemoval('event.conversation_id = ANY($2::text[])')} SELECT 1 AS one FROM gone`, [
    organizationId,
    ids,
  ]);
  const rows = await sql<{ id: string }>(
    `SELECT id FROM unnest($2::text[]) AS given (id) WHERE NOT EXISTS (
       SELECT 1 FROM webhook_events WHERE organization_id = $1 AND conversation_id = given.id)`,
    [organizationId, ids],
  );
  return rows.map(({ id }) => id);
}

const buildBodyRemoval = (which: string) => `
  WITH gone AS (
    DELETE FROM webhook_events AS event WHERE event.organization_id = $1 AND ${which}
      AND NOT EXISTS (SELECT 1 FROM unnest(event.delivery_ids) AS member (id)
        JOIN webhook_deliveries AS delivery ON delivery.id = member.id WHERE delivery.finished_at IS NULL)
    RETURNING event.conversation_id, event.delivery_ids
  ), answers AS (
    UPDATE webhook_deliveries SET answer = NULL, exchange = NULL FROM gone, unnest(gone.delivery_ids) AS member (id)
    WHERE webhook_deliveries.id = member.id
  ), attempts AS (
    UPDATE webhook_delivery_attempts SET answer = NULL, exchange = NULL
    FROM gone, unnest(gone.delivery_ids) AS member (id) WHERE webhook_delivery_attempts.delivery_id = member.id
  )`;

/** Of one-off deliveries and tests, which belong to no conversation. Returns their number. */
export async function removeOneOffBodies(
  sql: Sql,
  organizationId: string,
  before: Date,
  rowsMax: number,
): Promise<number> {
  const rows = await sql(
    `${buildBodyRemoval(`event.id IN (SELECT id FROM webhook_events
       WHERE organization_id = $1 AND conversation_id = '' AND created_at < $2 LIMIT $3::int)`)}
     SELECT 1 AS one FROM gone`,
    [organizationId, before, rowsMax],
  );
  return rows.length;
}
