// The table `audit_log` of every service: who did what. A row is added in the transaction of its
// action, so neither exists without the other. Nothing changes rows, and only their age deletes
// them (docs/platform.md#audit-log).
import type { Caller } from '@parley/server/http';
import type { Sql } from '@parley/server/postgres';
import type { Clock, Ids } from '@parley/server/runtime';
import type { AuditAction } from './actions.ts';

/** The actor: a caller of the API, or the operator with the program `parley`. */
export interface Actor {
  readonly organizationId: string;
  readonly kind: Caller['kind'] | 'operator';
  readonly principal: string;
}

export function operatorFor(organizationId: string): Actor {
  return { organizationId, kind: 'operator', principal: 'operator' };
}

export interface AuditEntry {
  readonly action: AuditAction;
  /** The id of the object of the action. */
  readonly target: string;
  /** Useful facts. Never a secret: every `admin` can read them for a year. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Call it on the connection of the action's transaction. */
export async function audit(
  sql: Sql,
  { ids, clock }: { readonly ids: Ids; readonly clock: Clock },
  { organizationId, kind, principal }: Actor,
  { action, target, details = {} }: AuditEntry,
): Promise<void> {
  await sql(
    `INSERT INTO audit_log (id, organization_id, action, actor_kind, actor, target, details, at)
     VALUES ($1, $2, $3, $4, $5, $6, $7::jsonb, $8)`,
    [ids('aud'), organizationId, action, kind, principal, target, JSON.stringify(details), new Date(clock())],
  );
}

export interface AuditRow {
  readonly id: string;
  readonly action: string;
  readonly actorKind: Actor['kind'];
  readonly actor: string;
  readonly target: string;
  readonly details: Record<string, unknown>;
  readonly at: Date;
}

export interface AuditFilter {
  readonly action?: AuditAction | undefined;
  readonly actor?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

/**
 * Newest first; one row more than `limit`, for the page. `from` is inclusive, `to` and `beforeId`
 * are not.
 */
export function listAudit(
  sql: Sql,
  organizationId: string,
  { action, actor, from, to }: AuditFilter,
  limit: number,
  beforeId: string | null,
): Promise<AuditRow[]> {
  return sql<AuditRow>(
    `SELECT id, action, actor_kind AS "actorKind", actor, target, details, at FROM audit_log
     WHERE organization_id = $1 AND ($2::text IS NULL OR id < $2)
       AND ($3::text IS NULL OR action = $3) AND ($4::text IS NULL OR actor = $4)
       AND ($5::timestamptz IS NULL OR at >= $5) AND ($6::timestamptz IS NULL OR at < $6)
     ORDER BY id DESC LIMIT $7::int`,
    [organizationId, beforeId, action ?? null, actor ?? null, from ?? null, to ?? null, limit + 1],
  );
}

/** A year. */
export const AUDIT_RETENTION_MS = 365 * 24 * 60 * 60_000;
const TRIM_ROWS_MAX = 1_000;
const TRIM_BATCHES_MAX = 10;

/**
 * Deletes rows older than a year, by a function of the migration, since the service may not delete.
 * Returns their number.
 */
export async function trimAudit(sql: Sql, nowMs: number): Promise<number> {
  let gone = 0;
  for (let batch = 0; batch < TRIM_BATCHES_MAX; batch += 1) {
    const [row] = await sql<{ rows: number }>('SELECT trim_audit_log($1::timestamptz, $2::int) AS rows', [
      new Date(nowMs - AUDIT_RETENTION_MS),
      TRIM_ROWS_MAX,
    ]);
    gone += row!.rows;
    if (row!.rows < TRIM_ROWS_MAX) break;
  }
  return gone;
}
