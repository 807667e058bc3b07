// The statements of a work table that decide which rows a process claims: never more than it can
// load (docs/platform.md#byte-budgets), and rows with which workers died only in isolation
// (docs/platform.md#quarantine). Pure.
import { deathsSql, ISOLATION_DEATHS, QUARANTINE_DEATHS } from '../isolation/deaths.ts';

/**
 * What rows make a process load, as an SQL expression, and how much may be loaded together. A
 * larger row is loaded alone.
 */
export interface ByteBudget {
  readonly of: string;
  readonly max: number;
}

export interface StatementOptions {
  readonly table: string;
  /** The select list of a row. */
  readonly row: string;
  readonly dueAt: string;
  readonly lease: string;
  readonly leasedUntil: string;
  readonly leased: boolean;
  /** SQL of the organisation of a row. The row has the alias `row`. */
  readonly organization: string;
  readonly claimable?: string;
  readonly claimBytes?: ByteBudget;
  readonly sweepBytes?: ByteBudget;
}

export function workStatements(options: StatementOptions) {
  const { table, row, dueAt, lease, leasedUntil, leased, claimable, claimBytes, sweepBytes } = options;
  const deaths = (at: string) => deathsSql(table, at, leasedUntil, lease);
  /** Only for suspected rows, because it may need a join. */
  const organization = (at: string) =>
    `CASE WHEN ${deaths(at)} = ${ISOLATION_DEATHS} THEN (SELECT ${options.organization} FROM ${table} AS row WHERE row.id = ${table}.id) END`;
  /** Free and due. */
  const free = (ids: string, now: string, dueBy: string) =>
    `${table}.id = ANY(${ids}::text[]) AND ${table}.${dueAt} <= ${dueBy} AND (${leasedUntil} IS NULL OR ${leasedUntil} <= ${now})
     AND ${table}.quarantined_at IS NULL${claimable ? ` AND ${claimable}` : ''}`;
  /** $1 ids, $2 the holder, $3 now, $4 the end of the lease, $5 latest due time. */
  const claim = (set: string | undefined, select: string, may: string) => {
    const available = `${free('$1', '$3', '$5')} AND ${may}`;
    const fitting = `fitting AS (
      SELECT id FROM (SELECT id, sum(bytes) OVER (ORDER BY bytes, id) AS until
        FROM (SELECT id, LEAST(${claimBytes?.of}, ${claimBytes?.max}) AS bytes FROM ${table} WHERE ${available}) AS sized) AS summed
      WHERE until <= ${claimBytes?.max}), `;
    return `WITH ${claimBytes ? fitting : ''}claimed AS (
      UPDATE ${table} SET ${lease} = $2, ${leasedUntil} = $4, next_ring_at = $4, deaths = ${deaths('$3')}${set ? `, ${set}` : ''}
      WHERE ${available}${claimBytes ? ' AND id IN (SELECT id FROM fitting)' : ''} RETURNING *) ${select}`;
  };
  const swept = `${row}, ${leased ? `${deaths('$1')} >= ${QUARANTINE_DEATHS}` : 'false'} AS lost`;
  const due = `next_ring_at <= $1 ORDER BY next_ring_at LIMIT $2 FOR UPDATE SKIP LOCKED`;
  return {
    claims: ({ set, select }: { readonly set?: string; readonly select: string }) => ({
      together: claim(set, select, `${deaths('$3')} < ${ISOLATION_DEATHS}`),
      isolated: claim(set, select, `${deaths('$3')} = ${ISOLATION_DEATHS}`),
    }),
    /** $1 ids, $2 now, $3 latest due time. */
    free: `SELECT id, ${deaths('$2')} AS deaths, ${organization('$2')} AS "organizationId" FROM ${table} WHERE ${free('$1', '$2', '$3')}`,
    /** $1 now, $2 how many. `lost`: to be quarantined. */
    sweep: sweepBytes
      ? `WITH due AS MATERIALIZED (SELECT id, next_ring_at AS ring_at, ${sweepBytes.of} AS bytes FROM ${table} WHERE ${due})
         SELECT ${swept} FROM ${table}
         JOIN (SELECT id, ring_at, sum(bytes) OVER (ORDER BY ring_at, id) - bytes AS ahead FROM due) AS summed USING (id)
         WHERE ahead < ${sweepBytes.max} ORDER BY ring_at`
      : `SELECT ${swept} FROM ${table} WHERE ${due}`,
  };
}
