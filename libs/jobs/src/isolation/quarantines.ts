// Quarantined rows of a service's database, for metrics and operators
// (docs/platform.md#quarantine). Every work table has the columns `deaths` and `quarantined_at`.
// While a row is quarantined, the time at which it is due is NEVER.
import type { Sql } from '@parley/server/postgres';
import type { ServiceName } from '@parley/server/runtime';
import { NEVER } from '../reenqueue.rules.ts';

interface QuarantineTable {
  readonly table: string;
  /** SQL that identifies a row of its organisation. Default: its `id`. */
  readonly id?: string;
  /** The indexed column with the time at which a row is looked at again. */
  readonly at: string;
  /** SQL of the row's organisation. The row has the alias `row`. */
  readonly organization: string;
}

const inbox: QuarantineTable = {
  table: 'inbox_suspects',
  at: 'next_ring_at',
  organization: 'organization_id',
};

export const quarantines: Readonly<Record<ServiceName, readonly QuarantineTable[]>> = {
  'flow-builder': [inbox],
  'voice-api': [
    inbox,
    { table: 'conversations', at: 'due_at', organization: 'organization_id' },
    {
      table: 'webhook_delivery_batches',
      at: 'next_ring_at',
      organization: `(SELECT event.organization_id FROM webhook_deliveries AS delivery
        JOIN webhook_events AS event ON event.id = delivery.event_id WHERE delivery.id = row.delivery_ids[1])`,
    },
  ],
  notifications: [
    inbox,
    { table: 'deliveries', at: 'next_ring_at', organization: 'organization_id' },
    {
      table: 'push_retries',
      id: "delivery_id || ' ' || subscription_id",
      at: 'next_attempt_at',
      organization: 'organization_id',
    },
    { table: 'push_chunks', at: 'next_ring_at', organization: 'organization_id' },
    { table: 'topic_sends', at: 'next_ring_at', organization: 'organization_id' },
  ],
};

/** SQL of the organisation of a row of `table`. The row has the alias `row`. */
export function organizationSql(table: string): string {
  const known = Object.values(quarantines)
    .flat()
    .find((one) => one.table === table);
  return known?.organization ?? 'organization_id';
}

/**
 * SQL: the organisation of `alert` has no quarantined rows in the table that is the alert's
 * subject. `alert` is the alias of a row with `organization_id` and `subject`.
 */
export function quarantineEndedSql(service: ServiceName, alert: string): string {
  const tables = quarantines[service].map(
    ({ table, at, organization }) =>
      `${alert}.subject = '${table}' AND NOT EXISTS (SELECT 1 FROM ${table} AS row
         WHERE row.${at} >= '${NEVER.toISOString()}' AND row.quarantined_at IS NOT NULL
           AND ${organization} = ${alert}.organization_id)`,
  );
  return tables.map((one) => `(${one})`).join(' OR ');
}

export interface QuarantinedRow {
  readonly table: string;
  readonly id: string;
  readonly organizationId: string | null;
  readonly quarantinedAt: Date;
}

/** A larger number would say nothing more. */
const COUNT_MAX = 10_000;

export async function countQuarantined(
  sql: Sql,
  service: ServiceName,
): Promise<{ table: string; count: number }[]> {
  return Promise.all(
    quarantines[service].map(async ({ table, at }) => {
      const [row] = await sql<{ count: number }>(
        `SELECT count(*)::int AS count FROM
           (SELECT 1 FROM ${table} WHERE ${at} >= $1 AND quarantined_at IS NOT NULL LIMIT ${COUNT_MAX}) AS few`,
        [NEVER],
      );
      return { table, count: row?.count ?? 0 };
    }),
  );
}

/** Maximum number of listed rows of each table. */
const LISTED_MAX = 1_000;

export async function listQuarantined(sql: Sql, service: ServiceName): Promise<QuarantinedRow[]> {
  const found: QuarantinedRow[] = [];
  for (const { table, id = 'row.id', at, organization } of quarantines[service]) {
    const rows = await sql<Omit<QuarantinedRow, 'table'>>(
      `SELECT ${id} AS id, ${organization} AS "organizationId", row.quarantined_at AS "quarantinedAt" FROM ${table} AS row
       WHERE row.${at} >= $1 AND row.quarantined_at IS NOT NULL ORDER BY row.quarantined_at LIMIT ${LISTED_MAX}`,
      [NEVER],
    );
    for (const row of rows) found.push({ table, ...row });
  }
  return found;
}

/** Releases a row as if no worker had died with it. False when there is no such quarantined row. */
export async function releaseQuarantined(
  sql: Sql,
  service: ServiceName,
  { table, id, organizationId }: Pick<QuarantinedRow, 'table' | 'id' | 'organizationId'>,
  now: Date,
): Promise<boolean> {
  const known = quarantines[service].find((one) => one.table === table);
  if (!known) return false;
  const rows = await sql(
    `UPDATE ${table} AS row SET deaths = 0, quarantined_at = NULL, ${known.at} = $3
     WHERE ${known.id ?? 'row.id'} = $1 AND quarantined_at IS NOT NULL AND ${known.organization} = $2 RETURNING 1 AS one`,
    [id, organizationId, now],
  );
  return rows.length > 0;
}
