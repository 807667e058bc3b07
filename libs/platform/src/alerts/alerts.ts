// The table `alerts`: one open row for each cause. All times are the database's.
import { inBatches, type Sql } from '@parley/server/postgres';
import { alertKinds, type AlertKind, type AlertKindName } from './alert-kinds.ts';

/** What an alert is about; at most one alert of it is open. */
export interface Cause {
  readonly kind: AlertKindName;
  /** The id of what is concerned: of a webhook, a table, a provider. */
  readonly subject: string;
}

export interface RaisedAlert extends Cause {
  /** Sentences for an operator. Never a secret: the path of an address may hold one. */
  readonly message: string;
}

export const ALERT_STATUSES = ['open', 'acknowledged', 'resolved'] as const;
export type AlertStatus = (typeof ALERT_STATUSES)[number];

export interface AlertRow extends RaisedAlert {
  readonly id: string;
  readonly openedAt: Date;
  readonly lastRaisedAt: Date;
  readonly acknowledgedAt: Date | null;
  readonly acknowledgedBy: string | null;
  readonly resolvedAt: Date | null;
}

/** A cause that shows a thousand times a second writes its row this often. */
const RAISED_EVERY = "interval '10 seconds'";

/**
 * Of organisation, cause and the alert of it before: the same alert has the same id. The lock makes
 * a concurrent raise of the cause find this row by its cause, not by its id.
 */
const ALERT_ID = `'alt_' || pg_advisory_xact_lock(hashtextextended(concat_ws(chr(1), $1::text, $2::text, $3::text), 0))::text || left(encode(sha256(convert_to(concat_ws(chr(1), $1::text, $2::text, $3::text, (
  SELECT id FROM alerts WHERE organization_id = $1 AND kind = $2 AND subject = $3 ORDER BY opened_at DESC LIMIT 1)
), 'UTF8')), 'hex'), 32)`;

/**
 * In the transaction of the cause, which is also what makes it happen once. An open alert of the
 * same cause takes the new message; an acknowledged one stays acknowledged.
 */
export async function raise(
  sql: Sql,
  organizationId: string,
  { kind, subject, message }: RaisedAlert,
): Promise<void> {
  await sql(
    `INSERT INTO alerts AS alert (id, organization_id, kind, subject, message, opened_at, last_raised_at)
     SELECT ${ALERT_ID}, $1::text, $2::text, $3::text, $4::text, now(), now()
     WHERE NOT EXISTS (
       SELECT 1 FROM alerts WHERE organization_id = $1 AND kind = $2 AND subject = $3 AND resolved_at IS NULL
         AND last_raised_at > now() - ${RAISED_EVERY})
     ON CONFLICT (organization_id, kind, subject) WHERE resolved_at IS NULL
     DO UPDATE SET message = excluded.message, last_raised_at = greatest(alert.last_raised_at, excluded.last_raised_at)`,
    [organizationId, kind, subject, message],
  );
}

/** The cause is gone. Does nothing when no alert of it is open. */
export async function resolve(sql: Sql, organizationId: string, { kind, subject }: Cause): Promise<void> {
  await sql(
    `UPDATE alerts SET resolved_at = now()
     WHERE organization_id = $1 AND kind = $2 AND subject = $3 AND resolved_at IS NULL`,
    [organizationId, kind, subject],
  );
}

const COLUMNS = `id, kind, subject, message, opened_at AS "openedAt", last_raised_at AS "lastRaisedAt",
  acknowledged_at AS "acknowledgedAt", acknowledged_by AS "acknowledgedBy", resolved_at AS "resolvedAt"`;

const IN_STATUS: Readonly<Record<AlertStatus, string>> = {
  open: 'resolved_at IS NULL AND acknowledged_at IS NULL',
  acknowledged: 'resolved_at IS NULL AND acknowledged_at IS NOT NULL',
  resolved: 'resolved_at IS NOT NULL',
};

export interface AlertFilter {
  readonly status?: AlertStatus | undefined;
  readonly kind?: AlertKindName | undefined;
}

/** Epoch ms and id of the last alert of a page. */
export type AlertPlace = readonly [openedAtMs: number, id: string];

