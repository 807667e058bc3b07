// Reads, lists and ends recurring sends.
import { decodeCursor, notificationsDialect, toPage } from '@parley/envelopes';
import type { Caller } from '@parley/server/http';
import type { Sql } from '@parley/server/postgres';
import type { Notification, RecurringSend } from '@parley/store-notifications';
import type { Deps } from '../deps.ts';

const { time } = notificationsDialect;

type Row = Pick<
  RecurringSend,
  'id' | 'rrule' | 'timezone' | 'nextAt' | 'dueAt' | 'accepted' | 'lastError' | 'outcome'
>;
const COLUMNS = `send.id, rrule, timezone, next_at AS "nextAt", due_at AS "dueAt", accepted, last_error AS "lastError", outcome`;

function toWire({ rrule, timezone, nextAt, dueAt, accepted, lastError, outcome }: Row) {
  return {
    rrule,
    timezone,
    status: outcome ?? 'active',
    next_at: dueAt === null ? null : time(nextAt),
    occurrences: accepted,
    last_error: lastError,
  };
}

/** The recurring part of a notification's status; empty for other sends. */
export async function readRecurringStatus(sql: Sql, organizationId: string, id: string) {
  const [row] = await sql<Row>(
    `SELECT ${COLUMNS} FROM recurring_sends AS send WHERE organization_id = $1 AND id = $2`,
    [organizationId, id],
  );
  return row ? { recurring: toWire(row) } : {};
}

interface ListQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly status?: string | undefined;
}

/** Newest first. */
export async function listRecurring(
  { sql }: Pick<Deps, 'sql'>,
  { organizationId }: Caller,
  { limit, cursor, status }: ListQuery,
) {
  // Ids begin with a time.
  const [before] = cursor === undefined ? ['~'] : decodeCursor(cursor, 'text');
  const rows = await sql<Row & Pick<Notification, 'subject' | 'createdAt'>>(
    `SELECT ${COLUMNS}, subject, created_at AS "createdAt"
     FROM recurring_sends AS send JOIN notifications AS notification ON notification.id = send.id
     WHERE send.organization_id = $1 AND send.id < $2 AND ($3::text IS NULL OR COALESCE(outcome, 'active') = $3::text)
     ORDER BY send.id DESC LIMIT $4::int`,
    [organizationId, before, status ?? null, limit + 1],
  );
  return toPage(
    rows,
    limit,
    ({ id }) => [id],
    (row) => ({
      notification_id: row.id,
      subject: row.subject,
      created_at: time(row.createdAt),
      ...toWire(row),
    }),
  );
}

/** In the transaction that cancels the notification. Returns 1 if it was active, else 0. */
export async function cancelRecurring(sql: Sql, organizationId: string, id: string): Promise<number> {
  const ended = await sql(
    `UPDATE recurring_sends SET outcome = 'canceled', due_at = NULL, sealed = NULL
     WHERE organization_id = $1 AND id = $2 AND outcome IS NULL RETURNING 1 AS one`,
    [organizationId, id],
  );
  return ended.length;
}
