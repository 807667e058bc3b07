// How many workers died with a row, and what follows (docs/platform.md#quarantine).

/** A row that was in flight when this many workers died is isolated; surviving clears it. */
export const ISOLATION_DEATHS = 2;
/** A row is quarantined after this many, the last one in isolation. */
export const QUARANTINE_DEATHS = 3;

/**
 * SQL: how many workers died with a row: the counted ones, and one whose lease expired without a
 * release. `at`: the parameter with the time. `lease`: the column that is null for a free row.
 */
export function deathsSql(table: string, at: string, leasedUntil: string, lease = leasedUntil): string {
  return `(${table}.deaths + CASE WHEN ${table}.${lease} IS NOT NULL AND ${table}.${leasedUntil} <= ${at} THEN 1 ELSE 0 END)`;
}