/** Newest first; one row more than `limit`, for the page. */
export function listAlerts(
  sql: Sql,
  organizationId: string,
  { status, kind }: AlertFilter,
  limit: number,
  after: AlertPlace | null,
): Promise<AlertRow[]> {
  return sql<AlertRow>(
    `SELECT ${COLUMNS} FROM alerts
     WHERE organization_id = $1 AND ($2::text IS NULL OR kind = $2) AND ${status ? IN_STATUS[status] : 'true'}
       AND ($3::timestamptz IS NULL OR (opened_at, id) < ($3, $4::text))
     ORDER BY opened_at DESC, id DESC LIMIT $5::int`,
    [organizationId, kind ?? null, after && new Date(after[0]), after && after[1], limit + 1],
  );
}

/** Undefined when the organisation has no such alert. The first acknowledgement counts. */
export async function acknowledgeAlert(
  sql: Sql,
  organizationId: string,
  id: string,
  by: string,
): Promise<AlertRow | undefined> {
  const [row] = await sql<AlertRow>(
    `UPDATE alerts SET acknowledged_at = coalesce(acknowledged_at, now()), acknowledged_by = coalesce(acknowledged_by, $3)
     WHERE organization_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
    [organizationId, id, by],
  );
  return row;
}

/** Open and acknowledged alerts of all organisations, for metrics. */
export function countUnresolved(sql: Sql): Promise<{ kind: string; count: number }[]> {
  return sql('SELECT kind, count(*)::int AS count FROM alerts WHERE resolved_at IS NULL GROUP BY kind');
}

/**
 * Resolves alerts whose cause ended. `endings`: for a kind, SQL that is true when the cause of
 * `alert` is gone.
 */
export async function resolveEnded(
  sql: Sql,
  endings: Readonly<Partial<Record<AlertKindName, string>>>,
): Promise<void> {
  for (const [kind, { quietMs }] of Object.entries<AlertKind>(alertKinds)) {
    const quiet = quietMs && `alert.last_raised_at <= now() - interval '${quietMs} milliseconds'`;
    const ended = [quiet, endings[kind as AlertKindName]].filter(Boolean).map((one) => `(${one})`);
    if (ended.length === 0) continue;
    await sql(
      `UPDATE alerts AS alert SET resolved_at = now()
       WHERE alert.resolved_at IS NULL AND alert.kind = $1 AND (${ended.join(' OR ')})`,
      [kind],
    );
  }
}

/** Three months: operators look back at an incident for that long. */
const RESOLVED_KEPT = "interval '90 days'";
const TRIM_LIMITS = { rowsMax: 1_000, batchesMax: 10 };

export async function trimAlerts(sql: Sql): Promise<void> {
  await inBatches(TRIM_LIMITS, (limit) =>
    sql(
      `DELETE FROM alerts WHERE id IN
         (SELECT id FROM alerts WHERE resolved_at < now() - ${RESOLVED_KEPT} LIMIT $1::int FOR UPDATE SKIP LOCKED)
       RETURNING 1 AS one`,
      [limit],
    ),
  );
}

/** Named in one alert; the rest is counted. */
const NAMED_MAX = 10;

/**
 * Rows of a work table that are quarantined because workers died with them
 * (docs/platform.md#quarantine): one alert for each organisation. `what` names a row for an
 * operator.
 */
export async function raiseQuarantined(
  sql: Sql,
  table: string,
  rows: readonly { readonly organizationId: string; readonly what: string }[],
): Promise<void> {
  const byOrganization = new Map<string, string[]>();
  for (const { organizationId, what } of rows)
    byOrganization.set(organizationId, [...(byOrganization.get(organizationId) ?? []), what]);
  // In order: two transactions that raise the same alerts do not wait for each other.
  for (const [organizationId, all] of [...byOrganization].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const more = all.length > NAMED_MAX ? ` and ${all.length - NAMED_MAX} more` : '';
    await raise(sql, organizationId, {
      kind: 'work_quarantined',
      subject: table,
      message: `Worker processes ended while they worked on ${all.slice(0, NAMED_MAX).join(', ')}${more}. It waits until the operator releases it with \`parley quarantine\`.`,
    });
  }
}
