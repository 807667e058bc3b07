// GET /v1/notify: accepted notifications, newest first, with the status of each channel.
import type { z } from 'zod';
import { decodeCursor, notificationsDialect, toPage } from '@parley/envelopes';
import type { Caller } from '@parley/server/http';
import { countFitting, boundBytesSql, type SizedRow } from '@parley/server/postgres';
import type { Deps } from '../deps.ts';
import type { notificationListQuery } from './schemas.ts';
import { isWithdrawal } from '../deliver/delivery-table.ts';

const { time } = notificationsDialect;

interface Row extends SizedRow {
  readonly id: string;
  readonly subject: string;
  readonly source: string;
  readonly created_at: Date;
  readonly send_at: Date | null;
  readonly canceled_at: Date | null;
  readonly channels: { readonly channel: string; readonly status: string }[];
}

export async function listNotifications(
  { sql }: Pick<Deps, 'sql'>,
  { organizationId }: Caller,
  query: z.output<typeof notificationListQuery>,
) {
  const before = query.cursor === undefined ? undefined : decodeCursor(query.cursor, 'time', 'text');
  // A topic may have a hundred thousand member notifications: listed only on request.
  const parentFilter = query.parent_id ?? (query.user_id === undefined ? null : undefined);
  const rows = await sql<Row>(listStatement(parentFilter), [
    organizationId,
    before ? new Date(before[0]) : 'infinity',
    before?.[1] ?? '',
    query.since ?? '-infinity',
    query.channel ?? null,
    query.status ?? null,
    query.user_id ?? null,
    query.q === undefined ? null : `%${query.q.replaceAll(/[\\%_]/g, '\\$&')}%`,
    query.limit + 1,
    query.engaged ?? null,
    ...(typeof parentFilter === 'string' ? [parentFilter] : []),
  ]);
  return toPage(
    rows,
    countFitting(rows, query.limit),
    (row) => [row.created_at.getTime(), row.id],
    (row) => ({
      notification_id: row.id,
      subject: row.subject,
      source: row.source,
      created_at: time(row.created_at),
      ...(row.send_at ? { send_at: time(row.send_at) } : {}),
      ...(row.canceled_at ? { canceled_at: time(row.canceled_at) } : {}),
      channels: row.channels,
    }),
  );
}

/** The status as read-status.ts reports it. */
const STATUS = `CASE WHEN notification.canceled_at IS NOT NULL AND delivery.status = 'queued' THEN 'canceled'
  ELSE delivery.status END`;

/** Status, channel and user must match the same delivery. */
const listStatement = (parentFilter: string | null | undefined) =>
  boundBytesSql(
    `SELECT notification.id, COALESCE(shared.subject, notification.subject) AS subject, source, created_at, send_at, canceled_at, (
     SELECT COALESCE(json_agg(json_build_object('channel', delivery.channel, 'status', ${STATUS}) ORDER BY delivery.id), '[]')
     FROM deliveries AS delivery WHERE delivery.notification_id = notification.id AND NOT (${isWithdrawal('delivery')})) AS channels
   FROM notifications AS notification LEFT JOIN shared_contents AS shared ON shared.id = notification.content_id
   WHERE notification.organization_id = $1 ${parentFilter === undefined ? '' : parentFilter === null ? 'AND parent_id IS NULL' : 'AND parent_id = $11'} AND (created_at, notification.id) < ($2::timestamptz, $3::text) AND created_at >= $4::timestamptz
     AND ($8::text IS NULL OR COALESCE(shared.subject, notification.subject) ILIKE $8
       OR COALESCE(shared.message, notification.message) ILIKE $8 OR notification.id ILIKE $8)
     AND (($5::text IS NULL AND $6::text IS NULL AND $7::text IS NULL) OR EXISTS (
       SELECT 1 FROM deliveries AS delivery WHERE delivery.notification_id = notification.id
         AND ($5::text IS NULL OR delivery.channel = $5) AND ($6::text IS NULL OR ${STATUS} = $6)
         AND ($7::text IS NULL OR delivery.plan::jsonb ->> 'user_id' = $7)))
     AND ($10::text IS NULL OR EXISTS (
       SELECT 1 FROM engagements WHERE engagements.notification_id = notification.id AND event = $10
         AND ($5::text IS NULL OR engagements.channel = $5)))
   ORDER BY created_at DESC, notification.id DESC LIMIT $9::int`,
    'octet_length(subject)',
    'created_at DESC, id DESC',
  );
