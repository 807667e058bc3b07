// The push history of a user.
import { decodeCursor, notificationsDialect, toPage } from '@parley/envelopes';
import type { Caller } from '@parley/server/http';
import type { BaseDeps } from '../../base-deps.ts';
import { getReader } from '../../callers/reader.ts';
import { payloadSchema, SHARED_TEXT, sharedText, mergePayload } from './payload.rules.ts';

const { time } = notificationsDialect;

interface Row {
  readonly notification_id: string;
  readonly user_id: string;
  readonly payload: string;
  readonly shared: unknown;
  readonly status: string;
  readonly delivered_count: number;
  readonly created_at: Date;
}

/** Newest first. An API key without `user_id` names no user and gets an empty page. */
export async function listHistory(
  { sql }: Pick<BaseDeps, 'sql'>,
  caller: Caller,
  query: { user_id?: string | undefined; limit: number; cursor?: string | undefined },
) {
  const { organizationId, userId } = getReader(caller, query.user_id);
  const [before] = query.cursor === undefined ? [null] : decodeCursor(query.cursor, 'text');
  const rows = await sql<Row>(
    `SELECT history.notification_id, history.user_id, payload, ${SHARED_TEXT} AS shared, status, delivered_count, history.created_at
     FROM push_history AS history JOIN push_fanouts USING (delivery_id)
     WHERE history.organization_id = $1 AND history.user_id = $2 AND ($3::text IS NULL OR history.notification_id < $3)
     ORDER BY history.notification_id DESC LIMIT $4`,
    [organizationId, userId, before, query.limit + 1],
  );
  return toPage(rows, query.limit, (row) => [row.notification_id], toWire);
}

function toWire(row: Row) {
  const { title, body, url, data, site_id } = payloadSchema.parse(
    JSON.parse(mergePayload(row.payload, sharedText.parse(row.shared))),
  );
  return {
    notification_id: row.notification_id,
    user_id: row.user_id,
    title,
    body,
    url: url ?? null,
    data: data ?? null,
    site_id: site_id ?? null,
    status: row.status,
    delivered_count: row.delivered_count,
    created_at: time(row.created_at),
  };
}
