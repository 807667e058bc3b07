// The push history of a user.
import { decodeCursor, notificationsDialect, toPage } from '@parley/envelopes';
import type { Caller } from '@parley/server/http';
import { getReader } from '../../callers/reader.ts';
import { fillAllLinks, type LinkDeps } from '../../people/message-links.ts';
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
  deps: LinkDeps,
  caller: Caller,
  query: { user_id?: string | undefined; limit: number; cursor?: string | undefined },
) {
  const { sql } = deps;
  const { organizationId, userId, seesLinks } = getReader(caller, query.user_id);
  const [before] = query.cursor === undefined ? [null] : decodeCursor(query.cursor, 'text');
  const rows = await sql<Row>(
    `SELECT history.notification_id, history.user_id, payload, ${SHARED_TEXT} AS shared, status, delivered_count, history.created_at
     FROM push_history AS history JOIN push_fanouts USING (delivery_id)
     WHERE history.organization_id = $1 AND history.user_id = $2 AND ($3::text IS NULL OR history.notification_id < $3)
     ORDER BY history.notification_id DESC LIMIT $4`,
    [organizationId, userId, before, query.limit + 1],
  );
  const items = rows.map(toWire);
  const filled = seesLinks ? await fillHistoryLinks(deps, organizationId, items) : items;
  return toPage(
    filled,
    query.limit,
    ({ notification_id: id }) => [id],
    (item) => item,
  );
}

async function fillHistoryLinks(
  deps: LinkDeps,
  organizationId: string,
  items: readonly ReturnType<typeof toWire>[],
) {
  const owners = items.map(({ user_id: userId, notification_id: notificationId }) => ({
    organizationId,
    userId,
    notificationId,
    channel: 'web_push',
  }));
  const bodies = await fillAllLinks(
    deps,
    owners,
    items.map(({ body }) => body),
  );
  return items.map((item, index) => ({ ...item, body: bodies[index]! }));
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
