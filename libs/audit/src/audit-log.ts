// The table `audit_log` of every service: who did what. Rows are added in the transaction of what was done, so there is no deed without its
// row and no row without its deed; nothing changes them, and only their age removes them (docs/platform.md#audit-log).
import type { Caller } from '@parley/http';
import type { Sql } from '@parley/postgres';
import type { Clock, Ids } from '@parley/runtime';
import type { AuditAction } from './actions.ts';

/** Who did it: a caller of the API, or the operator with the program `parley`. */
export interface Actor {
  readonly organizationId: string;
  readonly kind: Caller['kind'] | 'operator';
  readonly principal: string;
}

export function operatorFor(organizationId: string): Actor {
  return { organizationId, kind: 'operator', principal: 'operator' };
}

export interface Deed {
  readonly action: AuditAction;
  /** The id of what it was done to. */
  readonly target: string;
  /** What is worth knowing of it. Never a secret: whoever has `admin` reads it for a year. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** On the connection of the transaction that does it. */
export async function audit(
  sql: Sql,
  { ids, clock }: { readonly ids: Ids; readonly clock: Clock },
  { organizationId, kind, principal }: Actor,
  { action, target, details = {} }: Deed,
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

/** Newest first; one row more than `limit`, for the page. `from` is inclusive, `to` and `beforeId` are not. */
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

/** A year: as long as somebody may come back to a deed. */
export const AUDIT_KEPT_MS = 365 * 24 * 60 * 60_000;
const TRIM_ROWS_MAX = 1_000;
const TRIM_BATCHES_MAX = 10;

/** Forgets what is older than a year: the migration's function does, since the service may not. Gives how many rows went. */
export async function trimAudit(sql: Sql, nowMs: number): Promise<number> {
  let gone = 0;
  for (let batch = 0; batch < TRIM_BATCHES_MAX; batch += 1) {
    const [row] = await sql<{ rows: number }>('SELECT trim_audit_log($1::timestamptz, $2::int) AS rows', [
      new Date(nowMs - AUDIT_KEPT_MS),
      TRIM_ROWS_MAX,
    ]);
    gone += row!.rows;
    if (row!.rows < TRIM_ROWS_MAX) break;
  }
  return gone;
}
